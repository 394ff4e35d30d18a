/** The confirmations of feeds in the log: each change once, in its order, as a document that the monitor reads. */
import { createHash } from "node:crypto"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { IncidentLog } from "../../core/log/IncidentLog.ts"
import { Log } from "../../core/log/Log.ts"
import { document } from "../../core/log/record/files.ts"
import { besideLeaf } from "../../core/log/record/leafMarks.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { entryBytes, isBatch, type LogEntry, parseEntry } from "../../core/proof/entry.ts"
import { parseFeeds } from "../../core/proof/feeds.ts"
import { logPath } from "../../core/proof/fetched.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { confirm, FeedEvidence } from "../../core/readings/ingest/compare/confirmation.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { memoryOf } from "../../http/client/verifier/src/monitor/memory.ts"
import { firstState } from "../../http/client/verifier/src/monitor/state.ts"
import { checkUnit } from "../../http/client/verifier/src/monitor/units.ts"
import { onBothEngines } from "../support/database.ts"
import * as LogKeys from "../support/logKey.ts"
import { noHead } from "../support/noHead.ts"
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
        const first = Runs.delivery(noon, [Runs.row(1000, "2026-09-05T10:00:00Z")])
        yield* write(first)
        yield* write(Runs.delivery(noon, [Runs.row(1, "2026-09-05T11:00:00Z")]))
        assert.strictEqual(yield* log.run, 2)
        yield* TestClock.setTime(minutes(5))
        yield* confirm("testnet", "operator", "compared with its page")
        assert.strictEqual(yield* log.run, 0)
        yield* TestClock.setTime(minutes(10))
        assert.strictEqual(yield* log.run, 1)
        assert.strictEqual(yield* log.run, 0)
        const all = yield* entries
        assert.deepStrictEqual(
          all.map((entry) => (isBatch(entry) ? "batch" : `${entry.kind} ${entry.subject}`)),
          ["incidents 1-1", "feeds 1-2", "feeds 3-3"]
        )
        const about = { plugin: "testnet", code_hash: codeHash }
        assert.deepStrictEqual(parseFeeds(yield* bodyOf(all[1])), {
          v: "service-feeds-v1",
          feeds: [
            { n: 1, ...about, state: "unconfirmed", since: "2026-09-05T12:00:00Z" },
            {
              n: 2,
              ...about,
              state: "young",
              since: "2026-09-05T12:00:00Z",
              until: "2026-09-12T12:00:00Z",
              run: first.run.id,
              series: [{ metric: "nodes_online", source: "test_feed", symbol: "FIL" }]
            }
          ]
        })
        assert.deepStrictEqual(parseFeeds(yield* bodyOf(all[2])), {
          v: "service-feeds-v1",
          feeds: [
            {
              n: 3,
              ...about,
              state: "confirmed",
              since: "2026-09-05T12:05:00Z",
              how: "operator: compared with its page"
            }
          ]
        })
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`select n, log_index from feed_confirmation order by id`, [
          { n: 1, log_index: 1 },
          { n: 3, log_index: 2 }
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
            const memory = await memoryOf(source, state, {
              now: Date.parse(entry.recorded_at),
              head: noHead,
              own: { origin: state.origin, kids: new Set() }
            })
            return checkUnit(source, memory, entryBytes({ ...entry, sha256 }), 1, state)
          })
        }
        assert.deepStrictEqual((yield* look(body)).findings, [])
        const [finding] = (yield* look(body.replace('"n":1', '"n":3').replace('"n":2', '"n":4'))).findings
        assert.match(finding?.found ?? "", /subject is 1-2, but the document's is 3-4/)
      })
    )

    it.effect("mark the leaves that were recorded while they held, and no others", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [{ id = 0 } = {}] = yield* sql<{
          id: number
        }>`select id from series where metric = 'nodes_online'`
        const [at, later] = ["2026-09-05T12:05:00Z", "2026-09-13T12:00:00Z"]
        const marksAt = (recorded_at: string) =>
          Effect.map(
            besideLeaf(id, { as_of: recorded_at, day: recorded_at.slice(0, 10), recorded_at }),
            ({ marks = [] }) => marks.map(({ logged, mark }) => [mark, logged?.n])
          )
        assert.deepStrictEqual(yield* marksAt("2026-09-05T11:59:59Z"), [])
        assert.deepStrictEqual(yield* marksAt("2026-09-05T12:04:59Z"), [
          ["unconfirmed", 1],
          ["young", 2]
        ])
        assert.deepStrictEqual(yield* marksAt("2026-09-05T12:05:00Z"), [["young", 2]])
        assert.deepStrictEqual(yield* marksAt("2026-09-12T12:00:00Z"), [])
        const { held: reading } = yield* besideLeaf(id, { as_of: at, day: "2026-09-05", recorded_at: at })
        assert.deepInclude(reading, { value: 1, as_of: "2026-09-05T11:00:00Z" })
        assert.match(reading?.reason ?? "", /^1 is a fall of more than 90 % from 1000/)
        assert.deepStrictEqual(
          yield* besideLeaf(id, { as_of: later, day: "2026-09-13", recorded_at: later }),
          {}
        )
      })
    )

    it.effect("name two levels in doubt, and what decided between them", () =>
      Effect.gen(function* () {
        const { write } = yield* Ingest
        const log = yield* IncidentLog
        for (const n of [20, 21, 22, 23]) {
          yield* TestClock.setTime(minutes(n))
          yield* write(Runs.delivery(minutes(n), [Runs.row(10_000 + n, `2026-09-05T12:${n}:00Z`)]))
        }
        yield* TestClock.setTime(minutes(25))
        const sql = yield* SqlClient.SqlClient
        const [{ id = 0 } = {}] = yield* sql<{
          id: number
        }>`select id from series where metric = 'nodes_online'`
        assert.isTrue(yield* (yield* Incidents).decide(id))
        assert.isFalse(yield* (yield* Incidents).decide(id))
        yield* TestClock.setTime(minutes(40))
        assert.isAtLeast(yield* log.run, 1)
        const all = yield* entries
        const newest = all.findLast((entry) => !isBatch(entry) && entry.kind === "feeds")
        const { feeds } = parseFeeds(yield* bodyOf(newest))
        const series = [{ metric: "nodes_online", source: "test_feed", symbol: "FIL" }]
        assert.deepInclude(feeds[0], {
          n: 4,
          state: "level in doubt",
          since: "2026-09-05T12:23:00Z",
          series,
          levels: {
            before: { value: 1000, as_of: "2026-09-05T10:00:00Z" },
            after: { value: 10_023, as_of: "2026-09-05T12:23:00Z" }
          }
        })
        const marked = (recorded_at: string) =>
          Effect.map(
            besideLeaf(id, { as_of: recorded_at, day: recorded_at.slice(0, 10), recorded_at }),
            ({ marks = [] }) => marks.some(({ mark }) => mark === "level in doubt")
          )
        // Both levels, from the day on which the first was served last, until it is decided.
        assert.isTrue(yield* marked("2026-09-05T10:00:00Z"))
        assert.isTrue(yield* marked("2026-09-05T12:24:00Z"))
        assert.isFalse(yield* marked("2026-09-04T23:00:00Z"))
        assert.isFalse(yield* marked("2026-09-05T12:25:00Z"))
        assert.deepInclude(feeds[1], { n: 5, state: "level decided", how: "operator", series })
      })
    )
  })

  it("refuse a change that lacks what its state says, or that names a series and says nothing of it", () => {
    const change = { n: 1, plugin: "testnet", code_hash: codeHash, since: "2026-09-05T12:00:00Z" }
    const series = [{ metric: "m", source: "s", symbol: "FIL" }]
    const levels = {
      before: { value: 1, as_of: change.since },
      after: { value: 10, as_of: change.since }
    }
    const second = { plugin: "other", metric: "m", source: "t", value: 1, as_of: change.since }
    const compared = [{ ...series[0], value: 1, as_of: change.since, second, tolerance: 0.1 }]
    const read = (over: object) => () =>
      parseFeeds(canonical({ v: "service-feeds-v1", feeds: [{ ...change, ...over }] }))
    for (const good of [
      { state: "unconfirmed" },
      { state: "confirmed", how: "operator" },
      { state: "confirmed", how: "operator: compared with its page", series },
      { state: "confirmed", how: "second source", series, compared },
      { state: "young", until: change.since, series },
      { state: "level in doubt", series, levels },
      { state: "level decided", how: "operator", series }
    ])
      assert.doesNotThrow(read(good))
    for (const bad of [
      { state: "confirmed" },
      { state: "unconfirmed", how: "operator" },
      { state: "unconfirmed", series },
      { state: "confirmed", how: "second source", series },
      { state: "confirmed", how: "second source", series, compared: [{ ...compared[0], symbol: "STORJ" }] },
      { state: "confirmed", how: "operator", series, compared },
      { state: "confirmed", how: "operator", reason: "compared with its page" },
      { state: "young", series },
      { state: "young", until: change.since },
      { state: "young", until: change.since, series: [] },
      { state: "level in doubt", series },
      { state: "level decided", series }
    ])
      assert.throws(read(bad), undefined, undefined, JSON.stringify(bad))
  })
})
