/** Runs that are handed over together: what is wrong with one of them is not the others' loss. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { Intake } from "../../runtime/service/Intake.ts"
import { pglite } from "../support/database.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 5, 12)
const time = "2026-09-05T10:00:00Z"

const services = Layer.mergeAll(Ingest.layer, Intake.layer).pipe(
  Layer.provideMerge(Current.layer),
  Layer.provideMerge(Blobs.layerTable),
  Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(noon)))),
  Layer.provideMerge(Runs.feeds),
  Layer.provideMerge(pglite)
)

/** Lets what is under way outside of Effect come on. */
const tick = Effect.promise(() => new Promise<void>((done) => setTimeout(done, 0)))

describe("runs that are handed over together", () => {
  it.effect("are kept but for the one that the database refuses, which is a defect in the end", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const intake = yield* Intake
      const sql = yield* SqlClient.SqlClient
      yield* intake.connect(yield* Ingest)
      const [first, refused, last] = [
        Runs.delivery(noon, [Runs.row(1, time)]),
        Runs.delivery(noon, [Runs.row(2, time, { symbol: "STORJ" })]),
        Runs.delivery(noon, [Runs.row(3, time, { metric: "price_change_24h_pct", unit: "pct" })])
      ]
      const exchanges = refused.run.exchanges.map((exchange) => ({ ...exchange, url: "https://a\u0000" }))
      const delivering = yield* Effect.forkChild(
        Effect.exit(intake.deliver(first, { ...refused, run: { ...refused.run, exchanges } }, last))
      )
      while (delivering.pollUnsafe() === undefined) {
        yield* tick
        yield* TestClock.adjust("3 seconds")
      }
      assert.strictEqual((yield* Fiber.join(delivering))._tag, "Failure")
      assert.deepStrictEqual(yield* sql`select id, complete from run order by id`, [
        { id: first.run.id, complete: true },
        { id: last.run.id, complete: true }
      ])
    }).pipe(Effect.provide(services))
  )

  it.effect("are kept but for the one whose feed belongs to another process by now", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const intake = yield* Intake
      const sql = yield* SqlClient.SqlClient
      yield* intake.connect(yield* Ingest)
      yield* sql`insert into feed_owner values ('testnet', 2, 'this process', now())`
      const ownDelivery = { ...Runs.delivery(noon, [Runs.row(1, time)]), epoch: 2 }
      const over = { ...Runs.delivery(noon, [Runs.row(2, time, { symbol: "STORJ" })]), epoch: 1 }
      yield* intake.deliver(over, ownDelivery)
      assert.deepStrictEqual(yield* sql`select id from run`, [{ id: ownDelivery.run.id }])
    }).pipe(Effect.provide(services))
  )
})
