/** What became of the money, on a real chain: lost answers, crashes, other submitters, liars, reorganisations. */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Schedule } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { encodeFunctionData, type Hex, parseTransaction, toHex } from "viem"
import { Ledger } from "../../core/credits/Ledger.ts"
import type { Settler } from "../../core/credits/x402/Settler.ts"
import type { Delivered } from "../../core/credits/x402/saleRecord.ts"
import { X402, type X402Refusal } from "../../core/credits/x402/X402.ts"
import type { Requirements } from "../../core/wire/credits/x402.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { databaseNonceLock } from "../../runtime/outside/x402/nonceLock.ts"
import * as Self from "../../runtime/outside/x402/self.ts"
import { Chain, tokenAbi, usdc } from "../support/base.ts"
import { credits } from "../support/credits.ts"
import { cloneUrl, postgres } from "../support/database.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { encode, named, payloadOf, type Signed, sign } from "../support/payments.ts"
import { rpcProxy } from "../support/rpcProxy.ts"
import { merchant, products } from "../support/shop.ts"

/** A shop behind a node that loses what the test says, and whose settler can be stood in for. */
const openWith = Effect.fnUntraced(function* (
  database: typeof postgres,
  { key, payTo }: Effect.Success<typeof merchant>,
  turns?: Self.Options["nonceLock"]
) {
  const chain = yield* Chain
  const proxy = yield* rpcProxy(chain.rpcUrl)
  const self = Self.make({
    rpcUrl: proxy.url,
    chainId: 8453,
    asset: usdc,
    payTo,
    key: Redacted.make(key),
    ...(turns === undefined ? {} : { nonceLock: turns }),
    waits: { every: "20 millis", times: 4 }
  })
  const seam: { settle: Settler["settle"] } = { settle: self.settler.settle }
  const settler: Settler = { ...self.settler, settle: (...all) => seam.settle(...all) }
  // Of its own, also beside another one on the same database.
  const context = yield* Layer.buildWithMemoMap(
    credits(database, products, { settler }),
    yield* Layer.makeMemoMap,
    yield* Effect.scope
  )
  const run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, context)
  const x402 = yield* run(X402)
  const sql = yield* run(SqlClient.SqlClient)
  const ledger = yield* run(Ledger)
  const [offer] = (yield* x402.list("https://shop.test"))[0]?.offer?.accepts ?? []
  if (offer === undefined) return yield* Effect.die(new Error("no offer"))
  return {
    chain,
    proxy,
    payTo,
    seam,
    inner: self.settler,
    offer,
    x402,
    sql,
    buy: (signed: Signed, product = "depin_provenance", extension = {}) =>
      x402
        .pay(product, "https://shop.test", {
          version: 2,
          header: encode(payloadOf(signed, offer, extension))
        })
        .pipe(Effect.catchTag("SqlError", Effect.die)),
    /** The driver of every sale in hand is gone. */
    abandon: sql`update x402_sale set lease_until = '2000-01-01' where state in ('reserved', 'settling')`,
    sales: Effect.map(sql`select state, tx, reason from x402_sale order by created_at`, (rows) =>
      rows.map((row) => ({ ...row }))
    ),
    takings: Effect.gen(function* () {
      assert.isTrue((yield* ledger.check).ok)
      const [row] = yield* sql<{ sum: bigint | null }>`
        select sum(amount)::bigint as sum from ledger_entry where account = 'sales'`
      return { booked: row?.sum ?? 0n, came: yield* chain.balance(payTo) }
    })
  }
})

const open = Effect.flatMap(merchant, (account) => openWith(postgres, account))

const newPayer = Effect.fnUntraced(function* (offer: Requirements, over?: Parameters<typeof sign>[2]) {
  const chain = yield* Chain
  const payer = yield* chain.payer(1_000_000n)
  return { payer, signed: yield* Effect.promise(() => sign(payer, offer, over)) }
})

const authorize = ({ message, signature }: Signed): Hex =>
  encodeFunctionData({
    abi: tokenAbi,
    functionName: "transferWithAuthorization",
    args: [
      message.from,
      message.to,
      message.value,
      message.validAfter,
      message.validBefore,
      message.nonce,
      signature
    ]
  })

/** Somebody else submits it. */
const submit = Effect.fnUntraced(function* (signed: Signed) {
  const { client } = yield* Chain
  return yield* Effect.promise(async () => {
    const hash = await client.sendTransaction({ to: usdc, data: authorize(signed) })
    await client.waitForTransactionReceipt({ hash })
    return hash
  })
})

const refusal = (effect: Effect.Effect<Delivered, X402Refusal>) => Effect.flip(effect)

const sold = { booked: 490_000n, came: 490_000n }
const nothing = { booked: 0n, came: 0n }

layerNeeding("counterparties")(Chain.layer, { excludeTestServices: true })(
  "the outcome of a settlement",
  (it) => {
    it.effect("is found where the answer to the broadcast is lost", () =>
      Effect.gen(function* () {
        const shop = yield* open
        const { signed } = yield* newPayer(shop.offer)
        shop.proxy.loseAnswers.add("eth_sendRawTransaction")
        const { settlement } = yield* shop.buy(signed)
        assert.isTrue(settlement.success)
        assert.deepStrictEqual(yield* shop.takings, sold)
      }).pipe(Effect.scoped)
    )

    it.effect("is pending while it is not in a block, and the same header gets the data later", () =>
      Effect.gen(function* () {
        const shop = yield* open
        const { signed } = yield* newPayer(shop.offer)
        const { client } = shop.chain
        yield* Effect.promise(() => client.setAutomine(false))
        const pending = yield* refusal(shop.buy(signed))
        assert.deepInclude(pending, { _tag: "SettlementPending", retry_after: 5 })
        const [sale] = yield* shop.sales
        assert.deepInclude(sale, { state: "settling" })
        assert.isTrue("transaction" in pending && pending.transaction === sale?.["tx"])
        assert.strictEqual((yield* refusal(shop.buy(signed)))._tag, "SettlementPending")
        assert.deepStrictEqual(yield* shop.takings, nothing)

        yield* Effect.promise(() => client.setAutomine(true))
        yield* shop.chain.mineBlocks(1)
        const { settlement } = yield* shop.buy(signed)
        assert.deepInclude(sale, { tx: settlement.transaction })
        assert.deepStrictEqual(yield* shop.takings, sold)
      }).pipe(Effect.scoped)
    )

    it.effect("of a transaction that never reached the chain is settled by sending it again", () =>
      Effect.gen(function* () {
        const shop = yield* open
        const { signed } = yield* newPayer(shop.offer)
        shop.proxy.loseQuestions.add("eth_sendRawTransaction")
        assert.strictEqual((yield* refusal(shop.buy(signed)))._tag, "SettlementPending")
        shop.proxy.loseQuestions.clear()
        yield* shop.x402.complete
        yield* shop.x402.complete
        assert.deepStrictEqual(yield* shop.takings, sold)
        const { data } = yield* shop.buy(signed)
        assert.include(new TextDecoder().decode(data), "{")
      }).pipe(Effect.scoped)
    )

    it.effect("is never called failed while the chain cannot be asked", () =>
      Effect.gen(function* () {
        const shop = yield* open
        const { signed } = yield* newPayer(shop.offer)
        const lost = ["eth_getTransactionReceipt", "eth_getBlockByNumber", "eth_call"]
        shop.seam.settle = (payment, since, sending) =>
          shop.inner.settle(payment, since, (transaction) =>
            Effect.andThen(
              sending(transaction),
              Effect.sync(() => {
                for (const method of lost) shop.proxy.loseQuestions.add(method)
              })
            )
          )
        assert.strictEqual((yield* refusal(shop.buy(signed)))._tag, "SettlementPending")
        yield* shop.x402.complete
        assert.deepStrictEqual(yield* shop.takings, { booked: 0n, came: 490_000n })
        shop.proxy.loseQuestions.clear()
        yield* shop.x402.complete
        assert.deepStrictEqual(yield* shop.takings, sold)
      }).pipe(Effect.scoped)
    )

    it.effect("survives a crash after the broadcast and one before it", () =>
      Effect.gen(function* () {
        const shop = yield* open
        const first = yield* newPayer(shop.offer)
        shop.seam.settle = (...all) =>
          Effect.andThen(shop.inner.settle(...all), Effect.die(new Error("the process ends here")))
        assert.strictEqual((yield* Effect.exit(shop.buy(first.signed)))._tag, "Failure")
        assert.deepStrictEqual(yield* shop.takings, { booked: 0n, came: 490_000n })
        shop.seam.settle = () => Effect.die(new Error("the process ends here"))
        const second = yield* newPayer(shop.offer)
        assert.strictEqual((yield* Effect.exit(shop.buy(second.signed)))._tag, "Failure")

        // As after a restart: nobody holds a lease, and the completer runs first.
        shop.seam.settle = shop.inner.settle
        yield* shop.abandon
        yield* shop.x402.complete
        assert.deepStrictEqual(yield* shop.takings, sold)
        assert.deepStrictEqual(
          (yield* shop.sales).map(({ state }) => state),
          ["settled", "reserved"]
        )
        yield* shop.buy(first.signed)
        yield* shop.abandon
        yield* shop.buy(second.signed)
        assert.deepStrictEqual(yield* shop.takings, { booked: 980_000n, came: 980_000n })
      }).pipe(Effect.scoped)
    )

    it.effect("is honoured where somebody else submitted first: before the request, and in its middle", () =>
      Effect.gen(function* () {
        const shop = yield* open
        const early = yield* newPayer(shop.offer)
        const hash = yield* submit(early.signed)
        const { settlement } = yield* shop.buy(early.signed)
        assert.strictEqual(settlement.transaction, hash)
        assert.deepStrictEqual(yield* shop.takings, sold)

        const middle = yield* newPayer(shop.offer)
        const others: Array<string> = []
        shop.seam.settle = (...all) =>
          Effect.gen(function* () {
            others.push(yield* submit(middle.signed))
            return yield* shop.inner.settle(...all)
          }).pipe(Effect.provideService(Chain, shop.chain))
        const second = yield* shop.buy(middle.signed)
        assert.deepStrictEqual([second.settlement.transaction], others)
        assert.deepStrictEqual(yield* shop.takings, { booked: 980_000n, came: 980_000n })
      }).pipe(Effect.scoped)
    )

    it.effect(
      "of an authorization that was spent elsewhere is a refusal, also beside a payment that did come",
      () =>
        Effect.gen(function* () {
          const shop = yield* open
          const { client } = shop.chain
          const nonce = toHex(1n, { size: 32 })
          const { payer, signed } = yield* newPayer(shop.offer, { nonce })
          const away = yield* Effect.promise(() => sign(payer, shop.offer, { nonce, to: payer.address }))
          const paid = yield* Effect.promise(() => sign(payer, shop.offer))
          const batch = yield* shop.chain.deploy("Batch")
          // One transaction: nonce 1 pays the payer itself, another nonce pays us the same amount.
          yield* Effect.promise(() =>
            client.writeContract({
              address: batch,
              abi: [
                {
                  type: "function",
                  name: "run",
                  stateMutability: "nonpayable",
                  inputs: [{ type: "address" }, { type: "bytes[]" }],
                  outputs: []
                }
              ],
              functionName: "run",
              args: [usdc, [authorize(away), authorize(paid)]]
            })
          )
          assert.deepInclude(yield* refusal(shop.buy(signed)), {
            _tag: "PaymentNeeded",
            reason: "invalid_transaction_state"
          })
          yield* shop.buy(paid)
          assert.deepStrictEqual(yield* shop.takings, sold)
          assert.strictEqual((yield* shop.sales).length, 1)
        }).pipe(Effect.scoped)
    )

    it.effect("of money that went away in the middle is a failure with its reason, and no data", () =>
      Effect.gen(function* () {
        const shop = yield* open
        const { payer, signed } = yield* newPayer(shop.offer)
        shop.seam.settle = (...all) =>
          Effect.gen(function* () {
            yield* shop.chain.transfer(payer, usdc, 1_000_000n)
            return yield* shop.inner.settle(...all)
          })
        const buy = shop.buy(signed, "depin_provenance", named("order_0123456789abcdef"))
        const refused = yield* refusal(buy)
        assert.deepInclude(refused, { _tag: "PaymentNeeded", reason: "invalid_transaction_state" })
        assert.deepInclude(yield* refusal(buy), { reason: "invalid_transaction_state" })
        assert.deepStrictEqual(yield* shop.takings, nothing)

        // Its authorization still holds: once somebody submits it, the sale is what was paid for.
        yield* shop.chain.mint(payer.address, 490_000n)
        yield* submit(signed)
        const answer = yield* buy
        assert.deepStrictEqual(yield* buy, answer)
        assert.deepStrictEqual(yield* shop.takings, sold)
      }).pipe(Effect.scoped)
    )

    it.effect("of many payers at once is one sale each, also with two processes on one key", () =>
      Effect.gen(function* () {
        const account = yield* merchant
        const url = Redacted.make(yield* cloneUrl)
        const turnsOn = Effect.map(Layer.build(Layer.fresh(Layer.orDie(Postgres.layer(url)))), (database) =>
          databaseNonceLock(Context.get(database, SqlClient.SqlClient))
        )
        const shop = yield* openWith(Layer.orDie(Postgres.layer(url)), account, yield* turnsOn)
        const twin = yield* openWith(Layer.orDie(Postgres.layer(url)), account, yield* turnsOn)
        const payers = yield* Effect.forEach(Array.from({ length: 8 }), () => newPayer(shop.offer))
        const buy = (at: typeof shop, signed: Signed) =>
          at.buy(signed).pipe(
            Effect.retry({
              while: ({ _tag }) => _tag === "SettlementPending",
              schedule: Schedule.spaced("50 millis"),
              times: 100
            })
          )
        const replies = yield* Effect.forEach(
          payers,
          ({ signed }) =>
            Effect.all([buy(shop, signed), buy(twin, signed), buy(shop, signed)], { concurrency: 3 }),
          { concurrency: "unbounded" }
        )
        for (const answers of replies) {
          assert.strictEqual(
            new Set(
              answers.map(({ data, head }) => `${JSON.stringify(head)}${new TextDecoder().decode(data)}`)
            ).size,
            1
          )
        }
        assert.deepStrictEqual(yield* shop.takings, { booked: 3_920_000n, came: 3_920_000n })
        // One transaction a sale, however the two took turns: no nonce was tried twice, and none is left out.
        const nonces = [...shop.proxy.broadcast, ...twin.proxy.broadcast].map(
          (raw) => parseTransaction(raw).nonce ?? 0
        )
        assert.deepStrictEqual(
          nonces.sort((a, b) => a - b),
          payers.map((_, n) => n)
        )
      }).pipe(Effect.scoped)
    )
  }
)

layerNeeding("counterparties")(Chain.layer, { excludeTestServices: true })(
  "on a chain that does not keep its word",
  (it) => {
    it.effect(
      "a token that takes the authorization and moves nothing sells nothing, three times at most",
      () =>
        Effect.gen(function* () {
          const shop = yield* open
          const { payer } = yield* newPayer(shop.offer)
          yield* shop.chain.setToken("LyingToken")
          for (let time = 0; time < 4; time++) {
            const signed = yield* Effect.promise(() => sign(payer, shop.offer))
            assert.deepInclude(yield* refusal(shop.buy(signed)), {
              _tag: "PaymentNeeded",
              reason: "invalid_transaction_state"
            })
          }
          assert.strictEqual((yield* shop.sales).length, 3)
          assert.deepStrictEqual(yield* shop.takings, nothing)
          yield* shop.chain.setToken("Token")
        }).pipe(Effect.scoped)
    )

    it.effect("a sale that a reorganisation undid is sent again, and final when its block is", () =>
      Effect.gen(function* () {
        const shop = yield* open
        const { signed } = yield* newPayer(shop.offer)
        yield* shop.buy(signed)
        yield* shop.x402.complete
        const final = shop.sql`select final_at is not null as final, lost_at is not null as lost from x402_sale`
        assert.deepStrictEqual({ ...(yield* final)[0] }, { final: false, lost: false })
        yield* Effect.promise(() =>
          shop.chain.client.request({ method: "anvil_rollback" as never, params: [1] as never })
        )
        assert.deepStrictEqual(yield* shop.takings, { booked: 490_000n, came: 0n })
        yield* shop.x402.complete
        assert.deepStrictEqual(yield* shop.takings, sold)
        yield* shop.chain.mineBlocks(3)
        yield* shop.x402.complete
        assert.deepStrictEqual({ ...(yield* final)[0] }, { final: true, lost: false })
      }).pipe(Effect.scoped)
    )

    it.effect("a sale that was undone and then reverted is not lost while its authorization holds", () =>
      Effect.gen(function* () {
        const shop = yield* open
        const { payer, signed } = yield* newPayer(shop.offer)
        yield* shop.buy(signed)
        yield* Effect.promise(() =>
          shop.chain.client.request({ method: "anvil_rollback" as never, params: [1] as never })
        )
        yield* shop.chain.transfer(payer, usdc, 1_000_000n)
        const finality = shop.sql`
        select final_at is not null as final, lost_at is not null as lost, tx from x402_sale`
        // Sent again, reverted because the payer holds nothing, and then final as what it is: not a payment.
        for (let n = 0; n < 3; n++) {
          yield* shop.x402.complete
          yield* shop.chain.mineBlocks(3)
          assert.deepInclude({ ...(yield* finality)[0] }, { final: false, lost: false })
        }
        yield* shop.chain.mint(payer.address, 490_000n)
        const tx = yield* submit(signed)
        yield* shop.x402.complete
        yield* shop.chain.mineBlocks(3)
        yield* shop.x402.complete
        assert.deepStrictEqual({ ...(yield* finality)[0] }, { final: true, lost: false, tx })
        assert.deepStrictEqual(yield* shop.takings, sold)
      }).pipe(Effect.scoped)
    )

    it.effect(
      "what is never mined fails when its time is over, and a lost sale is marked in the ledger",
      () =>
        Effect.gen(function* () {
          const shop = yield* open
          const { client } = shop.chain
          const gone = yield* newPayer(shop.offer)
          const undone = yield* newPayer(shop.offer)
          yield* shop.buy(undone.signed)
          yield* Effect.promise(() =>
            client.request({ method: "anvil_rollback" as never, params: [1] as never })
          )
          shop.proxy.loseQuestions.add("eth_sendRawTransaction")
          assert.strictEqual((yield* refusal(shop.buy(gone.signed)))._tag, "SettlementPending")
          yield* Effect.promise(() => client.increaseTime({ seconds: 600 }))
          yield* shop.chain.mineBlocks(1)
          yield* shop.x402.complete
          const before = "invalid_exact_evm_payload_authorization_valid_before"
          assert.deepInclude(yield* refusal(shop.buy(gone.signed)), { _tag: "PaymentNeeded", reason: before })
          assert.deepStrictEqual(
            (yield* shop.sales).map(({ state }) => state),
            ["settled", "failed"]
          )
          const rows =
            yield* shop.sql`select lost_at is not null as lost from x402_sale where state = 'settled'`
          assert.deepStrictEqual(
            rows.map((row) => ({ ...row })),
            [{ lost: true }]
          )
          assert.deepStrictEqual(yield* shop.takings, nothing)
        }).pipe(Effect.scoped)
    )
  }
)
