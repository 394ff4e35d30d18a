/**
 * Whatever interleaves and wherever it is cut, the ledger sums to zero, no balance is negative, each
 * charge has its payload, a refused purchase leaves no trace, each payment is credited once, and a retry is never a
 * second charge. PGlite is one session, so races happen on Postgres only; the cuts happen on both.
 */
import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Exit, Layer } from "effect"
import * as fc from "fast-check"
import { RegistrationsPerDay } from "../../core/credits/Accounts.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import type { Product } from "../../core/credits/Product.ts"
import { credits } from "../support/credits.ts"
import { onBothEngines } from "../support/database.ts"
import { cutAt } from "../support/faults.ts"
import { makeSettler, type PretendSettler } from "../support/settler.ts"
import * as Buyers from "./buyers.ts"
import * as Sales from "./sales.ts"
import { makeClock, type PretendClock } from "./traffic.ts"
import * as Transfers from "./transfers.ts"

// What was planted while this was written took up to 1,000 runs to find: `RUNS` makes a campaign of it.
const numRuns = Number(process.env["RUNS"] ?? 200)

const products: ReadonlyArray<Product> = [
  { key: "depin_provenance", build: ({ id }) => Effect.succeed({ id }) },
  { key: "depin_revenue_snapshot", build: () => Effect.succeed({ same: "for all" }) }
]

type Step =
  | { readonly of: "buyers"; readonly step: Buyers.Step }
  | { readonly of: "transfers"; readonly step: Transfers.Step }
  | { readonly of: "sales"; readonly step: Sales.Step }
  /** Minutes go by: leases, quotes and authorizations run out. */
  | { readonly of: "time"; readonly step: number }

/** The number of the statement before which a step is cut. */
const cut = fc.option(fc.nat(10), { nil: undefined, freq: 2 })

const kinds = {
  buyers: fc.record({ of: fc.constant("buyers" as const), step: Buyers.step }),
  transfers: fc.record({ of: fc.constant("transfers" as const), step: Transfers.step }),
  sales: fc.record({ of: fc.constant("sales" as const), step: Sales.step }),
  time: fc.record({ of: fc.constant("time" as const), step: fc.constantFrom(2, 2, 61) })
}

/** Up to four clients at once. A run of fewer kinds has more of each, and so more that meets. */
const mix = (...of: ReadonlyArray<"buyers" | "transfers" | "sales">) => {
  const step: fc.Arbitrary<Step> = fc.oneof(...of.map((kind) => ({ weight: 6, arbitrary: kinds[kind] })), {
    weight: 1,
    arbitrary: kinds.time
  })
  return fc.array(fc.array(fc.record({ step, cut }), { minLength: 1, maxLength: 8 }), {
    minLength: 1,
    maxLength: 4
  })
}

const clients = fc.oneof(
  mix("buyers"),
  mix("transfers"),
  mix("sales"),
  mix("buyers", "transfers"),
  mix("buyers", "sales"),
  mix("buyers", "transfers", "sales")
)

const mayAskAgain = ({ of, step }: Step): boolean =>
  of === "sales" ? step.kind === "pay" : of !== "time" && "key" in step && step.key !== undefined

let runs = 0

const run = Effect.fnUntraced(function* (
  lists: ReadonlyArray<ReadonlyArray<{ readonly step: Step; readonly cut: number | undefined }>>,
  outside: {
    readonly clock: PretendClock
    readonly chain: Transfers.PretendChain
    readonly settler: PretendSettler
  }
) {
  const { chain, clock, settler } = outside
  const name = `run${++runs}`
  clock.pass(61 * 60_000)
  yield* Effect.gen(function* () {
    const people = yield* Buyers.open(name)
    const of = { name, clock, accounts: Arr.map(people, ({ id }) => id) }
    const buyers = yield* Buyers.traffic(of, people)
    const has = (kind: Step["of"]) => lists.some((list) => list.some(({ step }) => step.of === kind))
    const transfers = has("transfers") ? yield* Transfers.traffic(of, chain) : undefined
    const sales = has("sales") ? yield* Sales.traffic(of, settler) : undefined

    const act = (each: Step): Effect.Effect<void, unknown> => {
      switch (each.of) {
        case "buyers":
          return buyers.act(each.step)
        case "transfers":
          return transfers?.act(each.step) ?? Effect.void
        case "sales":
          return sales?.act(each.step) ?? Effect.void
        case "time":
          return Effect.sync(() => clock.pass(each.step * 60_000))
      }
    }

    yield* Effect.forEach(
      lists,
      (list) =>
        Effect.forEach(list, ({ cut, step }) =>
          Effect.gen(function* () {
            const first = yield* Effect.exit(cutAt(cut)(act(step)))
            // A client that got no answer asks again, where it can do so without buying twice.
            if (Exit.hasDies(first) && mayAskAgain(step)) yield* Effect.exit(act(step))
          })
        ),
      { concurrency: "unbounded", discard: true }
    )
    yield* sales?.holds ?? Effect.void
    yield* transfers?.holds ?? Effect.void
    yield* buyers.holds
  }).pipe(clock.under)
})

onBothEngines("money", (database) => {
  const chain = Transfers.makeChain()
  const settler = makeSettler()
  const clock = makeClock()
  layer(
    credits(database, products, {
      cards: Buyers.processor,
      chain: chain.chain,
      settler: settler.settler
    }).pipe(Layer.provide(Layer.succeed(RegistrationsPerDay, null)))
  )((it) => {
    it.effect(
      "stays exact, whatever interleaves and wherever it is cut",
      () =>
        Effect.gen(function* () {
          const context = yield* Effect.context<Effect.Services<ReturnType<typeof run>>>()
          yield* Effect.promise(() =>
            fc.assert(
              fc.asyncProperty(clients, (lists) =>
                Effect.runPromiseWith(context)(run(lists, { chain, clock, settler }))
              ),
              { numRuns, endOnFailure: true }
            )
          )
          yield* Buyers.registered
          const report = yield* (yield* Ledger).check
          assert.deepStrictEqual(report.problems, [])
          assert.isTrue(report.ok)
        }),
      60_000 + numRuns * 600
    )
  })
})
