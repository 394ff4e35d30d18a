/**
 * Issue 4, point 9: whatever interleaves and wherever it is cut, the ledger sums to zero, no balance is negative, each
 * charge has its payload, a refused purchase leaves no trace, and a retry is never a second charge. PGlite is one
 * session, so races happen on Postgres only; the cuts happen on both.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as fc from "fast-check"
import { Accounts } from "../../core/credits/Accounts.ts"
import { CardEvents } from "../../core/credits/card/CardEvents.ts"
import type { CardEvent, CardProcessor } from "../../core/credits/card/CardProcessor.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import type { Product } from "../../core/credits/Product.ts"
import { Purchases } from "../../core/credits/Purchases.ts"
import { sha256 } from "../../core/credits/Secret.ts"
import { credits, grant } from "../support/credits.ts"
import { onBothEngines } from "../support/database.ts"
import { cutAt } from "../support/faults.ts"

// Enough to find what was planted while this was written; `RUNS` makes a campaign of it.
const numRuns = Number(process.env["RUNS"] ?? 500)

const products: ReadonlyArray<Product> = [
  { key: "depin_provenance", build: ({ id }) => Effect.succeed({ id }) },
  { key: "depin_revenue_snapshot", build: () => Effect.succeed({ same: "for all" }) }
]

const cut = fc.option(fc.nat(8), { nil: undefined, freq: 2 })
const who = fc.nat(2)

type Step =
  | { readonly kind: "buy"; readonly who: number; readonly key: number | undefined; readonly dear: boolean }
  | {
      readonly kind: "grant" | "refund"
      readonly who: number
      readonly micros: bigint
      readonly payment: number
    }
  | { readonly kind: "rotate"; readonly who: number }
  | { readonly kind: "event"; readonly who: number; readonly event: number; readonly again: boolean }

const step: fc.Arbitrary<Step & { readonly cut: number | undefined }> = fc.oneof(
  fc.record({
    kind: fc.constant("buy" as const),
    who,
    key: fc.option(fc.nat(2), { nil: undefined, freq: 4 }),
    dear: fc.boolean(),
    cut
  }),
  fc.record({
    kind: fc.constantFrom("grant" as const, "refund" as const),
    who,
    micros: fc.bigInt({ min: 1n, max: 6_000_000n }),
    payment: fc.nat(2),
    cut
  }),
  fc.record({ kind: fc.constant("rotate" as const), who, cut }),
  fc.record({ kind: fc.constant("event" as const), who, event: fc.nat(6), again: fc.boolean(), cut })
)

const clients = fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 })

/** Stripe's place: what a webhook's body says is taken as it stands; its signatures are another test's. */
const processor: CardProcessor = {
  checkout: () => Effect.die(new Error("not asked here")),
  portal: () => Effect.die(new Error("not asked here")),
  event: (body) =>
    Effect.sync(() => {
      const said = JSON.parse(new TextDecoder().decode(body), (name, value) =>
        name === "amount" || name === "refunded" ? BigInt(value) : value
      )
      return { ...said, at: new Date(0) } as CardEvent
    })
}

/** What can be told of one payment of 20 USD, in the order in which it happened. */
const events = (name: string) => {
  const session = { kind: "session", session: `cs_${name}`, order: `ord_${name}`, mode: "payment" }
  const paid = { ...session, outcome: "paid", amount: "20000000", payment: `pi_${name}` }
  const dispute = { kind: "dispute", payment: `pi_${name}`, amount: "20000000" }
  return [
    { ...paid, outcome: "waiting" },
    paid,
    { ...paid, type: "async" },
    { kind: "refund", payment: `pi_${name}`, refunded: "5000000" },
    { kind: "refund", payment: `pi_${name}`, refunded: "12000000" },
    { ...dispute, state: "open" },
    { ...dispute, state: "won" }
  ] as const
}

let runs = 0

const run = Effect.fnUntraced(function* (
  lists: ReadonlyArray<ReadonlyArray<Step & { cut: number | undefined }>>
) {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* Accounts
  const purchases = yield* Purchases
  const ledger = yield* Ledger
  const name = `run${++runs}`

  const buyers = yield* Effect.forEach([0, 1, 2], (n) =>
    Effect.gen(function* () {
      const { api_key } = yield* accounts.register({}, `${name}.${n}`)
      const { id } = yield* accounts.authenticate(Redacted.make(api_key))
      return { id, key: Redacted.make(api_key) }
    })
  )
  const buyer = (n: number) => buyers[n] ?? assert.fail("no such buyer")
  const answered = new Map<string, Set<string>>()
  const told = new Map<string, Set<number>>()
  const cards = yield* CardEvents
  for (const [n, { id }] of buyers.entries()) {
    yield* sql`
      insert into card_order (id, kind, sku, amount, account, scope, request_sha256, session, created_at)
      values (${`ord_${name}.${n}`}, 'topup', 'pack_20', 20000000, ${id}, ${id}, '', ${`cs_${name}.${n}`}, now())`
  }

  const act = Effect.fnUntraced(function* (of: Step) {
    const { id, key } = buyer(of.who)
    switch (of.kind) {
      case "buy": {
        const account = yield* accounts.find(id)
        if (account === undefined) return yield* Effect.die(new Error("the account is gone"))
        const product_key = of.dear ? "depin_revenue_snapshot" : "depin_provenance"
        const idempotency = of.key === undefined ? undefined : `${of.key}`
        const bytes = yield* purchases.buy(account, { product_key }, idempotency)
        const { purchase_id } = JSON.parse(new TextDecoder().decode(bytes)) as { purchase_id: string }
        const under = `${id} ${idempotency ?? purchase_id}`
        answered.set(under, (answered.get(under) ?? new Set()).add(purchase_id))
        return
      }
      case "grant":
        return yield* grant(id, of.micros, `${name}.${of.who}.${of.payment}`)
      case "refund":
        return yield* ledger.takeBack(id, of.micros, "card", {
          cause: "card_refund",
          reference: name,
          key: `card_refund:${name}.${of.who}.${of.payment}`
        })
      case "rotate":
        return yield* accounts.rotate(key)
      case "event": {
        const said = events(`${name}.${of.who}`)[of.event]
        // The same event again, or another event that says the same.
        const event = {
          type: "",
          ...said,
          id: `evt_${name}.${of.who}.${of.event}${of.again ? ".again" : ""}`
        }
        yield* cards.take(new TextEncoder().encode(JSON.stringify(event)), "")
        told.set(id, (told.get(id) ?? new Set()).add(of.event))
        return
      }
    }
  })

  yield* Effect.forEach(
    lists,
    (list) =>
      Effect.forEach(list, (of) =>
        Effect.gen(function* () {
          const first = yield* Effect.exit(act(of).pipe(cutAt(of.cut)))
          // A client that got no answer asks again under the same key.
          if (Exit.hasDies(first) && of.kind === "buy" && of.key !== undefined) yield* Effect.exit(act(of))
        })
      ),
    { concurrency: "unbounded", discard: true }
  )

  const ids = buyers.map(({ id }) => id)
  for (const [n, { id }] of buyers.entries()) {
    const heard = told.get(id) ?? new Set<number>()
    const paid = heard.has(1) || heard.has(2)
    const refunded = heard.has(4) ? 12_000_000n : heard.has(3) ? 5_000_000n : 0n
    const disputed = heard.has(5) && !heard.has(6) ? 20_000_000n : 0n
    const taken = refunded + disputed > 20_000_000n ? 20_000_000n : refunded + disputed
    const rows = yield* sql<{ cause: string; amount: bigint }>`
      select g.cause, e.amount from posting g join ledger_entry e on e.posting = g.id and e.account = 'card'
      where g.key in (${`card_payment:pi_${name}.${n}`}) or g.key like ${`card_reversal:pi_${name}.${n}:%`}`
    assert.strictEqual(rows.filter(({ cause }) => cause === "card_payment").length, paid ? 1 : 0)
    // Seen from the house's account: what came in, less what went back, in whatever order it was told.
    const kept = rows.reduce((sum, { amount }) => sum - amount, 0n)
    assert.strictEqual(kept, paid ? 20_000_000n - taken : 0n)
  }
  const sold = yield* sql<{
    id: string
    account: string
    bytes: Uint8Array | null
    payload_sha256: string
    price: bigint
    charged: bigint | null
  }>`
    select p.id, p.account, p.payload_sha256, p.price, y.bytes,
      (select -e.amount from posting g join ledger_entry e on e.posting = g.id and e.account = 'credits:' || p.account
        where g.key = 'purchase:' || p.id) as charged
    from purchase p left join payload y on y.sha256 = p.payload_sha256
    where ${sql.in("p.account", ids)}`
  for (const purchase of sold) {
    assert.strictEqual(sha256(purchase.bytes ?? new Uint8Array()), purchase.payload_sha256)
    assert.strictEqual(purchase.charged, purchase.price)
  }
  const [charges] = yield* sql<{ n: number }>`
    select count(*)::int as n from posting g join ledger_entry e on e.posting = g.id
    where g.cause = 'purchase' and ${sql.in(
      "e.account",
      ids.map((id) => `credits:${id}`)
    )}`
  assert.strictEqual(charges?.n, sold.length)
  for (const [under, found] of answered) assert.strictEqual(found.size, 1, under)
  for (const id of [...answered.values()].flatMap((found) => [...found])) {
    assert.isTrue(
      sold.some((purchase) => purchase.id === id),
      "an answer without its purchase"
    )
  }
  const keys = yield* sql<{ n: number }>`
    select count(*)::int as n from api_key where ended_at is null and ${sql.in("account", ids)}
    group by account`
  assert.deepStrictEqual(keys, [{ n: 1 }, { n: 1 }, { n: 1 }])
  const balances = yield* sql<{ balance: bigint; owed: bigint; entries: bigint; owing: bigint }>`
    select a.balance, a.owed,
      coalesce((select sum(amount)::bigint from ledger_entry where account = 'credits:' || a.id), 0) as entries,
      coalesce((select -sum(amount)::bigint from ledger_entry where account = 'owed:' || a.id), 0) as owing
    from account a where ${sql.in("a.id", ids)}`
  for (const { balance, entries, owed, owing } of balances) {
    assert.deepStrictEqual([balance, owed], [entries, owing])
    assert.isTrue(balance >= 0n && owed >= 0n)
  }
})

onBothEngines("money", (database) => {
  layer(credits(database, products, { cards: processor }))((it) => {
    it.effect(
      "stays exact, whatever interleaves and wherever it is cut",
      () =>
        Effect.gen(function* () {
          const context = yield* Effect.context<
            Accounts | CardEvents | Purchases | Ledger | SqlClient.SqlClient
          >()
          yield* Effect.promise(() =>
            fc.assert(
              fc.asyncProperty(clients, (lists) => Effect.runPromiseWith(context)(run(lists))),
              { numRuns, endOnFailure: true }
            )
          )
          const report = yield* (yield* Ledger).check
          assert.deepStrictEqual(report.problems, [])
          assert.isTrue(report.ok)
        }),
      600_000
    )
  })
})
