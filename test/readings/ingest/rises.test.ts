/** A value that jumps is stored with its reason and not served, until something or somebody confirms it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { notAttested } from "../../../core/log/read/notAttested.ts"
import { releaseSettledRises } from "../../../core/log/settledRises.ts"
import { neverFalls } from "../../../core/plugin/relations.ts"
import { isoTime } from "../../../core/plugin/Value.ts"
import { Feeds } from "../../../core/readings/Feeds.ts"
import { Blobs } from "../../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../../core/readings/ingest/partitions.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import { onBothEngines } from "../../support/database.ts"
import * as Runs from "../../support/runs.ts"

const noon = Date.UTC(2026, 8, 15, 12)
const day = 86_400_000
const closed = {
  cut_off: new Date(noon),
  claimed_by: "tests",
  claimed_until: new Date(noon),
  closed_at: new Date(noon)
}

/** The feed for tests, whose nodes another service counts as well. */
const feeds = Layer.succeed(
  Feeds,
  Feeds.of({
    manifests: [
      {
        ...Runs.manifest,
        sources: ["other_feed"],
        relations: [neverFalls("nodes_online")],
        agreesWith: [{ metric: "nodes_online", source: "other_feed", tolerance: 0.1, why: "the same nodes" }]
      }
    ],
    states: Effect.succeed(new Map())
  })
)

onBothEngines("a rise", (database) => {
  const services = Layer.mergeAll(Ingest.layer, Incidents.layer).pipe(
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Blobs.layerTable),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(noon)))),
    Layer.provideMerge(feeds),
    Layer.provideMerge(database)
  )

  layer(services)((it) => {
    /** Ten days of 1,000 nodes at noon, the last at `noon`. */
    const steady = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`truncate incident_event, exclusion, incident, revision, daily, latest, observation, exchange, run, blob`
      yield* (yield* Current).reload
      for (let back = 9; back >= 0; back--) yield* read(noon - back * day, 1000)
    })
    /** A run at a time. */
    const read = Effect.fnUntraced(function* (at: number, value: number, source = "test_feed") {
      yield* TestClock.setTime(at)
      return yield* (yield* Ingest).write(Runs.delivery(at, [Runs.row(value, isoTime(at), { source })]))
    })
    const served = Effect.gen(function* () {
      const { rows } = yield* (yield* Current).snapshot
      return rows.filter(({ row }) => row.source === "test_feed").map(({ row }) => row.value)
    })
    const open = Effect.gen(function* () {
      const incidents = yield* (yield* Incidents).list(true, 10)
      return incidents.map(({ reason }) => reason)
    })
    const minute = 60_000

    it.effect(
      "by a factor of 10 is not served, and a second run of the same source does not change that",
      () =>
        Effect.gen(function* () {
          yield* steady
          assert.strictEqual((yield* read(noon + minute, 10_000)).excluded, 1)
          assert.deepStrictEqual(yield* served, [1000])
          yield* read(noon + 2 * minute, 10_000)
          assert.deepStrictEqual(yield* served, [1000])
          assert.deepStrictEqual(yield* open, [
            "10000 is 10 times 1000, the last accepted value: about 10, as where the unit of the upstream has changed"
          ])
          yield* read(noon + 3 * minute, 1001)
          assert.deepStrictEqual(yield* served, [1001])
        })
    )

    it.effect("of each morning is served, and held where the same hour was never as high", () =>
      Effect.gen(function* () {
        yield* steady
        const hour = 3_600_000
        // Nights of 200 and mornings of 30,000 nodes: on the first of them a person closed the incident.
        for (let back = 8; back >= 1; back--) {
          yield* read(noon - back * day + 18 * hour, 200)
          yield* read(noon - (back - 1) * day - 3 * hour, 30_000 + back)
          for (const { id } of yield* (yield* Incidents).list(true, 10))
            yield* (yield* Incidents).close(id, "the sun is up")
        }
        yield* read(noon + 6 * hour, 200)
        for (const { id } of yield* (yield* Incidents).list(true, 10))
          yield* (yield* Incidents).close(id, "it is night")
        assert.deepStrictEqual(yield* served, [200])
        yield* read(noon + 21 * hour, 30_400)
        assert.deepStrictEqual(yield* open, [])
        assert.deepStrictEqual(yield* served, [30_400])
        yield* read(noon + 21 * hour + minute, 30_400_000)
        assert.deepStrictEqual(yield* served, [30_400])
        assert.lengthOf(yield* open, 1)
      })
    )

    it.effect("is not undone by a fall, where the manifest says that the figure never falls", () =>
      Effect.gen(function* () {
        yield* steady
        yield* read(noon + minute, 1001)
        assert.strictEqual((yield* read(noon + 2 * minute, 1000)).excluded, 1)
        assert.deepStrictEqual(yield* served, [1001])
        assert.match((yield* open)[0] ?? "", /^1000 is less than 1001,.* never falls$/)
      })
    )

    it.effect("on a day without another reading has no proof, because it is held", () =>
      Effect.gen(function* () {
        yield* steady
        yield* read(noon + day, 10_000)
        const valueName = { symbol: "FIL", metric: "nodes_online" }
        const head = { state: "served", size: 0 } as const
        const refusal = yield* Effect.flip(notAttested({ ...valueName, day: "2026-09-16" }, head))
        assert.deepInclude(refusal, { reason: "held" })
        assert.match(refusal.message, /waits for a review.*incident \d+ of \/v1\/incidents/)
        const today = yield* Effect.flip(notAttested({ ...valueName, day: "2026-09-15" }, head))
        assert.deepInclude(today, { reason: "not_closed" })
      })
    )

    it.effect("by less is served, with the reading before it, when a second run is nearer to it", () =>
      Effect.gen(function* () {
        yield* steady
        yield* read(noon + minute, 6000)
        assert.deepStrictEqual(yield* served, [1000])
        yield* read(noon + 2 * minute, 6100)
        assert.deepStrictEqual(yield* served, [6100])
        const [incident] = yield* (yield* Incidents).list(false, 1)
        assert.strictEqual(incident?.closing_note, "a second run read 6100, nearer to 6000 than to 1000")
        const sql = yield* SqlClient.SqlClient
        const [today] = yield* sql`select value, n_observations as n from daily
          where incident = 0 and day = '2026-09-15' order by version desc limit 1`
        assert.deepStrictEqual(today, { value: 6100, n: 3 })
      })
    )

    it.effect("is served at once where a declared second source says the same, and ends what was held", () =>
      Effect.gen(function* () {
        yield* steady
        yield* read(noon + minute, 50_000)
        assert.deepStrictEqual(yield* served, [1000])
        yield* read(noon + 2 * minute, 48_000, "other_feed")
        yield* read(noon + 3 * minute, 50_500)
        assert.deepStrictEqual(yield* served, [50_500])
        assert.deepStrictEqual(yield* open, [])
        const [incident] = yield* (yield* Incidents).list(false, 1)
        assert.strictEqual(incident?.closing_note, "other_feed says 48000, which agrees with 50500")
      })
    )

    it.effect("is served after three closed days on which nothing contradicted it, and says so", () =>
      Effect.gen(function* () {
        yield* steady
        const sql = yield* SqlClient.SqlClient
        yield* sql`delete from batch`
        const close = (n: number) =>
          sql`insert into batch ${sql.insert({ day: isoTime(noon + n * day).slice(0, 10), ...closed })}`
        for (const n of [0, 1, 2]) {
          yield* read(noon + n * day + minute, 20_000 + n)
          if (n < 2) yield* close(n)
        }
        assert.deepStrictEqual(yield* releaseSettledRises, [])
        assert.deepStrictEqual(yield* served, [1000])
        yield* close(2)
        assert.lengthOf(yield* releaseSettledRises, 1)
        assert.deepStrictEqual(yield* served, [20_002])
        const [incident] = yield* (yield* Incidents).list(false, 1)
        assert.match(incident?.closing_note ?? "", /three closed days.*nobody has confirmed/)
        yield* sql`delete from batch`
      })
    )

    it.effect("stays held where the days contradict each other, or the series went back", () =>
      Effect.gen(function* () {
        yield* steady
        const sql = yield* SqlClient.SqlClient
        yield* sql`delete from batch`
        for (const [n, value] of [20_000, 50_000, 20_000, 20_000].entries()) {
          yield* read(noon + n * day + minute, value)
          yield* sql`insert into batch ${sql.insert({ day: isoTime(noon + n * day).slice(0, 10), ...closed })}`
        }
        assert.deepStrictEqual(yield* releaseSettledRises, [])
        yield* sql`delete from batch`
      })
    )
  })
})
