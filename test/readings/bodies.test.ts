import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Latch, Layer, Option } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { isoTime } from "../../core/plugin/Value.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { removeOld } from "../../core/readings/ingest/bodies.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { removing } from "../../core/readings/ingest/runs/bodyLock.ts"
import { Current } from "../../core/readings/read/Current.ts"
import * as blobFiles from "../../runtime/database/blobFiles.ts"
import * as Databases from "../support/database.ts"
import { attested, dueAt } from "../support/due.ts"
import * as Runs from "../support/runs.ts"

const day = 86_400_000
const noon = Date.UTC(2026, 8, 5, 12)

const feeds = Layer.succeed(
  Feeds,
  Feeds.of({
    manifests: [Runs.manifest, { ...Runs.manifest, id: "positions", keep: 3 }],
    states: Effect.succeed(new Map())
  })
)

const files = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-blobs-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    ),
    blobFiles.layer
  )
)

const suites = [
  ["in the table on Postgres", Databases.postgres, Blobs.layerTable],
  ["in files beside PGlite", Databases.pglite, files]
] as const

for (const [name, database, blobs] of suites) {
  describe(`bodies ${name}`, () => {
    const services = Ingest.layer.pipe(
      Layer.provideMerge(Current.layer),
      Layer.provideMerge(blobs),
      Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(noon)))),
      Layer.provideMerge(feeds),
      Layer.provideMerge(database)
    )
    layer(services)((it) => {
      it.effect("go when their plugin's days are over and no younger exchange names them", () =>
        Effect.gen(function* () {
          yield* TestClock.setTime(noon)
          const ingest = yield* Ingest
          const sql = yield* SqlClient.SqlClient
          const blobs = yield* Blobs
          const ingestRun = (plugin: string, value: number, at: number) => {
            const delivery = Runs.delivery(at, [Runs.row(value, isoTime(at))], plugin)
            return Effect.as(ingest.write(delivery), delivery.run.exchanges[0]?.sha256 ?? "")
          }
          const alone = yield* ingestRun("positions", 101, noon)
          const repeated = yield* ingestRun("positions", 102, noon)
          yield* ingestRun("positions", 102, noon + 2 * day)
          const shared = yield* ingestRun("positions", 103, noon)
          yield* ingestRun("testnet", 103, noon)
          const slow = yield* ingestRun("testnet", 104, noon)
          const there = Effect.forEach([alone, repeated, shared, slow], (sha256) =>
            Effect.map(blobs.get(sha256), Option.isSome)
          )
          // The rows of a run go with its bodies. The other feed has none: the series are not its own.
          const rows = Effect.gen(function* () {
            const runs = yield* sql<{ sha256: string }>`
              select rows_sha256 as sha256 from run where outcome = 'stored' order by id`
            return (yield* blobs.stored(runs.map(({ sha256 }) => sha256))).size
          })
          assert.strictEqual(yield* rows, 4)

          assert.strictEqual(yield* removeOld(dueAt(noon + 3 * day), { attested, keepDays: 90 }), 0)
          assert.deepStrictEqual(yield* there, [true, true, true, true])
          assert.strictEqual(yield* removeOld(dueAt(noon + 3 * day + 1), { attested, keepDays: 90 }), 1 + 3)
          assert.strictEqual(yield* rows, 1)
          assert.deepStrictEqual(yield* there, [false, true, true, true])
          assert.strictEqual(yield* removeOld(dueAt(noon + 5 * day + 1), { attested, keepDays: 90 }), 1 + 1)
          assert.strictEqual(yield* rows, 0)
          assert.deepStrictEqual(yield* there, [false, false, true, true])
          assert.strictEqual(yield* removeOld(dueAt(noon + 90 * day + 1), { attested, keepDays: 90 }), 2)
          assert.deepStrictEqual(yield* there, [false, false, false, false])
          assert.deepStrictEqual(yield* sql`select count(*)::int as n from exchange`, [{ n: 6 }])
        })
      )

      it.effect("stay for a run that comes while they are removed", () =>
        Effect.gen(function* () {
          const ingest = yield* Ingest
          const blobs = yield* Blobs
          for (const [n, moment] of ["before the run begins", "once its bodies are stored"].entries()) {
            const at = noon + n * 1000
            const { run, bodies } = Runs.delivery(at, [Runs.row(105 + n, isoTime(at))])
            const [[sha256, body] = assert.fail("no body")] = [...bodies]
            yield* blobs.put(sha256, body)
            const stored = yield* Latch.make(false)
            const removed = yield* Latch.make(false)
            // A run whose bodies are stored, and which goes on to its transaction after a removal.
            const slow = Blobs.of({
              ...blobs,
              put: (hash, bytes) =>
                Effect.andThen(blobs.put(hash, bytes), Effect.andThen(stored.open, removed.await))
            })
            const removal = blobs.remove([sha256]).pipe(removing, Effect.andThen(removed.open))
            const write =
              n === 0
                ? Effect.andThen(removal, ingest.write({ run, bodies }))
                : Effect.all(
                    [
                      Effect.provide(
                        Effect.flatMap(Ingest, (slowed) => slowed.write({ run, bodies })),
                        Layer.fresh(Ingest.layer).pipe(Layer.provide(Layer.succeed(Blobs, slow)))
                      ),
                      Effect.andThen(stored.await, removal)
                    ],
                    { concurrency: 2, discard: true }
                  )
            yield* write
            assert.deepStrictEqual(yield* blobs.stored([sha256]), new Set([sha256]), moment)
          }
        })
      )
    })
  })
}
