import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { IncidentLog } from "../../core/log/IncidentLog.ts"
import { Log } from "../../core/log/Log.ts"
import { document } from "../../core/log/record/files.ts"
import { incidents } from "../../core/log/record/incidents.ts"
import { isBatch, type LogEntry, parseEntry } from "../../core/proof/entry.ts"
import { parseLeaf } from "../../core/proof/leaf.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { endless } from "../../core/readings/ingest/write/exclusions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { excludedBy } from "../../core/readings/read/excluded.ts"
import { IncidentsResponse } from "../../core/wire/log/incidents.ts"
import { onBothEngines } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 5, 12)
const minutes = (n: number) => noon + n * 60_000
const fil = { symbol: "FIL", metric: "nodes_online" }

onBothEngines("the incident log", (database) => {
  const services = Layer.mergeAll(DailyClose.layer, IncidentLog.layer).pipe(
    Layer.provideMerge(logged(database, noon))
  )

  layer(services)((it) => {
    /** Services whose memory is as empty as the tables. */
    const fresh = <A, E>(name: string, body: Effect.Effect<A, E, Layer.Success<typeof services>>) =>
      it.effect(name, () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`truncate anchor, anchor_failure, checkpoint, cosignature, document, log_entry, tree_level, leaf, batch, incident_event,
            exclusion, incident, revision, daily, latest, observation, reading_row, exchange, run, blob, fact restart identity`
          yield* (yield* Current).reload
          yield* TestClock.setTime(noon)
          const memory = Layer.mergeAll(DailyClose.layer, IncidentLog.layer).pipe(
            Layer.provideMerge(Log.layer)
          )
          return yield* Effect.provide(body, memory, { local: true })
        })
      )
    const entries = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ text: string }>`select text from log_entry order by place`
      return rows.map(({ text }) => parseEntry(text))
    })
    const kindOf = (entry: LogEntry) => (isBatch(entry) ? "batch" : `${entry.kind} ${entry.subject}`)
    const heads = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return (yield* sql`select 1 from checkpoint`).length
    })
    /** A reading of Filecoin, and one so much lower that it is held back. */
    const fall = Effect.gen(function* () {
      const ingest = yield* Ingest
      yield* ingest.write(Runs.delivery(noon, [Runs.row(1000, "2026-09-05T10:00:00Z")]))
      yield* ingest.write(Runs.delivery(noon, [Runs.row(1, "2026-09-05T11:00:00Z")]))
    })

    fresh(
      "gathers what happens in ten minutes into one head",
      Effect.gen(function* () {
        const log = yield* IncidentLog
        const { close, open } = yield* Incidents
        assert.strictEqual(yield* log.run, 0)
        yield* fall
        assert.strictEqual(yield* log.run, 1)
        yield* TestClock.setTime(minutes(1))
        const id = yield* open({ ...fil, from: Date.UTC(2026, 8, 1), to: endless }, "a bad deploy")
        yield* TestClock.setTime(minutes(9))
        yield* close(id, "it was right")
        assert.strictEqual(yield* log.run, 0)
        assert.strictEqual(yield* heads, 1)
        yield* TestClock.setTime(minutes(10))
        assert.strictEqual(yield* log.run, 1)
        assert.deepStrictEqual((yield* entries).map(kindOf), ["incidents 1-1", "incidents 2-3"])
        assert.strictEqual(yield* heads, 2)
        assert.strictEqual((yield* (yield* Log).signed).size, 2)
      })
    )

    fresh(
      "says the range of an automatic incident when it closes",
      Effect.gen(function* () {
        const log = yield* IncidentLog
        yield* fall
        yield* log.run
        yield* TestClock.setTime(minutes(30))
        yield* (yield* Ingest).write(Runs.delivery(minutes(30), [Runs.row(1.4, "2026-09-05T12:30:00Z")]))
        yield* (yield* Incidents).close(1, "it was right")
        yield* log.run
        const documents = yield* Effect.forEach(yield* entries, (entry) =>
          isBatch(entry) ? Effect.die("a batch") : Effect.map(document(entry.sha256), ({ body }) => body)
        )
        const about = {
          ...fil,
          incident: 1,
          kind: "automatic",
          reason: "1 is a fall of more than 90 % from 1000, the last accepted value",
          source: "test_feed"
        }
        assert.deepStrictEqual(
          documents.map((body) => JSON.parse(body)),
          [
            {
              v: "service-incidents-v1",
              events: [
                {
                  ...about,
                  n: 1,
                  event: "opened",
                  from: "2026-09-05T11:00:00Z",
                  at: "2026-09-05T12:00:00Z"
                }
              ]
            },
            {
              v: "service-incidents-v1",
              events: [
                {
                  ...about,
                  n: 2,
                  event: "closed",
                  from: "2026-09-05T11:00:00Z",
                  to: "2026-09-05T12:30:00Z",
                  at: "2026-09-05T12:30:00Z",
                  note: "it was right"
                }
              ]
            }
          ]
        )
      })
    )

    fresh(
      "has whatever a leaf is excluded by, in an entry before that of the batch",
      Effect.gen(function* () {
        yield* fall
        yield* TestClock.setTime(Date.UTC(2026, 8, 6, 8))
        yield* (yield* DailyClose).run
        const all = yield* entries
        assert.deepStrictEqual(all.map(kindOf), ["incidents 1-1", "batch"])
        const sql = yield* SqlClient.SqlClient
        const texts = yield* sql<{ text: string }>`select text from leaf where incident > 0`
        const [leaf] = texts.map(({ text }) => parseLeaf(text))
        assert.include(leaf, { kind: "reading", excluded_by: 1 })
        // The batch is found where it is, after the entry of the incident.
        assert.deepStrictEqual(yield* sql`select log_index from batch`, [{ log_index: 1 }])
        assert.strictEqual(yield* heads, 1)
        assert.strictEqual(yield* (yield* IncidentLog).run, 0)
      })
    )

    fresh(
      "is public: each incident with its range, its reason, and where it is in the log",
      Effect.gen(function* () {
        const { close, open } = yield* Incidents
        yield* fall
        yield* (yield* Ingest).write(
          Runs.delivery(noon, [Runs.row(5, "2026-09-05T11:00:00Z", { symbol: "STORJ" })])
        )
        const range = { metric: fil.metric, from: Date.UTC(2026, 8, 5), to: endless }
        yield* close(yield* open({ ...range, symbol: "STORJ", to: noon }, "maintenance"), "over")
        yield* open({ ...range, symbol: "STORJ" }, "maintenance again")
        const before = yield* incidents()
        yield* Schema.decodeUnknownEffect(IncidentsResponse)(before)
        assert.deepStrictEqual(
          before.incidents.map(({ id, logged }) => [id, logged]),
          [3, 2, 1].map((id) => [id, {}])
        )
        yield* (yield* IncidentLog).run
        const [third, second, first] = (yield* incidents()).incidents
        const [entry] = yield* entries
        const sha256 = entry === undefined || isBatch(entry) ? "" : entry.sha256
        const { body } = yield* document(sha256)
        assert.strictEqual(createHash("sha256").update(body).digest("hex"), sha256)
        assert.deepStrictEqual(first, {
          ...fil,
          id: 1,
          kind: "automatic",
          source: "test_feed",
          from: "2026-09-05T11:00:00Z",
          reason: "1 is a fall of more than 90 % from 1000, the last accepted value",
          opened_at: "2026-09-05T12:00:00Z",
          logged: { opened: { n: 1, log_index: 0, sha256 } }
        })
        assert.deepStrictEqual(second, {
          ...fil,
          id: 2,
          kind: "manual",
          symbol: "STORJ",
          from: "2026-09-05T00:00:00Z",
          to: "2026-09-05T12:00:00Z",
          reason: "maintenance",
          opened_at: "2026-09-05T12:00:00Z",
          closed_at: "2026-09-05T12:00:00Z",
          note: "over",
          logged: { opened: { n: 2, log_index: 0, sha256 }, closed: { n: 3, log_index: 0, sha256 } }
        })
        // A range without an end says none.
        assert.isUndefined(third?.to)

        const ids = (params: Parameters<typeof incidents>[0]) =>
          Effect.map(incidents(params), (response) => response.incidents.map(({ id }) => id))
        assert.deepStrictEqual(yield* ids({ symbol: "storj" }), [3, 2])
        assert.deepStrictEqual(yield* ids({ open: "true" }), [3, 1])
        assert.deepStrictEqual(yield* ids({ open: "false" }), [2])
        assert.deepStrictEqual(yield* ids({ metric: "price_change_24h_pct" }), [])
        const page = yield* incidents({ limit: "2" })
        assert.strictEqual(page.next_cursor, "2")
        assert.deepStrictEqual(yield* ids({ cursor: page.next_cursor }), [1])
        for (const bad of [{ limit: "0" }, { cursor: "x" }, { open: "yes" }, { metric: "nope" }]) {
          assert.strictEqual((yield* Effect.flip(incidents(bad)))._tag, "BadParameter")
        }
      })
    )

    fresh(
      "answers for one value: by the reading it is, as it was published",
      Effect.gen(function* () {
        const incident = yield* Incidents
        yield* fall
        const sql = yield* SqlClient.SqlClient
        const [series] = yield* sql<{ id: number }>`
          select id from series where symbol = ${fil.symbol} and metric = ${fil.metric}`
        const as_of = "2026-09-05T10:00:00Z"
        const excludedNow = (of: { series: number; incident: number; as_of: Date; value: number }) =>
          Effect.map(
            sql<{ id: number; reason: string; opened_at: Date }>`select * from ${excludedBy(sql, {
              series: sql`${of.series}::int`,
              incident: sql`${of.incident}::int`,
              as_of: sql`${of.as_of}::timestamptz`,
              value: sql`${of.value}::float8`
            })} x`,
            ([row]) => row
          )
        const value = { series: series?.id ?? 0, incident: 0, as_of: new Date(as_of), value: 1000 }
        assert.isUndefined(yield* excludedNow(value))
        // The upstream restates the reading beyond what is likely: that version is held back, the published one is not.
        yield* (yield* Ingest).write(Runs.delivery(noon, [Runs.row(1, as_of)]))
        assert.isUndefined(yield* excludedNow(value))
        const id = yield* incident.open(
          { ...fil, from: Date.UTC(2026, 8, 5, 10), to: Date.UTC(2026, 8, 5, 10) },
          "a bad deploy"
        )
        assert.deepStrictEqual(yield* excludedNow(value), {
          id,
          reason: "a bad deploy",
          opened_at: new Date("2026-09-05T12:00:00Z")
        })
        // Of a day, what excludes its value counts, not what excludes another reading.
        assert.isUndefined(yield* excludedNow({ ...value, as_of: new Date("2026-09-05T09:00:00Z") }))
        yield* incident.close(id, "it was right")
        assert.isUndefined(yield* excludedNow(value))
        assert.strictEqual((yield* excludedNow({ ...value, incident: id }))?.id, id)
      })
    )
  })
})
