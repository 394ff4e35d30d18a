/** Refunds of the warranty on a real chain: each debt is paid once, whatever is lost, repeated or restored. */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { report } from "../../core/credits/books/report.ts"
import { CardProcessor } from "../../core/credits/card/CardProcessor.ts"
import { SalesChain } from "../../core/credits/chain/Chain.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import { markPaid } from "../../core/credits/warranty/markPaid.ts"
import { openPayments, release, stoppedPayments } from "../../core/credits/warranty/payments.ts"
import { lacks, type Refunder, WarrantyRefunder } from "../../core/credits/warranty/Refunder.ts"
import { refundTrouble } from "../../core/credits/warranty/refundTrouble.ts"
import { WarrantyTerms } from "../../core/credits/warranty/terms.ts"
import { Warranty } from "../../core/credits/warranty/Warranty.ts"
import { ProcessState } from "../../core/process/ProcessState.ts"
import * as Evm from "../../runtime/outside/evm.ts"
import * as Refunds from "../../runtime/outside/x402/refunder.ts"
import { Chain, usdc } from "../support/base.ts"
import { credits, register } from "../support/credits.ts"
import { onBothEngines } from "../support/database.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { rpcProxy } from "../support/rpcProxy.ts"
import { owedTo, warranted } from "../support/warranty.ts"

const at = new Date("2026-09-01T00:00:00Z")
const day = 86_400_000

let sales = 0
const nextSale = () => `r${++sales}`

/** A refund address of its own with money, behind a node that can lose what it is asked. */
const address = Effect.gen(function* () {
  const chain = yield* Chain
  const proxy = yield* rpcProxy(chain.rpcUrl)
  const key = generatePrivateKey()
  const account = privateKeyToAccount(key)
  yield* Effect.promise(() => chain.client.setBalance({ address: account.address, value: 10n ** 18n }))
  yield* chain.mint(account.address, 100_000_000n)
  const { refunder } = Refunds.make({
    rpcUrl: proxy.url,
    chainId: 8453,
    asset: usdc,
    key: Redacted.make(key),
    waits: { every: "10 millis", times: 3 }
  })
  return { account, key, proxy, refunder }
})

class Payer extends Context.Service<Payer, Effect.Success<typeof address>>()("test/RefundAddress") {}

const send = Effect.flatMap(Warranty, ({ send }) => send)

const stateOf = Effect.fnUntraced(function* (sale: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ state: string }>`select state from warranty_payment where sale = ${sale}`
  return row?.state
})

const transferOf = Effect.fnUntraced(function* (sale: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ tx: Hex | null; raw: Hex | null }>`
    select tx, raw from warranty_transfer where sale = ${sale}`
  return row
})

/** A new wallet that is owed a quarter of a dollar. */
const owedWallet = Effect.fnUntraced(function* (more: { readonly perDay?: bigint } = {}) {
  const wallet = privateKeyToAccount(generatePrivateKey()).address
  const sale = nextSale()
  yield* owedTo(sale, wallet, 250_000n, { at, ...more })
  return { sale, wallet }
})

const finish = Effect.gen(function* () {
  yield* (yield* Chain).mineBlocks(2)
  yield* send
})

/** Under no terms, which would ask for the money of a whole day. */
const trouble = (refunder: Refunder | null) =>
  Effect.provideService(refundTrouble(refunder), WarrantyTerms, undefined)

const hourPasses = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`update warranty_payment set refused_at = refused_at - interval '1 hour'`
)

/** The database is that of a backup from before the transfer was begun. */
const forget = Effect.fnUntraced(function* (sale: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from warranty_transfer where sale = ${sale}`
  yield* sql`update warranty_payment set state = 'due' where sale = ${sale}`
})

const booksOf = Effect.fnUntraced(function* (sale: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ account: string; amount: bigint }>`
    select e.account, e.amount from posting p join ledger_entry e on e.posting = p.id
    where p.cause = 'warranty' and p.reference = ${sale} order by e.account`
})

const sentBack = [
  { account: "sales", amount: -250_000n },
  { account: "x402", amount: 250_000n }
]

onBothEngines("a refund of the warranty", (database) => {
  const services = Layer.unwrap(
    Effect.gen(function* () {
      const payer = yield* address
      return Warranty.layer.pipe(
        Layer.provideMerge(credits(database)),
        Layer.provideMerge(warranted()),
        Layer.provideMerge(Layer.succeed(WarrantyRefunder, payer.refunder)),
        Layer.provideMerge(Layer.succeed(Payer, Payer.of(payer)))
      )
    })
  ).pipe(Layer.provideMerge(Chain.layer))

  layerNeeding("counterparties")(services, { excludeTestServices: true })("on a chain", (it) => {
    it.effect("is sent to the wallet that paid, and booked once it is final", () =>
      Effect.gen(function* () {
        const chain = yield* Chain
        const { account, proxy } = yield* Payer
        const { sale, wallet } = yield* owedWallet()
        const before = proxy.broadcast.length
        assert.include((yield* (yield* Warranty).ofWallet(wallet)).claim, "in USDC on eip155:8453")
        yield* send
        yield* send
        assert.strictEqual(yield* chain.balance(wallet), 250_000n)
        assert.strictEqual(proxy.broadcast.length, before + 1)
        // In a block, and a reorganisation may still undo it.
        assert.strictEqual(yield* stateOf(sale), "sending")
        assert.deepStrictEqual(yield* booksOf(sale), [])
        const transaction = (yield* transferOf(sale))?.tx
        assert.deepStrictEqual(
          (yield* openPayments(10)).map(({ payer, state, transaction }) => [payer, state, transaction]),
          [[wallet.toLowerCase(), "sending", transaction]]
        )
        yield* finish
        yield* send
        assert.strictEqual(yield* stateOf(sale), "paid")
        assert.deepStrictEqual(yield* booksOf(sale), sentBack)
        assert.strictEqual(yield* chain.balance(wallet), 250_000n)
        const { ofWallet } = yield* Warranty
        const { claim, payments, ...sums } = yield* ofWallet(wallet)
        assert.deepStrictEqual(sums, { wallet, owed_usd: 0, paid_usd: 0.25 })
        assert.strictEqual(claim, "Nothing is owed to this wallet.")
        assert.deepStrictEqual(
          payments.map(({ at: _, ...each }) => each),
          [
            {
              purchase_id: sale,
              amount_usd: 0.25,
              state: "paid",
              because: `Revision 1 of ${sale}`,
              proof: `/v1/log/documents/${"a".repeat(64)}`,
              ...(typeof transaction === "string" ? { transaction } : {})
            }
          ]
        )
        const { funds } = (yield* WarrantyRefunder) ?? assert.fail("no refunder")
        assert.strictEqual((yield* funds).balance, yield* chain.balance(account.address))
        assert.isUndefined(lacks(account.address, yield* funds, 1n))
        assert.match(
          lacks(account.address, yield* funds, 10n ** 9n) ?? "",
          /less than the 1000\.00 that may fall due/
        )
      })
    )

    it.effect(
      "is paid once, whichever question or answer of the chain is lost",
      () =>
        Effect.gen(function* () {
          const chain = yield* Chain
          const { account, proxy } = yield* Payer
          const methods = [...proxy.callCounts.keys()]
          assert.includeMembers(methods, ["eth_sendRawTransaction", "eth_getTransactionReceipt", "eth_call"])
          const had = yield* chain.balance(account.address)
          let paid = 0n
          for (const lost of [proxy.loseAnswers, proxy.loseQuestions]) {
            for (const method of methods) {
              const { sale, wallet } = yield* owedWallet()
              lost.add(method)
              yield* Effect.exit(send)
              yield* Effect.exit(send)
              assert.include([0n, 250_000n], yield* chain.balance(wallet))
              lost.delete(method)
              yield* send
              yield* finish
              yield* send
              paid += 250_000n
              assert.strictEqual(yield* chain.balance(wallet), 250_000n, method)
              assert.strictEqual(yield* stateOf(sale), "paid", method)
              assert.deepStrictEqual(yield* booksOf(sale), sentBack, method)
            }
          }
          assert.strictEqual(had - (yield* chain.balance(account.address)), paid)
        }),
      120_000
    )

    it.effect("is sent again as it was signed where it was dropped, and anew where its place is taken", () =>
      Effect.gen(function* () {
        const chain = yield* Chain
        const { account, proxy } = yield* Payer
        const { sale, wallet } = yield* owedWallet()
        proxy.loseQuestions.add("eth_sendRawTransaction")
        yield* send
        const first = yield* transferOf(sale)
        assert.strictEqual(yield* chain.balance(wallet), 0n)
        const before = proxy.broadcast.length
        yield* send
        assert.deepStrictEqual(proxy.broadcast.slice(before), [first?.raw])
        proxy.loseQuestions.delete("eth_sendRawTransaction")
        // Somebody else uses the nonce of the account.
        yield* chain.transfer(account, privateKeyToAccount(generatePrivateKey()).address, 1n)
        yield* send
        yield* finish
        yield* send
        assert.notStrictEqual((yield* transferOf(sale))?.tx, first?.tx)
        assert.strictEqual(yield* chain.balance(wallet), 250_000n)
        assert.strictEqual(yield* stateOf(sale), "paid")
      })
    )

    it.effect("is not paid again by a database from before it was paid", () =>
      Effect.gen(function* () {
        const chain = yield* Chain
        const sql = yield* SqlClient.SqlClient
        const { sale, wallet } = yield* owedWallet()
        yield* send
        const transaction = (yield* transferOf(sale))?.tx
        yield* sql`delete from warranty_transfer where sale = ${sale}`
        yield* sql`update warranty_payment set state = 'due' where sale = ${sale}`
        yield* send
        yield* finish
        yield* send
        assert.strictEqual(yield* chain.balance(wallet), 250_000n)
        assert.strictEqual((yield* transferOf(sale))?.tx, transaction)
        assert.strictEqual(yield* stateOf(sale), "paid")
      })
    )

    it.effect(
      "waits for the operator where a database from long before it was paid has forgotten it",
      () =>
        Effect.gen(function* () {
          const chain = yield* Chain
          const sql = yield* SqlClient.SqlClient
          const { run } = yield* Warranty
          const holder = yield* register("restored")
          const [unclaimed, claimed] = [yield* owedWallet(), yield* owedWallet()]
          yield* send
          // Further back than the chain's events are searched.
          for (let n = 0; n < 7; n++) yield* chain.mineBlocks(300)
          const before = new Map<string, string>()
          for (const { sale } of [unclaimed, claimed]) {
            before.set(sale, (yield* transferOf(sale))?.tx ?? "")
            yield* forget(sale)
          }
          yield* sql`insert into wallet (account, address, delegated, verified_at)
            values (${holder.id}, ${claimed.wallet.toLowerCase()}, false, ${at})`
          yield* run
          yield* send
          for (const { sale, wallet } of [unclaimed, claimed]) {
            assert.strictEqual(yield* stateOf(sale), "stopped")
            assert.deepStrictEqual(yield* booksOf(sale), [])
            assert.strictEqual(yield* chain.balance(wallet), 250_000n)
          }
          const listed = (yield* openPayments(10)).filter(({ refusal }) => refusal !== undefined)
          assert.deepStrictEqual(listed.map(({ sale }) => sale).sort(), [unclaimed.sale, claimed.sale].sort())
          assert.include(listed[0]?.refusal, "may already be paid")
          // It stops nothing else.
          const other = yield* owedWallet()
          yield* send
          yield* finish
          assert.strictEqual(yield* stateOf(other.sale), "paid")
          // The operator names the transaction, and only that one is taken.
          const kim = { operator: "kim", reason: "paid before the restore" }
          const markOf = (tx: string) => Effect.flip(markPaid(unclaimed.sale, tx, kim))
          assert.include((yield* markOf("paid")).message, "is not a transaction")
          assert.include((yield* markOf(`0x${"0".repeat(64)}`)).message, "does not pay 0.25")
          assert.include((yield* markOf(before.get(claimed.sale) ?? "")).message, "does not pay 0.25")
          const open = yield* Effect.flip(markPaid(other.sale, before.get(unclaimed.sale) ?? "", kim))
          assert.include(open.message, "no payment of")
          assert.strictEqual(yield* stateOf(unclaimed.sale), "stopped")
          for (const { sale } of [unclaimed, claimed]) {
            yield* markPaid(sale, before.get(sale) ?? "", kim)
            assert.strictEqual(yield* stateOf(sale), "paid")
            assert.strictEqual((yield* transferOf(sale))?.tx, before.get(sale))
            assert.deepStrictEqual(yield* booksOf(sale), sentBack)
          }
          // It is paid: nothing is sent, credited or booked again.
          yield* run
          yield* send
          assert.strictEqual(yield* chain.balance(unclaimed.wallet), 250_000n)
          assert.deepStrictEqual(yield* booksOf(claimed.sale), sentBack)
        }),
      120_000
    )

    it.effect("is late after an hour, and cannot be followed without its key", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const refunder = yield* WarrantyRefunder
        const { sale } = yield* owedWallet()
        yield* send
        assert.isUndefined(yield* trouble(refunder))
        assert.match((yield* trouble(null)) ?? "", /^One refund of warranties cannot be followed/)
        yield* sql`update warranty_transfer set begun_at = begun_at - interval '1 hour' where sale = ${sale}`
        assert.strictEqual(yield* trouble(refunder), "One refund of warranties is not final after an hour.")
        yield* finish
        assert.isUndefined(yield* trouble(refunder))
        assert.isUndefined(yield* trouble(null))
      })
    )

    it.effect("counts what the address has to send, and nothing else", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { account } = yield* Payer
        const refunder = (yield* WarrantyRefunder) ?? assert.fail("no refunder")
        const balance = (yield* refunder.funds).balance
        const { sale, wallet } = yield* owedWallet()
        yield* sql`update warranty_payment set amount = ${balance + 1n}::bigint where sale = ${sale}`
        assert.include((yield* trouble(refunder)) ?? "", `refund address ${account.address.toLowerCase()}`)
        const { ofWallet } = yield* Warranty
        assert.isAbove((yield* ofWallet(wallet)).owed_usd, 0)
        // Its payment is undone: nothing is owed.
        yield* sql`update x402_sale set lost_at = ${at} where id = ${sale}`
        assert.isUndefined(yield* trouble(refunder))
        assert.deepInclude(yield* ofWallet(wallet), {
          owed_usd: 0,
          claim: "Nothing is owed to this wallet.",
          payments: []
        })
        yield* sql`delete from warranty_payment where sale = ${sale}`
      })
    )

    it.effect("waits for money and for a token that takes it, and does not keep others waiting", () =>
      Effect.gen(function* () {
        const chain = yield* Chain
        const { account } = yield* Payer
        const blocked = yield* owedWallet()
        const list = (listed: boolean) =>
          Effect.promise(() =>
            chain.client.writeContract({
              address: usdc,
              abi: [
                {
                  type: "function",
                  name: "setBlacklisted",
                  stateMutability: "nonpayable",
                  inputs: [{ type: "address" }, { type: "bool" }],
                  outputs: []
                }
              ],
              functionName: "setBlacklisted",
              args: [blocked.wallet, listed]
            })
          )
        yield* list(true)
        const other = yield* owedWallet()
        yield* send
        assert.strictEqual(yield* stateOf(blocked.sale), "due")
        assert.strictEqual(yield* stateOf(other.sale), "sending")
        const refunder = yield* WarrantyRefunder
        assert.match((yield* trouble(refunder)) ?? "", /^One refund of warranties is refused by the chain/)
        yield* list(false)
        // What the chain refused is retried after an hour.
        yield* finish
        assert.strictEqual(yield* stateOf(blocked.sale), "due")
        yield* hourPasses
        yield* finish
        yield* finish
        assert.isUndefined(yield* trouble(refunder))
        assert.strictEqual(yield* stateOf(blocked.sale), "paid")
        const balance = yield* chain.balance(account.address)
        yield* chain.transfer(account, usdc, balance)
        const third = yield* owedWallet()
        yield* send
        assert.strictEqual(yield* stateOf(third.sale), "due")
        yield* chain.mint(account.address, balance)
        yield* send
        yield* finish
        assert.strictEqual(yield* stateOf(third.sale), "paid")
        assert.strictEqual(yield* chain.balance(third.wallet), 250_000n)
      })
    )

    it.effect(
      "is credits where an account verified the wallet before, and nothing where it did afterwards",
      () =>
        Effect.gen(function* () {
          const chain = yield* Chain
          const sql = yield* SqlClient.SqlClient
          const { run } = yield* Warranty
          const holder = yield* register("refunds")
          const [early, late] = [yield* owedWallet(), yield* owedWallet()]
          const verify = (wallet: string) => sql`insert into wallet (account, address, delegated, verified_at)
          values (${holder.id}, ${wallet.toLowerCase()}, false, ${at})`
          yield* verify(early.wallet)
          yield* send
          yield* verify(late.wallet)
          yield* run
          yield* finish
          yield* run
          assert.strictEqual(yield* chain.balance(early.wallet), 0n)
          assert.strictEqual(yield* chain.balance(late.wallet), 250_000n)
          assert.deepStrictEqual(yield* booksOf(early.sale), [
            { account: `credits:${holder.id}`, amount: 250_000n },
            { account: "sales", amount: -250_000n }
          ])
          assert.deepStrictEqual(yield* booksOf(late.sale), sentBack)
        })
    )

    it.effect("is not sent past a ceiling, nor by a service that stops", () =>
      Effect.gen(function* () {
        const chain = yield* Chain
        const { proxy } = yield* Payer
        const [first, second] = [yield* owedWallet(), yield* owedWallet()]
        const before = proxy.broadcast.length
        yield* Effect.exit(
          Effect.provideService(send, ProcessState, {
            isStopping: () => true,
            stopping: Effect.void,
            warnings: Effect.succeed([])
          })
        )
        assert.strictEqual(proxy.broadcast.length, before)
        yield* send
        yield* finish
        yield* send
        assert.strictEqual(yield* chain.balance(first.wallet), 250_000n)
        assert.strictEqual(yield* chain.balance(second.wallet), 250_000n)
        const capped = yield* owedWallet({ perDay: 250_000n })
        yield* send
        assert.strictEqual(yield* stateOf(capped.sale), "stopped")
        assert.strictEqual(yield* stoppedPayments, 1)
        assert.strictEqual(yield* chain.balance(capped.wallet), 0n)
        yield* release(undefined, { operator: "kim", reason: "a mistake of ours" })
        yield* send
        yield* finish
        assert.strictEqual(yield* chain.balance(capped.wallet), 250_000n)
      })
    )

    it.effect("counts against the ceilings from when it is sent, before it is booked", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [spent] = yield* sql<{ paid: bigint }>`
          select coalesce(sum(amount), 0)::bigint as paid from warranty_payment where state = 'paid'`
        const first = yield* owedWallet()
        yield* send
        assert.strictEqual(yield* stateOf(first.sale), "sending")
        // Beside what is paid it has room, beside what is on its way it does not.
        const second = yield* owedWallet({ perDay: (spent?.paid ?? 0n) + 499_999n })
        yield* send
        assert.strictEqual(yield* stateOf(second.sale), "stopped")
        yield* release(undefined, { operator: "kim", reason: "there is money" })
        yield* send
        yield* finish
        yield* send
        assert.strictEqual(yield* stateOf(second.sale), "paid")
      })
    )

    it.effect("is in the report, which compares it with the chain", () =>
      Effect.gen(function* () {
        const chain = yield* Chain
        const sql = yield* SqlClient.SqlClient
        assert.isTrue((yield* (yield* Ledger).check).ok)
        const from = Date.now() - (Date.now() % day) - day
        const reportNow = report({ from, to: from + 3 * day }).pipe(
          Effect.provideService(CardProcessor, null),
          Effect.provideService(
            SalesChain,
            Evm.make({
              rpcUrl: chain.rpcUrl,
              chainId: 8453,
              token: usdc,
              depositAddress: `0x${"9".repeat(40)}`
            })
          )
        )
        const { differences, sides } = yield* reportNow
        assert.deepStrictEqual(differences, [])
        const side = sides.find(({ name }) => name === "warranty")
        assert.isAbove(side?.n_compared ?? 0, 10)
        assert.strictEqual(side?.books_usd, side?.theirs_usd)
        assert.match(side?.books_usd ?? "", /^-\d+\.\d+$/)
        assert.deepStrictEqual(side?.differences, [])
        const { sale, wallet } = yield* owedWallet()
        yield* send
        yield* finish
        yield* sql`update warranty_transfer set tx = ${`0x${"ab".repeat(32)}`} where sale = ${sale}`
        const wrong = (yield* reportNow).sides.find(({ name }) => name === "warranty")
        assert.deepStrictEqual(wrong?.differences, [
          `${sale}: the books have 0.25 USD sent back, the chain has 0.00 USD in 0x${"ab".repeat(32)}`
        ])
        assert.strictEqual(yield* chain.balance(wallet), 250_000n)
      })
    )
  })
})
