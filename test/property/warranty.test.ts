/**
 * Whatever is sold, revised, excluded and closed in whatever order, and wherever the duty is cut or doubled: a sale is paid
 * back exactly if the record contradicted it within its days, once, and the ledger says the same. The model is this file's;
 * the chain and the clock are the tests' own.
 */
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as fc from "fast-check"
import { RegistrationsPerDay } from "../../core/credits/Accounts.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import { usd } from "../../core/credits/Money.ts"
import type { Product } from "../../core/credits/Product.ts"
import { Purchases } from "../../core/credits/Purchases.ts"
import { release } from "../../core/credits/warranty/payments.ts"
import { Warranty } from "../../core/credits/warranty/Warranty.ts"
import { X402 } from "../../core/credits/x402/X402.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import { credits, grant, register } from "../support/credits.ts"
import { type Database, onBothEngines } from "../support/database.ts"
import { cutAt } from "../support/faults.ts"
import { encode } from "../support/payments.ts"
import { makeSettler, type PretendSettler, terms } from "../support/settler.ts"
import {
  close,
  exclude,
  type Reading,
  read,
  revise,
  rowOf,
  usualTerms,
  warranted
} from "../support/warranty.ts"
import { makeClock, type PretendClock } from "./traffic.ts"

// A campaign sets `RUNS`; the usual run stays short.
const numRuns = Number(process.env["RUNS"] ?? 8)
/** Histories of one database, after which a campaign says how far it is. */
const perDatabase = 250

const hour = 3_600_000
const day = 24 * hour
const pays = usd("0.245")
const perDay = usd("0.5")
const url = "https://shop.test"

const which = fc.nat(1)
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("sell" as const),
      which,
      way: fc.constantFrom("credits" as const, "credits" as const, "x402" as const)
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("revise" as const, "exclude" as const), which })
  },
  fc.record({ kind: fc.constant("pass" as const), hours: fc.constantFrom(1, 30, 400, 800) }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("close" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("run" as const),
      cut: fc.option(fc.nat(14), { nil: undefined, freq: 3 }),
      doubled: fc.boolean()
    })
  },
  fc.record({
    kind: fc.constantFrom("verify" as const, "final" as const, "release" as const)
  })
)
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

interface Sold {
  readonly id: string
  readonly which: number
  readonly value: number
  readonly at: number
  readonly covered: boolean
}

interface CurrentReading extends Reading {
  value: number
  excluded: boolean
}

const paymentRows = rowsOf({
  sale: Schema.String,
  amount: Schema.BigInt,
  state: Schema.String,
  released: Schema.Boolean,
  day: Schema.NullOr(Schema.String)
})
const postingRows = rowsOf({ reference: Schema.String, amount: Schema.BigInt })

let payload: ReadonlyArray<object> = []
let histories = 0
let values = 0
let closes = 0

const products: ReadonlyArray<Product> = [
  { key: "depin_provenance", build: () => Effect.sync(() => ({ rows: payload })) }
]

const history = Effect.fnUntraced(function* (
  steps: ReadonlyArray<Step>,
  {
    clock,
    paid,
    settler
  }: {
    readonly clock: PretendClock
    readonly settler: PretendSettler
    readonly paid: (sales: number) => void
  }
) {
  const sql = yield* SqlClient.SqlClient
  const purchases = yield* Purchases
  const x402 = yield* X402
  const { run: duty } = yield* Warranty
  const name = `H${++histories}`
  clock.pass(day)
  const account = yield* register(name)
  yield* grant(account.id, usd("50"), name)
  const buyer = yield* account.current
  const payer = `0x${histories.toString(16).padStart(40, "0")}`
  const now = yield* Clock.currentTimeMillis
  const readings = [0, 1].map(
    (n): CurrentReading => ({
      symbol: `${name}R${n}`,
      as_of: new Date(now),
      value: ++values,
      excluded: false
    })
  )
  for (const each of readings) yield* read(each, each.value)
  const sold: Array<Sold> = []
  const contradicted: Array<{ readonly which: number; readonly value: number; readonly at: number }> = []

  const sell = Effect.fnUntraced(function* (n: number, way: "credits" | "x402") {
    const reading = readings[n]
    if (reading === undefined || reading.excluded) return
    const at = yield* Clock.currentTimeMillis
    const { value } = reading
    payload = [rowOf(reading, value)]
    const covered = reading.as_of.getTime() >= at - 24 * hour
    if (way === "credits") {
      const bytes = yield* purchases.buy(buyer, { product_key: "depin_provenance" })
      const { purchase_id } = JSON.parse(new TextDecoder().decode(bytes)) as { purchase_id: string }
      sold.push({ id: purchase_id, which: n, value, at, covered })
      return
    }
    const offer = (yield* x402.list(url))[0]?.offer?.accepts[0]
    const header = encode({
      x402Version: 2,
      accepted: offer,
      payload: {
        signature: "0x00",
        authorization: {
          from: payer,
          to: terms.payTo,
          value: "490000",
          validAfter: "0",
          validBefore: String(Math.floor(at / 1000) + 300),
          nonce: `0x${(++values).toString(16).padStart(64, "0")}`
        }
      }
    })
    const { head } = yield* x402.pay("depin_provenance", url, { version: 2, header })
    sold.push({ id: head.purchase_id, which: n, value, at, covered })
  })

  const change = Effect.fnUntraced(function* (n: number, kind: "exclude" | "revise") {
    const reading = readings[n]
    if (reading === undefined || reading.excluded) return
    clock.pass(1000)
    const at = yield* Clock.currentTimeMillis
    contradicted.push({ which: n, value: reading.value, at })
    if (kind === "exclude") {
      yield* exclude(reading, new Date(at))
      reading.excluded = true
    } else {
      reading.value = ++values
      yield* revise(reading, reading.value, new Date(at))
    }
    clock.pass(1000)
  })

  const closeNow = Effect.flatMap(Clock.currentTimeMillis, (at) => close(++closes, new Date(at)))
  const verify = Effect.flatMap(
    Clock.currentTimeMillis,
    (at) => sql`insert into wallet (account, address, delegated, verified_at)
      values (${account.id}, ${payer}, false, ${new Date(at)}) on conflict do nothing`
  )
  const makeFinal = Effect.gen(function* () {
    for (const transaction of settler.moved.values()) settler.final.add(transaction)
    yield* x402.complete
  })
  const released = release(undefined, { operator: "test", reason: "goes on" })

  const act = (
    each: Step
  ): Effect.Effect<unknown, unknown, Effect.Services<typeof change> | SqlClient.SqlClient> => {
    switch (each.kind) {
      case "sell":
        return sell(each.which, each.way)
      case "revise":
      case "exclude":
        return change(each.which, each.kind)
      case "pass":
        return Effect.sync(() => clock.pass(each.hours * hour))
      case "close":
        return closeNow
      case "run":
        return Effect.all(
          [cutAt(each.cut)(duty), ...(each.doubled ? [duty] : [])].map((one) => Effect.exit(one)),
          { concurrency: "unbounded" }
        )
      case "verify":
        return verify
      case "final":
        return makeFinal
      case "release":
        return released
    }
  }
  for (const each of steps) {
    yield* act(each)
  }

  yield* Effect.all([closeNow, verify, makeFinal, duty], { discard: true })
  const paymentsOf = sql`
    select sale, amount, state, released_at is not null as released, to_char(paid_at at time zone 'UTC', 'YYYY-MM-DD') as day
    from warranty_payment where sale in ${sql.in(["none", ...sold.map(({ id }) => id)])}`.pipe(paymentRows)
  const before = yield* paymentsOf
  for (const ofDay of Map.groupBy(
    before.filter(({ released, state }) => state === "paid" && !released),
    ({ day }) => day
  ).values()) {
    assert.isAtMost(Number(ofDay.reduce((sum, { amount }) => sum + amount, 0n)), Number(perDay))
  }
  yield* Effect.all([released, duty, duty], { discard: true })

  const owed = sold.filter(
    ({ at, covered, value, which }) =>
      covered &&
      contradicted.some(
        (one) => one.which === which && one.value === value && one.at >= at && one.at <= at + 30 * day
      )
  )
  const names = owed.map(({ id }) => id).sort()
  const payments = yield* paymentsOf
  assert.deepStrictEqual(payments.map(({ sale }) => sale).sort(), names)
  assert.isTrue(payments.every(({ amount, state }) => state === "paid" && amount === pays))
  const booked = yield* sql`
    select p.reference, e.amount from posting p join ledger_entry e on e.posting = p.id
    where p.cause = 'warranty' and e.account = ${`credits:${account.id}`}
      and p.reference in ${sql.in(["none", ...sold.map(({ id }) => id)])}`.pipe(postingRows)
  assert.deepStrictEqual(booked.map(({ reference }) => reference).sort(), names)
  assert.isTrue(booked.every(({ amount }) => amount === pays))
  paid(owed.length)
})

/** Histories in new databases, so that the thousandth is made as fast as the first; how many sales were owed something. */
const batch = (database: Database, numRuns: number) => {
  const settler = makeSettler()
  const clock = makeClock()
  const warranties = Layer.provideMerge(
    Warranty.layer,
    credits(database, products, { settler: settler.settler })
  ).pipe(
    Layer.provideMerge(warranted({ ...usualTerms, perDay })),
    Layer.provide(Layer.succeed(RegistrationsPerDay, null))
  )
  return Effect.gen(function* () {
    const context = yield* Effect.context<Effect.Services<ReturnType<typeof history>>>()
    let owed = 0
    const paid = (sales: number) => {
      owed += sales
    }
    yield* Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 18 }), (steps) =>
          Effect.runPromiseWith(context)(clock.under(history(steps, { clock, settler, paid })))
        ),
        { numRuns, endOnFailure: true }
      )
    )
    assert.isAbove(owed, 0)
    assert.deepStrictEqual((yield* (yield* Ledger).check).problems, [])
    return owed
  }).pipe(Effect.provide(warranties))
}

onBothEngines("the warranty in any history", (database) => {
  it.live(
    "pays what the record contradicted, and nothing twice",
    () =>
      Effect.gen(function* () {
        let owed = 0
        for (let checked = 0; checked < numRuns; checked += perDatabase) {
          owed += yield* batch(database, Math.min(perDatabase, numRuns - checked))
          if (numRuns > perDatabase)
            yield* Effect.logInfo("histories", { checked: Math.min(checked + perDatabase, numRuns), owed })
        }
      }),
    60_000 + numRuns * 2000
  )
})
