import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Ledger } from "../../core/credits/Ledger.ts"
import { usd } from "../../core/credits/Money.ts"
import type { Product } from "../../core/credits/Product.ts"
import { Purchases } from "../../core/credits/Purchases.ts"
import { pricing } from "../../core/credits/pricing.ts"
import { Statement } from "../../core/credits/Statement.ts"
import { tiers } from "../../core/credits/tiers.ts"
import { costOf } from "../../core/credits/warranty/due.ts"
import { openPayments, release, stoppedPayments } from "../../core/credits/warranty/payments.ts"
import { Warranty } from "../../core/credits/warranty/Warranty.ts"
import { X402 } from "../../core/credits/x402/X402.ts"
import { soldAtOf, warrantedTree } from "../../core/proof/warranty.ts"
import type { SaleWarranty } from "../../core/wire/credits/warranty.ts"
import { credits, grant, register } from "../support/credits.ts"
import { onBothEngines } from "../support/database.ts"
import { encode } from "../support/payments.ts"
import { makeSettler, terms } from "../support/settler.ts"
import { close, exclude, read, revise, rowOf, usualTerms, warranted } from "../support/warranty.ts"

const noon = Date.UTC(2026, 8, 1, 12)
const hour = 3_600_000
const day = 24 * hour
const at = (ms: number) => new Date(noon + ms)

/** What the product holds when it is built. */
let rows: ReadonlyArray<object> = []
const products: ReadonlyArray<Product> = [
  { key: "depin_provenance", build: () => Effect.sync(() => ({ rows })) },
  { key: "depin_history", build: () => Effect.sync(() => ({ rows })) },
  { key: "sector_health_index", build: () => Effect.sync(() => ({ rows })) }
]

const json = (bytes: Uint8Array) =>
  JSON.parse(new TextDecoder().decode(bytes)) as {
    readonly purchase_id: string
    readonly warranty?: SaleWarranty
    readonly warranty_payment?: { readonly state: string; readonly because: string; readonly proof: string }
    readonly data?: unknown
  }

let networks = 0
const buyer = Effect.gen(function* () {
  const account = yield* register(`warranty ${++networks}`)
  yield* grant(account.id, usd("100"), `warranty ${networks}`)
  return account
})

const buy = Effect.fnUntraced(function* (account: Effect.Success<typeof buyer>, more: object = {}) {
  const current = yield* account.current
  return json(yield* (yield* Purchases).buy(current, { product_key: "depin_provenance", ...more }))
})

const run = Effect.flatMap(Warranty, ({ run }) => run)

/** What moved by warranties on an account, USD. */
const paidTo = Effect.fnUntraced(function* (account: Effect.Success<typeof buyer>) {
  const { movements } = yield* (yield* Statement).page(yield* account.current)
  return movements.flatMap(({ amount, reason }) => (reason === "warranty" ? [amount] : []))
})

let closes = 0
const closeAt = (ms: number) => Effect.andThen(TestClock.setTime(noon + ms), close(++closes, at(ms)))

describe("a price list with a warranty", () => {
  const list = pricing({
    coverage: new Map(),
    free: tiers.free,
    starter: usd("5"),
    ways: {
      credits: { available: true },
      card: { available: false, reason: "none" },
      stablecoin: { available: false, reason: "none" },
      x402: { available: false, reason: "none" },
      mpp: { available: false, reason: "none" }
    },
    built: () => true,
    terms: usualTerms
  })
  it("promises what is paid, and nothing of what has no times of its own", () => {
    const promise = list.warranty
    assert.include(promise?.says, "within 30 days of the sale, 50 % of the price")
    for (const key of ["depin_history", "market_regime", "derivation_replay", "depin_grades"])
      assert.notInclude(promise?.products ?? [], key)
    assert.include(promise?.products ?? [], "depin_provenance")
  })
})

onBothEngines("the warranty", (database) => {
  layer(
    Layer.provideMerge(Warranty.layer, credits(database, products)).pipe(Layer.provideMerge(warranted()))
  )((it) => {
    it.effect("names the values it covers, and pays once when the record revises one", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        const [fresh, old] = [
          { symbol: "W1", as_of: at(-hour) },
          { symbol: "W1OLD", as_of: at(-25 * hour) }
        ]
        yield* read(fresh, 10)
        yield* read(old, 20)
        rows = [rowOf(fresh, 10), rowOf(old, 20), { symbol: "W1", metric: "x" }]
        const account = yield* buyer
        const sold = yield* buy(account)
        const { warranty } = sold
        if (warranty === undefined) return assert.fail("no warranty")
        assert.strictEqual(warranty.rows.size, 1)
        assert.strictEqual(warranty.pays_usd, 0.245)
        const soldAt = soldAtOf(warranty)
        assert.strictEqual(soldAt, noon)
        assert.strictEqual(warrantedTree(sold.data, { ...warranty, soldAt })?.root, warranty.rows.root)
        // A value that was too old at the sale is not covered.
        yield* revise(old, 21, at(hour))
        yield* closeAt(2 * hour)
        yield* run
        assert.deepStrictEqual(yield* paidTo(account), [])
        yield* revise(fresh, 11, at(3 * hour))
        // Nothing is in the log before the close.
        yield* run
        assert.deepStrictEqual(yield* paidTo(account), [])
        assert.deepStrictEqual(yield* costOf([{ ...rowOf(fresh, 10), as_of: fresh.as_of.getTime() }]), {
          sales: 1,
          amount: 245_000n
        })
        yield* closeAt(4 * hour)
        yield* run
        yield* revise(fresh, 12, at(5 * hour))
        yield* exclude(fresh, at(5 * hour))
        yield* closeAt(6 * hour)
        yield* run
        yield* run
        assert.deepStrictEqual(yield* paidTo(account), [0.245])
        const receipt = json(
          yield* (yield* Purchases).receipt(yield* account.current, sold.purchase_id, undefined)
        )
        assert.deepStrictEqual(receipt.warranty, warranty)
        assert.strictEqual(receipt.warranty_payment?.state, "paid")
        assert.match(
          receipt.warranty_payment?.because ?? "",
          /^Revision \d+: W1 total_nodes of test .* was 10 and became 11$/
        )
        assert.match(receipt.warranty_payment?.proof ?? "", /^\/v1\/log\/documents\/[0-9a-f]{64}$/)
        assert.isTrue((yield* (yield* Ledger).check).ok)
      })
    )

    it.effect("pays for an incident, and not for what came before the sale or after its days", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon + 10 * day)
        const [a, b, c] = ["W2A", "W2B", "W2C"].map((symbol) => ({ symbol, as_of: at(10 * day - hour) }))
        if (a === undefined || b === undefined || c === undefined) return assert.fail("three")
        for (const each of [a, b, c]) yield* read(each, 1)
        // The product still shows what was revised a moment ago: not a revision after the sale.
        yield* revise(c, 2, at(10 * day - 1000))
        const [one, two, three] = [yield* buyer, yield* buyer, yield* buyer]
        rows = [rowOf(a, 1)]
        yield* buy(one)
        rows = [rowOf(b, 1)]
        yield* buy(two)
        rows = [rowOf(c, 1)]
        yield* buy(three)
        yield* exclude(a, at(11 * day))
        yield* closeAt(12 * day)
        yield* run
        yield* revise(b, 2, at(40 * day + 1))
        yield* closeAt(41 * day)
        yield* run
        assert.deepStrictEqual(yield* paidTo(one), [0.245])
        assert.deepStrictEqual(yield* paidTo(two), [])
        assert.deepStrictEqual(yield* paidTo(three), [])
      })
    )

    it.effect("promises nothing of the past, of products without times, and of data without rows", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon + 50 * day)
        const account = yield* buyer
        rows = []
        assert.isUndefined((yield* buy(account)).warranty)
        rows = [rowOf({ symbol: "W3", as_of: at(50 * day) }, 1)]
        assert.isUndefined((yield* buy(account, { as_known_at: "2026-09-01T00:00:00Z" })).warranty)
        assert.isUndefined((yield* buy(account, { product_key: "depin_history" })).warranty)
        const dry = yield* (yield* Purchases).dryRun(yield* account.current, {
          product_key: "sector_health_index"
        })
        assert.include(dry.warranty, "50 % of the price is paid back")
        // 50 % would be 2.495 USD.
        assert.strictEqual(
          (yield* buy(account, { product_key: "sector_health_index" })).warranty?.pays_usd,
          1
        )
      })
    )
  })

  layer(
    Layer.provideMerge(Warranty.layer, credits(database, products)).pipe(
      Layer.provideMerge(warranted({ ...usualTerms, perDay: usd("0.5"), inTotal: usd("0.9") }))
    )
  )((it) => {
    it.effect("stops at a ceiling until the operator decides", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        const reading = { symbol: "W4", as_of: at(-hour) }
        yield* read(reading, 1)
        rows = [rowOf(reading, 1)]
        const accounts = [yield* buyer, yield* buyer, yield* buyer, yield* buyer]
        for (const each of accounts) yield* buy(each)
        yield* revise(reading, 2, at(hour))
        yield* closeAt(day)
        yield* run
        const paid = Effect.map(Effect.forEach(accounts, paidTo), (all) => all.flat().length)
        assert.strictEqual(yield* paid, 2)
        assert.strictEqual(yield* stoppedPayments, 2)
        // The next day has room, but the first decision is the operator's.
        yield* TestClock.setTime(noon + 2 * day)
        yield* run
        assert.strictEqual(yield* paid, 2)
        const open = yield* openPayments(10)
        assert.deepStrictEqual(
          open.map(({ amount_usd, state }) => [amount_usd, state]),
          [
            ["0.245", "stopped"],
            ["0.245", "stopped"]
          ]
        )
        const by = { operator: "kim", reason: "a real mistake of ours" }
        assert.strictEqual(yield* release(open[0]?.sale, by), 1)
        yield* run
        assert.strictEqual(yield* paid, 3)
        assert.strictEqual(yield* release(undefined, by), 1)
        assert.strictEqual(yield* release(undefined, by), 0)
        yield* run
        assert.strictEqual(yield* paid, 4)
        const sql = yield* SqlClient.SqlClient
        const releases =
          yield* sql`select released_by, release_reason from warranty_payment where released_at is not null`
        assert.deepStrictEqual(releases, [
          { released_by: "kim", release_reason: "a real mistake of ours" },
          { released_by: "kim", release_reason: "a real mistake of ours" }
        ])
        assert.isTrue((yield* (yield* Ledger).check).ok)
      })
    )
  })

  const settler = makeSettler()
  layer(
    Layer.provideMerge(Warranty.layer, credits(database, products, { settler: settler.settler })).pipe(
      Layer.provideMerge(warranted())
    )
  )((it) => {
    it.effect("pays a payment per request to the account that verified the wallet, once it is final", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        const reading = { symbol: "W5", as_of: at(-hour) }
        yield* read(reading, 1)
        rows = [rowOf(reading, 1)]
        const x402 = yield* X402
        const url = "https://shop.test"
        const offer = (yield* x402.list(url)).find(({ key }) => key === "depin_provenance")?.offer?.accepts[0]
        const from = `0x${"5".repeat(40)}`
        const header = encode({
          x402Version: 2,
          accepted: offer,
          payload: {
            signature: "0x00",
            authorization: {
              from,
              to: terms.payTo,
              value: "490000",
              validAfter: "0",
              validBefore: String(noon / 1000 + 300),
              nonce: `0x${"7".repeat(64)}`
            }
          }
        })
        const { head } = yield* x402.pay("depin_provenance", url, { version: 2, header })
        assert.strictEqual(head.warranty?.pays_usd, 0.245)
        const again = yield* x402.pay("depin_provenance", url, { version: 2, header })
        assert.deepStrictEqual(again.head, head)
        yield* revise(reading, 2, at(hour))
        yield* closeAt(day)
        yield* run
        assert.deepStrictEqual(
          (yield* openPayments(10)).map(({ payer, state }) => [payer, state]),
          [[from, "due"]]
        )
        const account = yield* buyer
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into wallet (account, address, delegated, verified_at)
          values (${account.id}, ${from}, false, ${at(day)})`
        // A reorganisation may still undo the payment.
        yield* run
        assert.deepStrictEqual(yield* paidTo(account), [])
        settler.final.add(head.payment.transaction)
        yield* x402.complete
        yield* run
        yield* run
        assert.deepStrictEqual(yield* paidTo(account), [0.245])
        assert.deepStrictEqual(yield* openPayments(10), [])
      })
    )
  })
})
