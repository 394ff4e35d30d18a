/** Operators' money: what is held or unmatched is settled once, by name, and the books balance against Stripe and the chain. */
import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as fc from "fast-check"
import { Accounts } from "../../core/credits/Accounts.ts"
import { Bookkeeping, type Proposal } from "../../core/credits/books/Bookkeeping.ts"
import { openItems, unmatched } from "../../core/credits/books/open.ts"
import { report } from "../../core/credits/books/report.ts"
import { Watch } from "../../core/credits/chain/Watch.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import * as Evm from "../../runtime/outside/evm.ts"
import { Chain, usdc } from "../support/base.ts"
import { ordered, services, setTime, tell, withStripe } from "../support/bookkeeping.ts"
import { register } from "../support/credits.ts"
import { missing } from "../support/programs.ts"
import type { StripeStub } from "../support/stripe.ts"

const dayMs = 24 * 60 * 60 * 1000

const by = { operator: "ada", reason: "a test" }

const theDay = (day: number) => ({ from: day * dayMs, to: (day + 1) * dayMs })

const differencesOn = (day: number) =>
  Effect.map(report(theDay(day)), ({ balances, differences, sides }) => {
    const all = [...differences, ...sides.flatMap((side) => side.differences)]
    assert.strictEqual(balances, all.length === 0)
    return all
  })

const ledgerOf = (account: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] =
      yield* sql`select coalesce(sum(amount), 0)::text as sum from ledger_entry where account = ${account}`
    return row?.["sum"]
  })

it.effect("a held card order is in suspense, refunded through Stripe or credited, once, by name", () =>
  withStripe((stub) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const books = yield* Bookkeeping
      const [refunded, credited] = [yield* ordered(stub), yield* ordered(stub)]
      for (const { of, session } of [refunded, credited]) {
        of.amount_total = 1500
        yield* tell(stub, stub.complete(session))
      }
      assert.strictEqual(yield* ledgerOf("suspense"), "30000000")
      assert.deepStrictEqual(yield* differencesOn(0), [])
      const open = yield* openItems(sql)
      assert.deepStrictEqual(
        open.orders.map(({ ordered_usd, received_usd }) => [ordered_usd, received_usd]),
        [
          ["20.00", "15.00"],
          ["20.00", "15.00"]
        ]
      )
      const orderOf = (account: string) => open.orders.find((each) => each.account === account)?.order ?? ""

      const refund: Proposal = yield* books.refund(orderOf(refunded.account), by)
      assert.include(refund.says, "in full through Stripe")
      assert.strictEqual(stub.refunds.length, 0, "a proposal does nothing")
      const all = yield* Effect.all([refund.act, refund.act, refund.act], { concurrency: "unbounded" })
      assert.strictEqual(all.filter((outcome) => outcome.startsWith("refunded")).length, 1)
      assert.strictEqual(stub.refunds.length, 1)
      // Stripe tells of it, and a late repeat of the payment changes nothing.
      yield* tell(stub, stub.refund(refunded.of.payment_intent ?? "", 1500))
      yield* tell(stub, stub.settle(refunded.session))
      stub.balance.shift()

      const credit = yield* books.credit(orderOf(credited.account), credited.account, by)
      yield* credit.act
      yield* credit.act
      assert.strictEqual((yield* (yield* Accounts).find(credited.account))?.balance, 20_000_000n)
      assert.include(
        (yield* Effect.flip(books.refund(orderOf(credited.account), by))).message,
        "was settled by ada"
      )

      // One that somebody refunded in Stripe's dashboard is a difference until it is settled here, too.
      const elsewhere = yield* ordered(stub)
      elsewhere.of.amount_total = 1500
      yield* tell(stub, stub.complete(elsewhere.session))
      const payment_intent = elsewhere.of.payment_intent ?? ""
      stub.refunds.push({ id: "re_dashboard", payment_intent, amount: 1500, metadata: { reference: "" } })
      stub.move("refund", payment_intent, -1500, "refund")
      assert.strictEqual((yield* differencesOn(0)).length, 1)
      const [left] = (yield* openItems(sql)).orders
      const settling = yield* books.refund(left?.order ?? "", by)
      assert.strictEqual(yield* settling.act, "refunded: re_dashboard")

      assert.strictEqual(yield* ledgerOf("suspense"), "0")
      assert.deepStrictEqual((yield* openItems(sql)).orders, [])
      assert.deepStrictEqual(yield* differencesOn(0), [])
      assert.deepStrictEqual(
        yield* sql`select distinct operator, note from posting where operator is not null`,
        [{ operator: "ada", note: "a test" }]
      )
    })
  )
)

it.effect("a paid order is refunded in part, once for each amount, and then what is left", () =>
  withStripe((stub) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const books = yield* Bookkeeping
      const accounts = yield* Accounts
      const { account, of, session } = yield* ordered(stub)
      yield* tell(stub, stub.complete(session))
      const [order] = yield* sql`select id from card_order where session = ${session}`
      const id = String(order?.["id"])
      const balance = Effect.map(accounts.find(account), (row) => row?.balance)
      const before = (yield* balance) ?? 0n
      for (const amount of [20_000_000n, 21_000_000n, 1_234n]) {
        assert.include((yield* Effect.flip(books.refund(id, by, { amount }))).message, "whole cents and less")
      }
      const part = yield* books.refund(id, by, { amount: 5_500_000n })
      assert.include(part.says, "refund 5.50 USD of")
      const all = yield* Effect.all([part.act, part.act], { concurrency: "unbounded" })
      assert.strictEqual(all.filter((outcome) => outcome.startsWith("refunded")).length, 1)
      assert.deepStrictEqual(
        stub.refunds.map(({ amount }) => amount),
        [550]
      )
      yield* tell(stub, stub.refund(of.payment_intent ?? "", 550))
      assert.strictEqual(yield* balance, before - 5_500_000n)
      assert.include(
        (yield* Effect.flip(books.refund(id, by, { amount: 5_500_000n }))).message,
        "was settled by ada"
      )
      assert.deepStrictEqual(yield* differencesOn(0), [])
      // What is left, and nothing after it.
      yield* (yield* books.refund(id, by)).act
      assert.deepStrictEqual(
        stub.refunds.map(({ amount }) => amount),
        [550, 1450]
      )
      yield* tell(stub, stub.refund(of.payment_intent ?? "", 2000))
      assert.strictEqual(yield* balance, before - 20_000_000n)
      assert.include((yield* Effect.flip(books.refund(id, by))).message, "was settled by ada")
      assert.deepStrictEqual(yield* differencesOn(0), [])
    })
  )
)

it.effect("a report names what Stripe has and the books have not, and vice versa", () =>
  withStripe((stub) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* setTime(stub, 10 * dayMs + 1000)
      const good = yield* ordered(stub)
      yield* tell(stub, stub.complete(good.session))
      stub.move("payout", null, -5000, "payout")
      assert.deepStrictEqual(yield* differencesOn(10), [])

      // An event that never arrived.
      const lost = yield* ordered(stub)
      stub.complete(lost.session)
      const [missing] = yield* differencesOn(10)
      assert.include(
        missing,
        `${lost.of.payment_intent}: the books have 0.00 USD (nothing), Stripe has 20.00 USD`
      )
      // It arrives two days later: the day it belongs to balances, and so does the one it came on.
      yield* setTime(stub, 12 * dayMs + 1000)
      yield* tell(stub, stub.settle(lost.session))
      stub.balance.shift()
      assert.deepStrictEqual([yield* differencesOn(10), yield* differencesOn(12)], [[], []])

      // A payment of nobody, and one that the books have made up.
      stub.move("charge", "pi_of_nobody", 700, "charge")
      yield* (yield* Ledger).credit(good.account, 3_000_000n, "card", {
        cause: "card_payment",
        reference: "ord_none",
        key: "card_payment:pi_made_up"
      })
      const differences = yield* differencesOn(12)
      assert.strictEqual(differences.length, 2)
      assert.include(
        differences.join("\n"),
        "pi_of_nobody: the books have 0.00 USD (nothing), Stripe has 7.00 USD (charge)"
      )
      assert.include(
        differences.join("\n"),
        "pi_made_up: the books have 3.00 USD (card_payment), Stripe has 0.00 USD"
      )
      // A correction in the books settles the first, once per key.
      const books = yield* Bookkeeping
      const correction = yield* books.correct(
        7_000_000n,
        { house: "card" },
        { house: "operator" },
        { ...by, key: "nobody", reference: "pi_of_nobody" }
      )
      assert.include(yield* correction.act, "done")
      assert.include(yield* correction.act, "already done")
      assert.strictEqual((yield* differencesOn(12)).length, 1)

      // A posting that was tampered with is the ledger's own difference.
      yield* sql`alter table posting disable trigger user`
      yield* sql`update account set balance = balance + 1 where id = ${good.account}`
      assert.include((yield* differencesOn(12)).join("\n"), `the ledger: account ${good.account}`)
    })
  )
)

it.effect("the books balance whatever customers and operators do, in whatever order Stripe tells it", () =>
  withStripe((stub) =>
    Effect.gen(function* () {
      const run = Effect.runPromiseWith(yield* Effect.context<Layer.Success<ReturnType<typeof services>>>())
      const days = Array.from({ length: 12 }, (_, n) => 20 + n * 10)
      const steps = fc.array(
        fc.record({
          kind: fc.constantFrom("pay", "hold", "refund", "dispute", "settle"),
          late: fc.boolean(),
          which: fc.nat(4)
        }),
        { minLength: 3, maxLength: 12 }
      )
      const left = [...days]
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(steps, (day) => run(busyDay(stub, left.shift() ?? 0, day))),
          { numRuns: days.length, endOnFailure: true }
        )
      )
    })
  )
)

/** Stripe neither refunds a disputed payment nor takes a dispute of a refunded one here. */
const isReversed = (stub: StripeStub, payment: string) =>
  stub.balance.some(({ source, type }) => type !== "charge" && source?.payment_intent === payment)

const busyDay = Effect.fnUntraced(function* (
  stub: StripeStub,
  day: number,
  steps: ReadonlyArray<{ readonly kind: string; readonly late: boolean; readonly which: number }>
) {
  const sql = yield* SqlClient.SqlClient
  const books = yield* Bookkeeping
  yield* setTime(stub, day * dayMs + 1000)
  const paid: Array<{ readonly account: string; readonly payment: string }> = []
  const later: Array<object> = []
  for (const { kind, late, which } of steps) {
    const say = (event: object) => (late ? Effect.sync(() => later.unshift(event)) : tell(stub, event))
    const of = paid[which % Math.max(1, paid.length)]
    if (kind === "pay" || kind === "hold") {
      const order = yield* ordered(stub)
      if (kind === "hold") order.of.amount_total = 1200
      yield* say(stub.complete(order.session))
      if (kind === "pay") paid.push({ account: order.account, payment: order.of.payment_intent ?? "" })
    } else if (kind === "refund" && of !== undefined) {
      const total = 100 * (which + 1)
      if (isReversed(stub, of.payment)) continue
      stub.move("refund", of.payment, -total, "refund")
      yield* say(stub.refund(of.payment, total))
    } else if (kind === "dispute" && of !== undefined) {
      if (isReversed(stub, of.payment)) continue
      stub.move("adjustment", of.payment, -2000, "dispute")
      yield* say(stub.dispute(of.payment, 2000, "needs_response", "charge.dispute.created"))
    } else if (kind === "settle") {
      const { orders } = yield* openItems(sql)
      const order = orders[which % Math.max(1, orders.length)]
      if (order === undefined) continue
      const proposal =
        late || order.account === null
          ? yield* books.refund(order.order, by)
          : yield* books.credit(order.order, order.account, by)
      yield* proposal.act
    }
  }
  yield* setTime(stub, (day + 1) * dayMs + 1000)
  for (const event of later) yield* tell(stub, event)
  assert.deepStrictEqual([yield* differencesOn(day), yield* differencesOn(day + 1)], [[], []])
})

const deposit = "0x00000000000000000000000000000000000d3905"

it.live.skipIf(missing("counterparties"))(
  "an unmatched transfer is in suspense, sent back or credited, and the chain has what the books have",
  () =>
    Effect.gen(function* () {
      const { rpcUrl, ...chain } = yield* Chain
      const port = Evm.make({ rpcUrl, chainId: 8453, token: usdc, depositAddress: deposit })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const books = yield* Bookkeeping
        const watch = yield* Watch
        yield* watch.look
        const payer = yield* chain.payer(100_000_000n)
        const { id } = yield* register("198.51.100.200")
        yield* chain.transfer(payer, deposit, 7_000_000n)
        yield* chain.transfer(payer, deposit, 5_000_000n)
        yield* chain.mineBlocks(4)
        yield* watch.look
        assert.strictEqual(yield* ledgerOf("suspense"), "12000000")
        const today = Math.floor(Date.now() / dayMs)
        const days = { from: (today - 1) * dayMs, to: (today + 2) * dayMs }
        const differences = Effect.map(report(days), ({ differences, sides }) => [
          ...differences,
          ...sides.flatMap((side) => side.differences)
        ])
        assert.deepStrictEqual(yield* differences, [])
        const open = yield* unmatched(sql)
        assert.deepStrictEqual(
          open.map(({ amount_usdc }) => amount_usdc),
          ["7.00", "5.00"]
        )
        const [seven, five] = open.map(({ transfer }) => transfer)

        yield* (yield* books.credit(five ?? "", id, by)).act
        assert.strictEqual((yield* (yield* Accounts).find(id))?.balance, 10_000_000n)

        // Sent back by the operator, from a wallet of his own.
        assert.include((yield* Effect.flip(books.refund(seven ?? "", by))).message, "--transaction")
        const operator = yield* chain.payer(50_000_000n)
        const wrong = yield* chain.transfer(operator, payer.address, 6_000_000n)
        const right = yield* chain.transfer(operator, payer.address, 7_000_000n)
        assert.include(
          (yield* Effect.flip(books.refund(seven ?? "", by, { transaction: right }))).message,
          "not a final"
        )
        yield* chain.mineBlocks(4)
        assert.include(
          (yield* Effect.flip(books.refund(seven ?? "", by, { transaction: wrong }))).message,
          "not a final"
        )
        const proposal = yield* books.refund(seven ?? "", by, { transaction: right })
        yield* proposal.act
        yield* proposal.act
        assert.strictEqual(yield* ledgerOf("suspense"), "0")
        assert.deepStrictEqual(yield* unmatched(sql), [])
        assert.deepStrictEqual(yield* differences, [])

        // What the watcher never saw is named.
        const late = yield* chain.transfer(payer, deposit, 1_000_000n)
        yield* chain.mineBlocks(4)
        assert.include((yield* differences)[0], `${late}:0: the chain has 1.00 USD, the books have nothing`)
        yield* watch.look
        assert.deepStrictEqual(yield* differences, [])
      }).pipe(Effect.provide(services({ chain: port })))
    }).pipe(Effect.provide(Chain.layer)),
  60_000
)
