/** A value that jumps is stored with its reason and not served, until something or somebody confirms it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { notAttested } from "../../../core/log/record/notAttested.ts"
import { endOver, releaseSettled } from "../../../core/log/settled.ts"
import { neverFalls } from "../../../core/plugin/relations.ts"
import { isoTime } from "../../../core/plugin/Value.ts"
import { Feeds } from "../../../core/readings/Feeds.ts"
import { Blobs } from "../../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../../core/readings/ingest/partitions.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import { withheld } from "../../../core/readings/read/held.ts"
import { network } from "../../../core/readings/read/network.ts"
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
        relations: [neverFalls("nodes_online")],
        agreesWith: [{ metric: "nodes_online", source: "other_feed", tolerance: 0.1, why: "the same nodes" }]
      },
      { ...Runs.manifest, id: "other", source: "other_feed" }
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
      yield* sql`truncate series_standing, incident_event, exclusion, incident, revision, daily, latest, observation, reading_row, exchange, run, blob`
      yield* (yield* Current).reload
      for (let back = 9; back >= 0; back--) yield* read(noon - back * day, 1000)
    })
    /** A run at a time. */
    const read = Effect.fnUntraced(function* (at: number, value: number, source = "test_feed") {
      yield* TestClock.setTime(at)
      const plugin = source === "other_feed" ? "other" : "testnet"
      return yield* (yield* Ingest).write(
        Runs.delivery(at, [Runs.row(value, isoTime(at), { source })], plugin)
      )
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

    it.effect(
      "is served with the readings before it once three later runs gave it again, and is in doubt",
      () =>
        Effect.gen(function* () {
          yield* steady
          for (const [n, value] of [6000, 6100, 5900].entries()) yield* read(noon + (n + 1) * minute, value)
          assert.deepStrictEqual(yield* served, [1000])
          yield* read(noon + 4 * minute, 6200)
          assert.deepStrictEqual(yield* served, [6200])
          const [incident] = yield* (yield* Incidents).list(false, 1)
          assert.match(
            incident?.closing_note ?? "",
            /gave it again, the last one 6200: served, and in doubt beside 1000/
          )
          const sql = yield* SqlClient.SqlClient
          const [today] = yield* sql`select value, n_observations as n from daily
          where incident = 0 and day = '2026-09-15' order by version desc limit 1`
          assert.deepStrictEqual(today, { value: 6200, n: 5 })
          const doubt = { since: isoTime(noon + 4 * minute), before: 1000, after: 6200 }
          const doubts = Effect.map((yield* Current).snapshot, ({ rows }) =>
            rows.map(({ inDoubt, unconfirmed }) => [
              inDoubt && { since: inDoubt.since, before: inDoubt.before.value, after: inDoubt.after.value },
              unconfirmed
            ])
          )
          assert.deepStrictEqual(yield* doubts, [[doubt, true]])
          yield* read(noon + 5 * minute, 6200)
          assert.deepStrictEqual(yield* doubts, [[doubt, true]])
          yield* (yield* Current).reload
          assert.deepStrictEqual(yield* doubts, [[doubt, true]])
          // Another plugin says the same: nothing is in doubt any more.
          yield* read(noon + 6 * minute, 6300, "other_feed")
          yield* read(noon + 7 * minute, 6250)
          const own = yield* Effect.map((yield* Current).snapshot, ({ rows }) =>
            rows
              .filter(({ row }) => row.source === "test_feed")
              .map(({ inDoubt, unconfirmed }) => [inDoubt, unconfirmed])
          )
          assert.deepStrictEqual(own, [[undefined, false]])
        })
    )

    it.effect(
      "that was released wrongly is not the measure of what comes after it: the true value is served again",
      () =>
        Effect.gen(function* () {
          yield* steady
          const sql = yield* SqlClient.SqlClient
          // A day of fiftyfold values, and the true ones again.
          for (const n of [1, 2, 3, 4]) yield* read(noon + n * minute, 50_000 + n)
          assert.deepStrictEqual(yield* served, [50_004])
          for (const n of [5, 6, 7]) yield* read(noon + n * minute, 1000 + n)
          assert.deepStrictEqual(yield* served, [50_004])
          yield* read(noon + 8 * minute, 1008)
          assert.deepStrictEqual(yield* served, [1008])
          // The doubt names both levels, and is noted once.
          assert.lengthOf(yield* sql`select 1 from series_standing where state = 'level in doubt'`, 1)
        })
    )

    it.effect(
      "of a young series is held from the second reading on, up and down, and the true level comes back",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`truncate series_standing, incident_event, exclusion, incident, revision, daily, latest, observation, reading_row, exchange, run, blob`
          yield* (yield* Current).reload
          const hour = 3_600_000
          yield* read(noon, 901)
          yield* read(noon + hour, 90)
          assert.deepStrictEqual(yield* served, [901])
          yield* read(noon + 2 * hour, 9010)
          assert.deepStrictEqual(yield* served, [901])
          assert.lengthOf(yield* open, 2)
          // Four runs of the false level, then the true one again: held three times, then served and marked.
          for (const n of [3, 4, 5]) yield* read(noon + n * hour, 9010)
          assert.deepStrictEqual(yield* served, [9010])
          yield* read(noon + 6 * hour, 902)
          assert.deepStrictEqual(yield* served, [9010])
        })
    )

    it.effect("names its own reason beside the served value, whatever was held before it", () =>
      Effect.gen(function* () {
        yield* steady
        const current = yield* Current
        const readings = Effect.map(current.snapshot, ({ rows }) =>
          rows.map(({ held: reading }) => [reading?.value, reading?.reason])
        )
        assert.deepStrictEqual(yield* readings, [[undefined, undefined]])
        yield* read(noon + minute, 33_000_000)
        yield* read(noon + 2 * minute, 34_000_000)
        const reason = /^34000000 is 34,000 times 1000, the last accepted value$/
        assert.match(String((yield* readings)[0]?.[1]), reason)
        const [newest] = yield* withheld(10)
        assert.match(newest?.reason ?? "", reason)
        yield* current.reload
        assert.match(String((yield* readings)[0]?.[1]), reason)
        const [row] = yield* network("FIL")
        assert.deepInclude(row, { value: 1000 })
        assert.deepInclude(row?.held, {
          value: 34_000_000,
          since: isoTime(noon + minute),
          reason: newest?.reason ?? assert.fail()
        })
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
        // Never twice in a row within 1.5 of each other.
        for (const n of [0, 1, 2, 3, 4]) {
          yield* read(noon + n * day + minute, n % 2 === 0 ? 20_000 + n : 31_000)
          if (n < 4) yield* close(n)
        }
        assert.deepStrictEqual(yield* releaseSettled, [])
        assert.deepStrictEqual(yield* served, [1000])
        yield* close(4)
        assert.lengthOf(yield* releaseSettled, 1)
        assert.deepStrictEqual(yield* served, [20_004])
        const [, incident] = yield* (yield* Incidents).list(false, 2)
        assert.match(incident?.closing_note ?? "", /three closed days.*nobody has confirmed/)
        const { rows } = yield* (yield* Current).snapshot
        assert.deepInclude(rows[0]?.inDoubt?.before, { value: 1000 })
        assert.deepInclude(rows[0]?.inDoubt?.after, { value: 20_004 })
        yield* sql`delete from batch`
      })
    )

    it.effect(
      "is over once three later runs agree with the series before: nothing waits, and it stays held",
      () =>
        Effect.gen(function* () {
          yield* steady
          const current = yield* Current
          yield* read(noon + minute, 1_000_000)
          for (const n of [2, 3]) yield* read(noon + n * minute, 1000 + n)
          assert.deepStrictEqual(yield* endOver, [])
          assert.lengthOf(yield* withheld(10), 1)
          yield* read(noon + 4 * minute, 1004)
          assert.lengthOf(yield* endOver, 1)
          assert.deepStrictEqual(yield* endOver, [])
          assert.deepStrictEqual(yield* withheld(10), [])
          assert.isUndefined((yield* current.snapshot).rows[0]?.held)
          const sql = yield* SqlClient.SqlClient
          const days =
            yield* sql`select value from daily where incident = 0 and day = '2026-09-15' order by version desc limit 1`
          assert.deepStrictEqual(days, [{ value: 1004 }])
          // The next fault is another one.
          yield* read(noon + 5 * minute, 1_000_000)
          assert.lengthOf(yield* withheld(10), 1)
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
        assert.deepStrictEqual(yield* releaseSettled, [])
        yield* sql`delete from batch`
      })
    )
  })
})
