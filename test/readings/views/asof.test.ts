/** `/v1/asof` says row by row what `as_known_at` says of one time, whatever happened since. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { isoTime } from "../../../core/plugin/Value.ts"
import { Incidents } from "../../../core/readings/ingest/Incidents.ts"
import type { Access } from "../../../core/readings/read/Access.ts"
import { asKnownAt } from "../../../core/readings/read/asKnownAt.ts"
import { type AsofAnswer, asof } from "../../../core/readings/read/asof.ts"
import { history } from "../../../core/readings/read/history.ts"
import { listing } from "../../../core/readings/read/listing.ts"
import type { AsofRow } from "../../../core/wire/data/asof.ts"
import { readJoin } from "../../../http/request/joinRows.ts"
import { onBothEngines } from "../../support/database.ts"
import {
  about,
  at,
  empty,
  hour,
  playEvents,
  type RecordEvent,
  recordEvent,
  row,
  servicesOn,
  write
} from "../../support/recordEvents.ts"
import { clearRecentDays, everything } from "../../support/views.ts"

const symbols = ["FIL", "STORJ"]
const metrics = ["nodes_online", "nodes_up", "fees_24h_usd", "price_usd", "ohlcv_1h_close"]

const join = Effect.fnUntraced(function* (rows: ReadonlyArray<AsofRow>, access: Access = everything) {
  const read = readJoin({ form: "json", text: JSON.stringify({ rows }) })
  return "columns" in read ? yield* asof(read.columns, access) : yield* Effect.die(read.fault)
})

/** Value and time, or why there is none. */
const outcomeOf = (answer: AsofAnswer | undefined) =>
  answer === undefined ? undefined : "absent" in answer ? answer.absent : [answer.value, answer.as_of]

const endOfDay = (date: string) => `${date}T23:59:59.999Z`

onBothEngines("a point-in-time join", (database) => {
  const services = servicesOn(database)

  layer(services)((it) => {
    /** What `as_known_at` says of a series: the latest value of then, and its days. */
    const oneByOne = Effect.fnUntraced(function* (as_known_at: string, symbol: string, metric: string) {
      const { bySymbol } = yield* asKnownAt(
        as_known_at,
        Effect.map(listing, ({ bySymbol }) => ({ bySymbol }))
      )
      const latest = bySymbol.get(symbol)?.find(({ row }) => row.metric === metric)?.row
      const { data } = yield* history({ access: everything, network: symbol, days: 3650, as_known_at })
      return { latest, points: data[symbol]?.[metric]?.points ?? [] }
    })

    it.effect(
      "is as_known_at, one by one",
      () =>
        Effect.gen(function* () {
          const context = yield* Effect.context<Layer.Success<typeof services>>()
          const run = (all: ReadonlyArray<RecordEvent>) =>
            Effect.gen(function* () {
              const moments: Array<number> = []
              yield* playEvents(all, (now) =>
                Effect.sync(() => {
                  moments.push(now - 1, now)
                })
              )
              const days = Array.from({ length: 18 }, (_, n) => isoTime(at(2 + n, 0)).slice(0, 10))
              const times = days.map(endOfDay).filter((time) => Date.parse(time) < (moments.at(-1) ?? 0))
              const keys = moments.flatMap((moment) =>
                symbols.flatMap((symbol) =>
                  metrics.map((metric) => ({ as_known_at: isoTime(moment), symbol, metric }))
                )
              )
              const requested = keys.flatMap((key) => [key, ...times.map((time) => ({ ...key, at: time }))])
              // In an order of its own: rows do not depend on their neighbours.
              const rows = requested.toSorted((a, b) => a.metric.localeCompare(b.metric))
              const { answers } = yield* join(rows)
              const answerOf = new Map(rows.map((row, n) => [JSON.stringify(row), answers[n]]))
              for (const key of keys) {
                const knownTime = yield* Effect.orElseSucceed(
                  oneByOne(key.as_known_at, key.symbol, key.metric),
                  () => undefined
                )
                const newest = answerOf.get(JSON.stringify(key))
                const latest = knownTime?.latest
                if (latest === undefined) assert.property(newest, "absent", JSON.stringify(key))
                else {
                  const { as_of, source, unit, value, verify_url } = latest
                  assert.deepInclude(newest, { as_of, source, unit, value, verify_url }, JSON.stringify(key))
                }
                for (const time of times) {
                  const point = knownTime?.points.filter(({ date }) => endOfDay(date) <= time).at(-1)
                  const answer = answerOf.get(JSON.stringify({ ...key, at: time }))
                  if (point === undefined) assert.property(answer, "absent")
                  else {
                    assert.deepInclude(answer, { value: point.value }, JSON.stringify({ ...key, at: time }))
                    assert.strictEqual(
                      String(answer && "as_of" in answer ? answer.as_of : "").slice(0, 10),
                      point.date
                    )
                  }
                }
              }
            })
          yield* Effect.promise(() =>
            fc.assert(
              fc.asyncProperty(fc.array(recordEvent, { minLength: 1, maxLength: 8 }), (all) =>
                Effect.runPromiseWith(context)(run(all))
              ),
              { numRuns: 6 }
            )
          )
        }),
      60_000
    )

    it.effect("knows no reading, restatement or incident before its time", () =>
      Effect.gen(function* () {
        yield* empty
        yield* write(at(4, 11), row("nodes_online", 889, at(4, 10)))
        yield* write(at(4, 12), row("nodes_online", 895, at(4, 12)))
        yield* write(at(4, 17), row("nodes_online", 897, at(4, 10)))
        yield* TestClock.setTime(at(4, 18))
        yield* (yield* Incidents).open({ ...about, from: at(4, 12), to: at(4, 12) }, "a test")
        yield* TestClock.setTime(at(4, 20))
        const { metric, symbol } = about
        const { answers, head } = yield* join(
          [
            ["04T10:59:59"],
            ["04T11:00:00"],
            ["04T17:30:00"],
            ["04T17:30:00", "04T11:59:59"],
            ["04T16:59:59", "04T11:59:59"],
            ["04T17:30:00", "04T09:59:59"],
            ["04T18:00:00"]
          ].map(([knownTime, until]) => ({
            symbol,
            metric,
            as_known_at: `2026-09-${knownTime}Z`,
            ...(until === undefined ? {} : { at: `2026-09-${until}Z` })
          }))
        )
        const ten = "2026-09-04T10:00:00Z"
        assert.deepStrictEqual(answers.map(outcomeOf), [
          "not_measured",
          [889, ten],
          [895, "2026-09-04T12:00:00Z"],
          [897, ten],
          [889, ten],
          "not_measured",
          [897, ten]
        ])
        assert.deepInclude(answers[3], {
          version: 2,
          recorded_at: "2026-09-04T17:00:00Z",
          source: "test_feed"
        })
        assert.deepInclude(answers[4], { version: 1, recorded_at: "2026-09-04T11:00:00Z" })
        assert.deepInclude(head, { n_rows: 7, n_absent: 2 })
      })
    )

    it.effect("takes the source that answers, or the one that is named", () =>
      Effect.gen(function* () {
        yield* empty
        yield* write(at(4, 12), row("nodes_online", 7, at(4, 10)))
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          insert into series (symbol, metric, source, plugin, tier, unit)
          values ('FIL', 'nodes_online', 'other_feed', 'testnet', 'supply_telemetry', 'count')`
        yield* sql`
          insert into observation (series, as_of, version, value, recorded_at, run)
          select s.id, o.as_of + interval '1 hour', 1, 5, o.recorded_at, o.run from observation o, series s
          where s.source = 'other_feed'`
        yield* sql`
          insert into daily (series, day, incident, version, as_of, value, n_observations, verify_url, recorded_at, simulated)
          select s.id, d.day, 0, 1, d.as_of + interval '1 hour', 5, 1, d.verify_url, d.recorded_at, false
          from daily d, series s where s.source = 'other_feed'`
        yield* clearRecentDays
        const key = { symbol: "FIL", metric: "nodes_online", as_known_at: isoTime(at(4, 12)) }
        const { answers } = yield* join([
          key,
          { ...key, at: isoTime(at(4, 10)) },
          { ...key, source: "test_feed" }
        ])
        assert.deepStrictEqual(
          answers.map((answer) => ("source" in answer ? [answer.source, answer.value] : undefined)),
          [
            ["other_feed", 5],
            ["test_feed", 7],
            ["test_feed", 7]
          ]
        )
      })
    )

    it.effect("takes a value from before the readings that are kept from its day", () =>
      Effect.gen(function* () {
        yield* empty
        yield* write(at(1, 11), row("nodes_online", 3, at(1, 10)))
        yield* write(at(2, 11), row("nodes_online", 4, at(2, 10)))
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into fact ${sql.insert({ name: "observation_kept_from", value: String(at(3, 0)) })}`
        yield* sql`delete from observation`
        yield* write(at(4, 11), row("nodes_online", 5, at(4, 10)))
        const key = { symbol: "FIL", metric: "nodes_online", as_known_at: "2026-09-03T12:00:00Z" }
        const { answers } = yield* join([key, { ...key, as_known_at: "2026-09-04T11:00:00Z" }])
        assert.deepStrictEqual(answers.map(outcomeOf), [
          [4, "2026-09-02T10:00:00Z"],
          [5, "2026-09-04T10:00:00Z"]
        ])
        assert.notProperty(answers[0], "version")
        const early = yield* Effect.flip(join([key, { ...key, at: "2026-09-02T12:00:00Z" }]))
        assert.include(early, { field: "rows.1.at" })
      })
    )

    it.effect("shows networks by name, and no longer than the tier reaches", () =>
      Effect.gen(function* () {
        yield* empty
        for (const symbol of symbols) yield* write(at(4, 11), row("nodes_online", 5, at(4, 10), symbol))
        yield* TestClock.setTime(at(4, 12) + 40 * 24 * hour)
        const limited = { breadth: "sample", historyDays: 30, note: "a sample" } as const
        const of = (symbol: string, as_known_at: number) => ({
          symbol,
          metric: "nodes_online",
          as_known_at: isoTime(as_known_at)
        })
        const recent = at(4, 12) + 20 * 24 * hour
        const alone = yield* join([of("STORJ", recent), of("STORJ", at(5, 0))], limited)
        assert.deepStrictEqual(alone.answers.map(outcomeOf), [[5, "2026-09-04T10:00:00Z"], "not_shown"])
        const both = yield* join([of("FIL", recent), of("STORJ", recent)], limited)
        assert.strictEqual(both.head.n_absent, 0)
        const all = yield* join([of("FIL", at(5, 0)), of("STORJ", at(5, 0))])
        assert.strictEqual(all.head.n_absent, 0)
      })
    )
  })
})
