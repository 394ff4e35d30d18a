/** The list of findings and those of a week, of more findings than are read at once. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { judgedBatch } from "../../../core/readings/anomalies/Anomalies.ts"
import { anomalies } from "../../../core/readings/read/anomalies.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import { anomaliesByRule, anomaliesOfWeek } from "../../../core/readings/read/weekOfFindings.ts"
import { onBothEngines } from "../../support/database.ts"
import * as Runs from "../../support/runs.ts"

const [from, to] = ["2026-09-01", "2026-09-30"]
const nSeries = 700
const inWeek = 7 * nSeries

/**
 * A finding on each of 700 series and 30 days: `level` with a score in the thousands, and on the first three series of each day `flat`
 * with one of about 4. One more series is suppressed.
 */
const plant = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* TestClock.setTime(Date.UTC(2026, 9, 1, 9))
  yield* sql`insert into series (symbol, metric, source, plugin, tier, unit)
    select case when n % 2 = 0 then 'FIL' else 'STORJ' end, 'nodes_online', 'feed' || n, 'testnet', 'supply_telemetry', 'count'
    from generate_series(1, ${nSeries}::int) as n
    union all select 'AKT', 'market_cap_usd', 'akash_console', 'testnet', 'market', 'usd'`
  yield* sql`insert into daily (series, day, version, as_of, value, n_observations, verify_url, recorded_at, simulated)
    select s.id, d::date, 1, d, s.id, 1, 'https://stats.example.net/', d, false
    from series s, generate_series(${from}::date, ${to}::date, '1 day') as d`
  yield* sql`insert into anomaly (series, day, version, batch, rule, score, found, found_at)
    select d.series, d.day, 1, 1, case when n <= 3 then 'flat' else 'level' end,
      case when n <= 3 then 4 + n / 10.0 else 1000 + (n * 7919) % 4999 end,
      jsonb_build_object('before', jsonb_build_object('date', d.day - 1, 'value', 1), 'low', 1, 'high', 2, 'baseline_days', 9,
        'why', 'It moved.'), now()
    from (select *, row_number() over (partition by day order by series) as n from daily) d`
  yield* sql`insert into batch (day, cut_off, claimed_by, claimed_until, closed_at)
    values (${to}, now(), 'test', now(), now())`
  yield* sql`insert into fact (name, value) select ${judgedBatch}, max(id)::text from batch
    on conflict (name) do update set value = excluded.value`
})

onBothEngines("many unusual values", (database) => {
  const services = Layer.effectDiscard(Effect.orDie(plant)).pipe(
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Runs.feeds),
    Layer.provideMerge(database)
  )

  layer(services, { excludeTestServices: false })((it) => {
    it.effect("are paged by day and name, and selected by rule before they are counted", () =>
      Effect.gen(function* () {
        const keys: Array<string> = []
        let cursor: string | undefined
        do {
          const page = yield* anomalies({
            from: "2026-09-29",
            to,
            limit: 500,
            ...(cursor === undefined ? {} : { cursor })
          })
          keys.push(...page.anomalies.map(({ date, source, symbol }) => `${date} ${symbol} ${source}`))
          cursor = page.next_cursor
        } while (cursor !== undefined)
        assert.strictEqual(new Set(keys).size, 2 * nSeries)
        const newest = keys.slice(0, nSeries)
        const older = keys.slice(nSeries)
        assert.deepStrictEqual(newest, newest.toSorted())
        assert.deepStrictEqual(older, older.toSorted())
        assert.match(newest[0] ?? "", /^2026-09-30 FIL feed10$/)
        assert.isTrue(older.every((key) => key.startsWith("2026-09-29")))

        // Days with more findings than another order is made of: by day there is a page, and of one rule every order.
        assert.strictEqual((yield* anomalies({ from, to })).anomalies.length, 100)
        const all = yield* Effect.flip(anomalies({ from, to, sort: "-score" }))
        assert.include(all.message, "fewer days: these have more than 20000 findings")
        const flat = yield* anomalies({ from, to, rule: "flat", sort: "-score", limit: 500 })
        assert.strictEqual(flat.anomalies.length, 90)
        assert.strictEqual(flat.anomalies[0]?.score, 4.3)
        assert.isTrue(flat.anomalies.every(({ rule }) => rule === "flat"))
      })
    )

    it.effect("go on after a cursor as they do in memory, and refuse another list's", () =>
      Effect.gen(function* () {
        const { anomalies: first, next_cursor = "" } = yield* anomalies({ limit: 3 })
        const { anomalies: second } = yield* anomalies({ limit: 3, cursor: next_cursor })
        const six = yield* anomalies({ limit: 6 })
        assert.deepStrictEqual([...first, ...second], six.anomalies)
        const [day, key, sort] = JSON.parse(next_cursor)
        assert.strictEqual(day, to)
        // Its key does not begin with its day: no page of this list gave it.
        const foreign = yield* anomalies({ limit: 3, cursor: JSON.stringify([`${day}\u0000`, key, sort]) })
        assert.strictEqual(foreign.anomalies.length, 3)
        const none = yield* anomalies({ limit: 3, cursor: JSON.stringify([null, key, sort]) })
        assert.deepStrictEqual(none.anomalies, [])
        for (const cursor of ["FIL", JSON.stringify([day, key, "score"])])
          assert.include(
            (yield* Effect.flip(anomalies({ cursor }))).message,
            "cursor must be the next_cursor"
          )
      })
    )

    it.effect("are counted for the brief, which has the highest scores of its series", () =>
      Effect.gen(function* () {
        const names = Array.from({ length: nSeries }, (_, n) => ({
          symbol: (n + 1) % 2 === 0 ? "FIL" : "STORJ",
          metric: "nodes_online",
          source: `feed${n + 1}`
        }))
        const week = yield* anomaliesOfWeek("2026-09-24", to, names)
        assert.strictEqual(week?.n, inWeek)
        const scores = week?.largest.map(({ score }) => score) ?? []
        assert.strictEqual(scores.length, 1000)
        const expected = Array.from({ length: nSeries - 3 }, (_, n) => 1000 + (((n + 4) * 7919) % 4999))
          .flatMap((score) => Array.from({ length: 7 }, () => score))
          .toSorted((a, b) => b - a)
        assert.deepStrictEqual(scores, expected.slice(0, 1000))
        assert.strictEqual((yield* anomaliesOfWeek("2026-09-24", to, names.slice(0, 2)))?.n, 14)
        assert.strictEqual((yield* anomaliesOfWeek("2026-09-24", to, []))?.n, 0)
        assert.isUndefined(yield* anomaliesOfWeek("2026-09-23", "2026-09-29", names))
      })
    )

    it.effect("are counted by rule, so that no rule is hidden by the scores of another", () =>
      Effect.gen(function* () {
        const { rules, week } = yield* anomaliesByRule(20)
        assert.deepStrictEqual(week, { from: "2026-09-24", to })
        assert.deepStrictEqual(
          rules.map(({ largest, n, rule }) => [rule, n, largest.length]),
          [
            ["level", inWeek - 21, 20],
            ["flat", 21, 20]
          ]
        )
        const scores = rules.flatMap(({ largest }) => largest.map(({ score }) => score))
        assert.deepStrictEqual(scores.slice(20), [
          ...Array(7).fill(4.3),
          ...Array(7).fill(4.2),
          ...Array(6).fill(4.1)
        ])
      })
    )
  })
})
