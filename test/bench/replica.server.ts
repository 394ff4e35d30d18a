/**
 * A process of the service that follows others on a Postgres database; prints its port. Arguments: the database's address,
 * and how many runs to write, one every 100 ms; after each it prints the value that it wrote and when that was committed.
 */
import { Context, Effect, Layer, Redacted } from "effect"
import { isoTime } from "../../core/plugin/Value.ts"
import { Availability } from "../../core/process/Availability.ts"
import { Follower } from "../../core/readings/Follower.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Http } from "../../http/server.ts"
import { migrate } from "../../runtime/database/migrate.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { listening } from "../../runtime/service/following.ts"
import { bareService } from "../support/bareService.ts"
import * as Runs from "../support/runs.ts"

const [url = "", writes = "0"] = process.argv.slice(2)

const database = Layer.effectDiscard(Effect.andThen(migrate, partitions.ensure(Date.now()))).pipe(
  Layer.provideMerge(Postgres.layer(Redacted.make(url)))
)

const service = Layer.mergeAll(Follower.layer, Ingest.layer).pipe(
  Layer.provide([Availability.layer, Blobs.layerTable, Runs.feeds]),
  Layer.provideMerge(bareService(database))
)

const write = Effect.gen(function* () {
  const ingest = yield* Ingest
  for (let n = 1; n <= Number(writes); n++) {
    yield* Effect.sleep("100 millis")
    const now = Date.now()
    yield* ingest.write(Runs.delivery(now, [Runs.row(n, isoTime(now))]))
    console.log(`${n} ${Date.now()}`)
  }
})

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const built = yield* Layer.build(service)
      yield* Effect.forkScoped(Effect.provide(listening(Effect.void), built))
      console.log(Context.get(built, Http).port)
      process.stdin.once("data", () => Effect.runFork(Effect.provide(write, built)))
      return yield* Effect.never
    })
  )
)
