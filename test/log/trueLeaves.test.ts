/** What stands in a batch is true: kinds, times and readings of its leaves, and its absences. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { absentOn } from "../../core/log/absences.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { bundle } from "../../core/log/record/bundle.ts"
import { checkLeavesOf } from "../../core/proof/batch.ts"
import { isBatch, parseEntry } from "../../core/proof/entry.ts"
import { parseAbsenceList, parseLeaf } from "../../core/proof/leaf.ts"
import { verifyBundle } from "../../core/proof/verifyBundle.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { Versions } from "../../core/readings/read/Versions.ts"
import { onBothEngines, postgres } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as Runs from "../support/runs.ts"

const at = (day: number, hour: number) => Date.UTC(2026, 8, day, hour)
const asOf = (day: number, hour: number) => new Date(at(day, hour)).toISOString().replace(".000Z", "Z")

/** A feed of one network with a family, and a second source of the same metric. */
const manifests = [
  {
    ...Runs.manifest,
    id: "family",
    source: "family_feed",
    covers: { networks: ["FIL"] },
    metrics: {
      nodes_online: Runs.manifest.metrics.nodes_online ?? assert.fail(),
      "nodes_country_*": { unit: "count" as const, meaning: "Nodes, by country.", of: ["DE", "FR"] }
    }
  },
  Runs.manifest
]

onBothEngines("a batch", (database) => {
  const services = DailyClose.layer.pipe(
    Layer.provideMerge(
      logged(
        database,
        at(25, 0),
        Layer.succeed(Feeds, Feeds.of({ manifests, states: Effect.succeed(new Map()) }))
      )
    )
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
          const memory = DailyClose.layer.pipe(Layer.provideMerge(Log.layer))
          return yield* Effect.provide(body, memory, { local: true })
        })
      )
    const read = Effect.fnUntraced(function* (
      time: number,
      rows: ReadonlyArray<ReturnType<typeof Runs.row>>,
      plugin?: string
    ) {
      yield* TestClock.setTime(time)
      yield* (yield* Ingest).write(Runs.delivery(time, rows, plugin))
    })
    const closeAt = (time: number) =>
      Effect.andThen(
        TestClock.setTime(time),
        Effect.flatMap(DailyClose, ({ run }) => run)
      )
    /** The leaves and the absences of a batch, after its checks. */
    const batchOf = Effect.fnUntraced(function* (day: number) {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ text: string; absent: string; entry: string }>`
        select l.text, b.absent, e.text as entry
        from batch b join leaf l on l.batch = b.id join log_entry e on e.place = b.log_index
        where b.day = ${`2026-09-${String(day).padStart(2, "0")}`}::date order by l.place`
      const leaves = rows.map(({ text }) => parseLeaf(text))
      const entry = parseEntry(rows[0]?.entry ?? "")
      if (!isBatch(entry)) return assert.fail("not a batch")
      checkLeavesOf(entry, leaves)
      return {
        entry,
        leaves: leaves.flatMap((leaf) => (leaf.kind === "absent" ? [] : [leaf])),
        absent: parseAbsenceList(rows[0]?.absent ?? "").map(
          ({ ended, metric, source, symbol }) =>
            `${symbol} ${metric} ${source}${ended === true ? " ended" : ""}`
        )
      }
    })
    const kinds = (day: number) =>
      Effect.map(batchOf(day), ({ leaves }) =>
        leaves.map((leaf) => [leaf.symbol, leaf.day.slice(-1), leaf.kind])
      )

    fresh(
      "that catches up after an outage says which rows were late, those of its own day among them",
      Effect.gen(function* () {
        yield* read(at(3, 12), [Runs.row(1, asOf(3, 10))])
        // Nothing ran until noon on the 5th; then the upstream's last two days were read.
        yield* read(at(5, 12), [
          Runs.row(2, asOf(3, 11), { symbol: "STORJ" }),
          Runs.row(3, asOf(4, 10)),
          Runs.row(4, asOf(5, 10))
        ])
        const closed = yield* closeAt(at(5, 12))
        assert.deepStrictEqual(
          closed.map(({ day, late }) => [day, late]),
          [
            ["2026-09-03", true],
            ["2026-09-04", true]
          ]
        )
        assert.deepStrictEqual(yield* kinds(3), [
          ["FIL", "3", "reading"],
          ["STORJ", "3", "late"]
        ])
        assert.deepStrictEqual(yield* kinds(4), [["FIL", "4", "late"]])
        yield* closeAt(at(6, 8))
        assert.deepStrictEqual(yield* kinds(5), [["FIL", "5", "reading"]])
      })
    )

    fresh(
      "calls a revision what was restated since the last version, and nothing else",
      Effect.gen(function* () {
        yield* read(at(4, 11), [Runs.row(1, asOf(4, 10)), Runs.row(1, asOf(4, 10), { symbol: "STORJ" })])
        // Restated before it was ever published.
        yield* read(at(4, 12), [Runs.row(2, asOf(4, 10)), Runs.row(2, asOf(4, 10), { symbol: "STORJ" })])
        yield* closeAt(at(5, 8))
        assert.deepStrictEqual(yield* kinds(4), [
          ["FIL", "4", "reading"],
          ["STORJ", "4", "reading"]
        ])
        yield* read(at(5, 12), [Runs.row(3, asOf(4, 11)), Runs.row(3, asOf(4, 10), { symbol: "STORJ" })])
        yield* closeAt(at(6, 8))
        assert.deepStrictEqual(yield* kinds(5), [
          ["FIL", "4", "late"],
          ["STORJ", "4", "revision"]
        ])
      })
    )

    fresh(
      "has the newest time at which a day was recorded, whatever arrived last",
      Effect.gen(function* () {
        const simulated = (time: number, value: number, hour: number) => {
          const { bodies, run } = Runs.delivery(time, [Runs.row(value, asOf(4, hour))])
          return Effect.flatMap(Ingest, ({ write }) =>
            write({ bodies, run: { ...run, simulated: true as const } })
          )
        }
        yield* TestClock.setTime(at(4, 20))
        yield* simulated(at(4, 18), 3, 18)
        yield* simulated(at(4, 10), 1, 10)
        yield* closeAt(at(5, 8))
        const [leaf] = (yield* batchOf(4)).leaves
        assert.deepInclude(leaf, {
          value: 3,
          as_of: asOf(4, 18),
          recorded_at: asOf(4, 18),
          n_observations: 2
        })
      })
    )

    const broken = {
      "was recorded before it was true": {
        change: "recorded_at = as_of - interval '6 minutes'",
        says: /must not be recorded more than 5 minutes before/
      },
      "counts readings that are not there": {
        change: "n_observations = 2",
        says: /it counts 2 readings, but 1 are stored/
      },
      "has another value than its last reading": { change: "value = 6", says: /its last reading is 5 at/ },
      "has no number": { change: "value = 'NaN'", says: /it says NaN/ }
    }
    for (const [name, { change, says }] of Object.entries(broken)) {
      fresh(
        `without an accepted leaf of a row that ${name}: an incident names it, and the close goes on`,
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* read(at(4, 12), [Runs.row(100, asOf(4, 10)), Runs.row(5, asOf(4, 10), { symbol: "STORJ" })])
          yield* sql.unsafe(
            `update daily set ${change} where series = (select id from series where symbol = 'STORJ'
              and metric = 'nodes_online' and source = 'test_feed')`
          )
          assert.strictEqual((yield* closeAt(at(5, 8))).length, 1)
          const { leaves } = yield* batchOf(4)
          const [incident, ...others] = yield* (yield* Incidents).list(true, 10)
          assert.deepStrictEqual(others, [])
          assert.deepInclude(incident, { kind: "automatic", symbol: "STORJ", metric: "nodes_online" })
          assert.match(incident?.reason ?? "", says)
          // Its readings are published as they are, under the incident.
          assert.deepStrictEqual(
            leaves.map(({ excluded_by, symbol, value }) => [symbol, value, excluded_by]),
            [
              ["FIL", 100, undefined],
              ["STORJ", 5, incident?.id]
            ]
          )
        })
      )
    }

    fresh(
      "lists absences by source, families by their members, each until its 14 days are over",
      Effect.gen(function* () {
        const family = { source: "family_feed" }
        yield* read(at(3, 12), [Runs.row(9, asOf(3, 10)), Runs.row(4, asOf(3, 10), { symbol: "STORJ" })])
        yield* read(
          at(3, 12),
          [
            Runs.row(8, asOf(3, 10), family),
            Runs.row(5, asOf(3, 10), { ...family, metric: "nodes_country_DE" })
          ],
          "family"
        )
        yield* closeAt(at(4, 8))
        // A country that was never read is expected by nobody, and a star is no series.
        assert.deepStrictEqual((yield* batchOf(3)).absent, [])
        yield* read(at(4, 12), [Runs.row(8, asOf(4, 10), family)], "family")
        yield* closeAt(at(5, 8))
        assert.deepStrictEqual((yield* batchOf(4)).absent, [
          "FIL nodes_country_DE family_feed",
          "FIL nodes_online test_feed",
          "STORJ nodes_online test_feed"
        ])
        // Late readings of a day are no absence of it undone, but the series goes on being expected.
        yield* read(at(16, 12), [Runs.row(4, asOf(6, 10), { symbol: "STORJ" })])
        yield* closeAt(at(22, 8))
        assert.deepStrictEqual((yield* batchOf(16)).absent.length, 4)
        assert.deepStrictEqual((yield* batchOf(17)).absent, [
          "FIL nodes_country_DE family_feed ended",
          "FIL nodes_online family_feed",
          "FIL nodes_online test_feed ended",
          "STORJ nodes_online test_feed"
        ])
        // What a manifest names outright is expected as long as its feed runs.
        assert.deepStrictEqual((yield* batchOf(20)).absent, [
          "FIL nodes_online family_feed",
          "STORJ nodes_online test_feed ended"
        ])
        assert.deepStrictEqual((yield* batchOf(21)).absent, ["FIL nodes_online family_feed"])
      })
    )

    fresh(
      "gives a bundle with the readings that its leaf was made of: restated ones as last told, later ones left out",
      Effect.gen(function* () {
        const params = { symbol: "FIL", metric: "nodes_online", date: "20260904", source: "test_feed" }
        yield* read(at(4, 10), [Runs.row(100, asOf(4, 8)), Runs.row(101, asOf(4, 9))])
        yield* read(at(4, 12), [Runs.row(102, asOf(4, 8))])
        yield* closeAt(at(5, 8))
        const readings = [`${asOf(4, 8)}|102`, `${asOf(4, 9)}|101`]
        assert.deepStrictEqual((yield* bundle(params)).readings, readings)
        // Stored now, published with the next batch.
        yield* read(at(5, 9), [Runs.row(103, asOf(4, 9)), Runs.row(104, asOf(4, 11))])
        // So that nothing is remembered.
        yield* (yield* Versions).changed("log")
        const file = yield* bundle(params)
        assert.deepStrictEqual(file.readings, readings)
        assert.deepStrictEqual(
          verifyBundle(file, { network: "bitcoin" }).checks.filter(({ ok }) => ok === false),
          []
        )
      })
    )

    fresh(
      "gives a bundle with the readings of an excluded leaf, and with its incident",
      Effect.gen(function* () {
        const incidents = yield* Incidents
        yield* read(at(4, 12), [Runs.row(100, asOf(4, 9)), Runs.row(7, asOf(4, 10), { symbol: "STORJ" })])
        const range = { symbol: "FIL", metric: "nodes_online", from: at(4, 0), to: at(5, 0) - 1 }
        const incident = yield* incidents.open(range, "a bad deploy")
        yield* closeAt(at(5, 8))
        const params = { symbol: "FIL", metric: "nodes_online", date: "20260904", source: "test_feed" }
        const file = yield* bundle(params)
        assert.deepInclude(file, {
          readings: [`${asOf(4, 9)}|100`],
          excluded: { incident, reason: "a bad deploy", opened_at: asOf(4, 12) }
        })
        const { checks } = verifyBundle(file, { network: "bitcoin" })
        assert.deepStrictEqual(
          checks.filter(({ ok }) => ok === false),
          []
        )
        assert.notProperty(yield* bundle({ ...params, symbol: "STORJ" }), "excluded")
      })
    )
  })
})

layer(postgres)((it) => {
  it.effect("a batch of more series than a statement looks at finds all that are absent", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into series (symbol, metric, source, plugin, tier, unit)
        select 'S' || n, 'nodes', 'feed', 'testnet', 'supply_telemetry', 'count' from generate_series(1, 11000) n`
      yield* sql`insert into batch (day, cut_off, claimed_by, claimed_until, closed_at, absent)
        values ('2026-09-03', now(), '', now(), now(), '[]'), ('2026-09-04', now(), '', now(), null, null)`
      yield* sql`insert into leaf (batch, series, day, incident, version, text, hash)
        select b.id, s.id, b.day, 0, 1, '', '' from batch b cross join series s
        where b.closed_at is not null or s.id % 1000 > 0`
      const [batch] = yield* sql<{ id: number }>`select id from batch where closed_at is null`
      const absent = yield* absentOn({ batch: batch?.id ?? 0, day: "2026-09-04" }, [], [])
      assert.strictEqual(absent.length, 11)
    })
  )

  it.effect("a batch does not list what ended on the day before, though its feed runs again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [ended, other] = ["ended", "other"].map((metric) => ({ symbol: "FIL", metric, source: "feed" }))
      if (ended === undefined || other === undefined) return assert.fail()
      const list = [{ ...ended, ended: true }, other]
      yield* sql`insert into batch (day, cut_off, claimed_by, claimed_until, closed_at, absent)
        values ('2026-10-03', now(), '', now(), now(), ${JSON.stringify(list.map(({ metric, source, symbol, ...rest }) => ({ ...rest, metric, source, symbol })))})`
      const absent = yield* absentOn({ batch: 0, day: "2026-10-04" }, [ended, other], [])
      assert.deepStrictEqual(absent, [other])
    })
  )
})
