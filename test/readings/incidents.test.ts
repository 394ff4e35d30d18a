import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { Versions } from "../../core/readings/read/Versions.ts"
import { onBothEngines } from "../support/database.ts"
import { attested, dueAt } from "../support/due.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 5, 12)
const at = (hour: number) => Date.UTC(2026, 8, 5, hour)

onBothEngines("incidents", (database) => {
  const services = Layer.mergeAll(Ingest.layer, Incidents.layer).pipe(
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Blobs.layerTable),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(noon)))),
    Layer.provideMerge(Runs.feeds),
    Layer.provideMerge(database)
  )

  layer(services)((it) => {
    const withReadings = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`truncate incident_event, exclusion, incident, revision, daily, latest, observation, reading_row, exchange, run, blob`
      yield* (yield* Current).reload
      yield* TestClock.setTime(noon)
      const ingest = yield* Ingest
      yield* ingest.write(
        Runs.delivery(noon, [Runs.row(100, "2026-09-05T08:00:00Z"), Runs.row(101, "2026-09-05T10:00:00Z")])
      )
      return { sql, ingest, incidents: yield* Incidents, current: yield* Current }
    })
    const days = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return yield* sql`select incident > 0 as excluded, version, value, n_observations as n from daily
        order by incident, version`
    })

    it.effect("are refused where they would hold nothing back", () =>
      Effect.gen(function* () {
        const { incidents } = yield* withReadings
        const range = { symbol: "FIL", metric: "nodes_online", from: at(9), to: at(11) }
        const refused = [
          { ...range, symbol: "FLI" },
          { ...range, metric: "node_online" },
          { ...range, source: "another" },
          { ...range, from: at(12) }
        ]
        for (const wrong of refused) {
          const error = yield* Effect.flip(incidents.open(wrong, "a slip"))
          assert.strictEqual(error._tag, "RangeEmpty")
        }
        assert.deepStrictEqual(yield* incidents.list(false, 10), [])
      })
    )

    it.effect("leave out a range: the reading before it is latest again, the excluded one is kept", () =>
      Effect.gen(function* () {
        const { current, incidents } = yield* withReadings
        yield* incidents.open(
          { symbol: "FIL", metric: "nodes_online", from: at(9), to: at(11) },
          "a bad deploy"
        )
        assert.deepStrictEqual(
          (yield* current.snapshot).rows.map(({ row }) => [row.value, row.as_of]),
          [[100, "2026-09-05T08:00:00Z"]]
        )
        assert.deepStrictEqual(yield* days, [
          { excluded: false, version: 1, value: 100, n: 1 },
          { excluded: true, version: 1, value: 101, n: 1 }
        ])
      })
    )

    it.effect("end: the readings are accepted again", () =>
      Effect.gen(function* () {
        const { current, incidents } = yield* withReadings
        const id = yield* incidents.open(
          { symbol: "FIL", metric: "nodes_online", from: at(9), to: at(11) },
          "x"
        )
        yield* incidents.close(id, "it was right")
        assert.deepStrictEqual(
          (yield* current.snapshot).rows.map(({ row }) => row.value),
          [101]
        )
        assert.deepStrictEqual(yield* days, [
          { excluded: false, version: 1, value: 101, n: 2 },
          { excluded: true, version: 1, value: 101, n: 0 }
        ])
        assert.strictEqual((yield* Effect.flip(incidents.close(id, "again")))._tag, "IncidentUnknown")
      })
    )

    it.effect("take a value out of the lists when none is left, and give a sealed day a new version", () =>
      Effect.gen(function* () {
        const { current, incidents, sql } = yield* withReadings
        yield* sql`update daily set sealed_by = 1`
        yield* incidents.open({ symbol: "FIL", metric: "nodes_online", from: at(0), to: at(23) }, "all wrong")
        assert.deepStrictEqual((yield* current.snapshot).rows, [])
        assert.deepStrictEqual(yield* days, [
          { excluded: false, version: 1, value: 101, n: 2 },
          { excluded: false, version: 2, value: 101, n: 0 },
          { excluded: true, version: 1, value: 101, n: 2 }
        ])
      })
    )

    it.effect("tell of a network that shows no value any more when its days move to another incident", () =>
      Effect.gen(function* () {
        const { incidents } = yield* withReadings
        const { cell } = yield* Versions
        const range = { symbol: "FIL", metric: "nodes_online", from: at(0), to: at(23) }
        const first = yield* incidents.open(range, "all wrong")
        yield* incidents.open(range, "wrong again")
        const before = cell({ symbol: "FIL" }).version(noon)
        yield* incidents.close(first, "the other one holds")
        assert.notStrictEqual(cell({ symbol: "FIL" }).version(noon), before)
      })
    )

    it.effect("exclude what is read while they are open", () =>
      Effect.gen(function* () {
        const { current, incidents, ingest } = yield* withReadings
        yield* incidents.open(
          { symbol: "FIL", metric: "nodes_online", from: at(11), to: at(23) },
          "maintenance"
        )
        const written = yield* ingest.write(Runs.delivery(noon, [Runs.row(55, "2026-09-05T11:30:00Z")]))
        assert.strictEqual(written.excluded, 1)
        assert.deepStrictEqual(
          (yield* current.snapshot).rows.map(({ row }) => row.value),
          [101]
        )
      })
    )

    it.effect("exclude the first and the last moment of their range, and not the ones beside it", () =>
      Effect.gen(function* () {
        const { incidents, ingest, sql } = yield* withReadings
        yield* incidents.open(
          { symbol: "FIL", metric: "nodes_online", from: at(10), to: at(11) },
          "maintenance"
        )
        // One reading was there when the incident was opened; the others come while it is open.
        yield* ingest.write(
          Runs.delivery(noon, [
            Runs.row(98, "2026-09-05T09:59:59.999Z"),
            Runs.row(2, "2026-09-05T11:00:00Z"),
            Runs.row(99, "2026-09-05T11:00:00.001Z")
          ])
        )
        const excluded = yield* sql<{ value: number }>`
          select o.value from exclusion e join observation o using (series, as_of, version) order by o.as_of`
        assert.deepStrictEqual(
          excluded.map(({ value }) => value),
          [101, 2]
        )
      })
    )

    it.effect("of a guard take up no day before the one they began on, which the log has said", () =>
      Effect.gen(function* () {
        const { incidents, ingest, sql } = yield* withReadings
        const range = { symbol: "FIL", metric: "nodes_online", source: "test_feed" }
        const hold = (time: number) => incidents.hold({ ...range, from: time, to: time }, "a test")
        const first = yield* hold(at(10))
        assert.strictEqual(yield* hold(at(8)), first)
        assert.strictEqual(yield* hold(at(30)), first)
        assert.notStrictEqual(yield* hold(at(-1)), first)
        // What a guard keeps out has incidents of its own, by the same rule.
        yield* ingest.write(Runs.delivery(noon, [Runs.row(-1, "2026-09-05T01:00:00Z")]))
        yield* ingest.write(Runs.delivery(noon, [Runs.row(-1, "2026-09-03T01:00:00Z")]))
        const begun = yield* sql<{ day: string }>`
          select (from_as_of at time zone 'UTC')::date::text as day from incident order by id`
        assert.deepStrictEqual(
          begun.map(({ day }) => day),
          ["2026-09-05", "2026-09-04", "2026-09-05", "2026-09-03"]
        )
      })
    )

    it.effect("end after their readings were dropped: the days stay as they were published", () =>
      Effect.gen(function* () {
        const { incidents, sql } = yield* withReadings
        const id = yield* incidents.open(
          { symbol: "FIL", metric: "nodes_online", from: at(9), to: at(11) },
          "a bad deploy"
        )
        const before = yield* days
        const later = Date.UTC(2027, 1, 1)
        yield* partitions.ensure(later)
        yield* partitions.dropBefore(dueAt(later), { attested, keepDays: 90 })
        yield* incidents.close(id, "too late to tell")
        assert.deepStrictEqual(yield* days, before)
        assert.deepStrictEqual(yield* sql`select value from latest`, [{ value: 100 }])
        yield* sql`delete from fact where name = 'observation_kept_from'`
        yield* partitions.ensure(noon)
      })
    )

    it.effect("leave a day that stands at none open to a reading of an earlier hour", () =>
      Effect.gen(function* () {
        const { incidents, ingest } = yield* withReadings
        yield* incidents.open({ symbol: "FIL", metric: "nodes_online", from: at(8), to: at(11) }, "all wrong")
        yield* ingest.write(Runs.delivery(noon, [Runs.row(99, "2026-09-05T07:00:00Z")]))
        assert.deepStrictEqual((yield* days)[0], { excluded: false, version: 1, value: 99, n: 1 })
      })
    )
  })
})
