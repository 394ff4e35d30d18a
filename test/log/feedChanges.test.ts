/** The confirmations of feeds in the log: each change once, in its order, as a document that the monitor reads. */
import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { IncidentLog } from "../../core/log/IncidentLog.ts"
import { Log } from "../../core/log/Log.ts"
import { document } from "../../core/log/read/files.ts"
import { entryBytes, isBatch, type LogEntry, parseEntry } from "../../core/proof/entry.ts"
import { parseFeeds } from "../../core/proof/feeds.ts"
import { memoryOf } from "../../core/proof/monitor/memory.ts"
import { firstState } from "../../core/proof/monitor/state.ts"
import { checkUnit } from "../../core/proof/monitor/units.ts"
import { logPath } from "../../core/proof/remote.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { confirm, FeedEvidence } from "../../core/readings/ingest/confirmation.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { onBothEngines } from "../support/database.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 5, 12)
const minutes = (n: number) => noon + n * 60_000
const codeHash = "0".repeat(64)

const evidence = Layer.succeed(FeedEvidence, {
  hasCase: () => Effect.succeed(false),
  isShapeKept: () => Effect.succeed(false)
})

onBothEngines("the feeds in the log", (database) => {
  const services = IncidentLog.layer.pipe(
    Layer.provideMerge(Log.layer),
    Layer.provideMerge(Layer.mergeAll(Ingest.layer, Incidents.layer)),
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Blobs.layerTable),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(noon)))),
    Layer.provideMerge(Runs.feeds),
    Layer.provideMerge(LogKeys.layer()),
    Layer.provideMerge(evidence),
    Layer.provideMerge(database)
  )

  layer(services)((it) => {
    const entries = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ text: string }>`select text from log_entry order by place`
      return rows.map(({ text }) => parseEntry(text))
    })
    const bodyOf = (entry: LogEntry | undefined) =>
      entry === undefined || isBatch(entry)
        ? Effect.die("no document")
        : Effect.map(document(entry.sha256), ({ body }) => body)

    it.effect("say when a feed began and what confirmed it, gathered with the incidents of ten minutes", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        const log = yield* IncidentLog
        const { write } = yield* Ingest
        assert.strictEqual(yield* log.run, 0)
        yield* write(Runs.delivery(noon, [Runs.row(1000, "2026-09-05T10:00:00Z")]))
        yield* write(Runs.delivery(noon, [Runs.row(1, "2026-09-05T11:00:00Z")]))
        assert.strictEqual(yield* log.run, 2)
        yield* TestClock.setTime(minutes(5))
        yield* confirm("testnet", "operator")
        assert.strictEqual(yield* log.run, 0)
        yield* TestClock.setTime(minutes(10))
        assert.strictEqual(yield* log.run, 1)
        assert.strictEqual(yield* log.run, 0)
        const all = yield* entries
        assert.deepStrictEqual(
          all.map((entry) => (isBatch(entry) ? "batch" : `${entry.kind} ${entry.subject}`)),
          ["incidents 1-1", "feeds 1-1", "feeds 2-2"]
        )
        const about = { plugin: "testnet", code_hash: codeHash }
        assert.deepStrictEqual(parseFeeds(yield* bodyOf(all[1])), {
          v: "service-feeds-v1",
          feeds: [{ n: 1, ...about, state: "unconfirmed", since: "2026-09-05T12:00:00Z" }]
        })
        assert.deepStrictEqual(parseFeeds(yield* bodyOf(all[2])), {
          v: "service-feeds-v1",
          feeds: [{ n: 2, ...about, state: "confirmed", since: "2026-09-05T12:05:00Z", how: "operator" }]
        })
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`select n, log_index from feed_confirmation order by id`, [
          { n: 1, log_index: 1 },
          { n: 2, log_index: 2 }
        ])
      })
    )

    it.effect("are read by the monitor, which says where a document is not one", () =>
      Effect.gen(function* () {
        const entry = (yield* entries)[1]
        const body = yield* bodyOf(entry)
        if (entry === undefined || isBatch(entry)) return yield* Effect.die("no document")
        const state = firstState("log.example/plumbline", "", "2026-09-06T08:00:00Z")
        const look = (text: string) => {
          const sha256 = createHash("sha256").update(text).digest("hex")
          const source = {
            name: "the test",
            read: (path: string) =>
              Promise.resolve(
                path === `${logPath}/documents/${sha256}` ? new TextEncoder().encode(text) : undefined
              )
          }
          return Effect.promise(async () => {
            const memory = await memoryOf(source, state, Date.parse(entry.recorded_at))
            return checkUnit(source, memory, entryBytes({ ...entry, sha256 }), 1, state)
          })
        }
        assert.deepStrictEqual((yield* look(body)).findings, [])
        const [finding] = (yield* look(body.replace('"n":1', '"n":3'))).findings
        assert.match(finding?.found ?? "", /subject is 1-1, but the document's is 3-3/)
      })
    )
  })
})
