/** `as_known_at`: the answer of `/v1/history` as it was given at an earlier time, open days included. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { DailyClose } from "../../../core/log/DailyClose.ts"
import { Log } from "../../../core/log/Log.ts"
import { isoTime } from "../../../core/plugin/Value.ts"
import { Incidents } from "../../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../../core/readings/ingest/Ingest.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import { history } from "../../../core/readings/read/history.ts"
import { onBothEngines } from "../../support/database.ts"
import { logged } from "../../support/logged.ts"
import * as Runs from "../../support/runs.ts"
import { clearRecentDays, everything } from "../../support/views.ts"

const minute = 60_000
const hour = 60 * minute
const at = (day: number, hours: number) => Date.UTC(2026, 8, day, hours)
const about = { symbol: "FIL", metric: "nodes_online", source: "test_feed" }

const ask = (as_known_at?: string) => history({ access: everything, network: "FIL", days: 3650, as_known_at })

/** The series of an answer, without what only a rebuilt one says. */
const servedOf = (response: Effect.Success<ReturnType<typeof ask>>) => {
  const { rebuilt_dates: _, ...series } = response.data["FIL"]?.["nodes_online"] ?? {}
  return { ...series, ...(response.note === undefined ? {} : { left_out: response.note }) }
}

onBothEngines("as_known_at", (database) => {
  const services = DailyClose.layer.pipe(Layer.provideMerge(logged(database, at(5, 12))))

  layer(services)((it) => {
    const empty = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`truncate anchor, anchor_failure, checkpoint, cosignature, document, log_entry, tree_level, leaf, batch, exclusion, incident_event, incident, revision, daily,
        latest, observation, reading_row, exchange, run, blob, fact, series_standing, feed_confirmation`
      yield* (yield* Current).reload
      yield* clearRecentDays
    })
    const write = Effect.fnUntraced(function* (now: number, ...rows: Parameters<typeof Runs.delivery>[1]) {
      yield* TestClock.setTime(now)
      yield* (yield* Ingest).write(Runs.delivery(now, rows))
    })
    /** The point of 4 September and the days that were rebuilt. */
    const fourth = Effect.fnUntraced(function* (as_known_at: string) {
      const series = (yield* ask(as_known_at)).data["FIL"]?.["nodes_online"]
      const point = series?.points.find(({ date }) => date === "2026-09-04")
      return [point?.value, point?.n_observations, series?.rebuilt_dates]
    })

    it.effect("gives a day that was open then as it was then, and says that it was rebuilt", () =>
      Effect.gen(function* () {
        yield* empty
        yield* write(at(4, 11), Runs.row(889, "2026-09-04T10:00:00Z"))
        yield* write(at(4, 17), Runs.row(897, "2026-09-04T10:00:00Z"))
        yield* write(at(4, 20), Runs.row(900, "2026-09-04T19:00:00Z"))
        yield* TestClock.setTime(at(5, 12))
        yield* (yield* DailyClose).run
        const rebuilt = ["2026-09-04"]
        assert.deepStrictEqual(yield* fourth("2026-09-04T10:59:59.999Z"), [undefined, undefined, undefined])
        assert.deepStrictEqual(yield* fourth("2026-09-04T12:00:00Z"), [889, 1, rebuilt])
        assert.deepStrictEqual(yield* fourth("2026-09-04T18:00:00Z"), [897, 1, rebuilt])
        assert.deepStrictEqual(yield* fourth("2026-09-04T20:00:00Z"), [900, 2, undefined])
        assert.deepStrictEqual(yield* fourth("2026-09-05T12:00:00Z"), [900, 2, undefined])
      })
    )

    it.effect("excludes what was excluded then, and nothing else", () =>
      Effect.gen(function* () {
        yield* empty
        const incidents = yield* Incidents
        yield* write(at(4, 11), Runs.row(1, "2026-09-04T10:00:00Z"), Runs.row(2, "2026-09-04T11:00:00Z"))
        yield* TestClock.setTime(at(4, 13))
        const range = { ...about, from: at(4, 11), to: at(4, 12) }
        const incident = yield* incidents.open(range, "a bad deploy")
        yield* TestClock.setTime(at(4, 15))
        yield* incidents.close(incident, "checked")
        // Taken up later by an incident that was open already.
        yield* TestClock.setTime(at(4, 16))
        yield* incidents.hold({ ...about, from: at(4, 11), to: at(4, 11) }, "cannot be sealed")
        yield* TestClock.setTime(at(4, 18))
        yield* incidents.hold({ ...about, from: at(4, 10), to: at(4, 10) }, "cannot be sealed")
        const valueAt = (time: string) => Effect.map(fourth(`2026-09-04T${time}Z`), ([value]) => value)
        assert.strictEqual(yield* valueAt("12:59:59"), 2)
        assert.strictEqual(yield* valueAt("13:00:00"), 1)
        assert.strictEqual(yield* valueAt("14:59:59"), 1)
        assert.strictEqual(yield* valueAt("15:00:00"), 2)
        assert.strictEqual(yield* valueAt("17:00:00"), 1)
        assert.strictEqual(yield* valueAt("18:00:00"), undefined)
        const excluded = (yield* ask("2026-09-04T14:00:00Z")).data["FIL"]?.["nodes_online"]?.excluded_dates
        assert.deepStrictEqual(excluded, ["2026-09-04"])
      })
    )

    /** What may happen, each at a time of its own. */
    const reading = fc.record({
      kind: fc.constant("reading" as const),
      ago: fc.integer({ min: 0, max: 30 }),
      // A fall of more than 90 percent opens an automatic incident.
      value: fc.constantFrom(100, 120, 150, 3)
    })
    const event = fc.oneof(
      { weight: 5, arbitrary: reading },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("open" as const),
          ago: fc.integer({ min: 0, max: 30 }),
          width: fc.integer({ min: 0, max: 12 })
        })
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant("hold" as const), ago: fc.integer({ min: 0, max: 30 }) })
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("close" as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("day" as const) }) }
    )

    it.effect(
      "is what the service gave at that time, whatever happened since",
      () =>
        Effect.gen(function* () {
          const context = yield* Effect.context<Layer.Success<typeof services>>()
          const incidents = yield* Incidents
          const run = (events: ReadonlyArray<typeof event extends fc.Arbitrary<infer A> ? A : never>) =>
            Effect.gen(function* () {
              yield* empty
              const close = yield* Effect.provide(
                DailyClose,
                DailyClose.layer.pipe(Layer.provideMerge(Log.layer)),
                {
                  local: true
                }
              )
              let now = at(3, 9)
              const answers: Array<{ readonly time: number; readonly served: object }> = []
              for (const event of events) {
                now += 2 * hour
                yield* TestClock.setTime(now)
                const asOf = "ago" in event ? Math.max(now - event.ago * hour, at(2, 0)) : now
                switch (event.kind) {
                  case "reading":
                    yield* write(now, Runs.row(event.value, isoTime(asOf)))
                    break
                  case "open":
                    yield* incidents
                      .open({ ...about, from: asOf - event.width * hour, to: asOf }, "a test")
                      .pipe(Effect.ignore)
                    break
                  case "hold":
                    yield* incidents.hold({ ...about, from: asOf - hour, to: asOf }, "a test")
                    break
                  case "close": {
                    const [open] = yield* incidents.list(true, 1)
                    if (open !== undefined) yield* incidents.close(open.id, "a test")
                    break
                  }
                  case "day":
                    now += 24 * hour
                    yield* TestClock.setTime(now)
                    yield* close.run
                }
                answers.push({ time: now, served: servedOf(yield* ask()) })
              }
              yield* TestClock.setTime(now + hour)
              for (const { served, time } of answers) {
                for (const later of [0, hour]) {
                  assert.deepStrictEqual(servedOf(yield* ask(isoTime(time + later))), served)
                }
              }
            })
          yield* Effect.promise(() =>
            fc.assert(
              fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 14 }), (events) =>
                Effect.runPromiseWith(context)(run(events))
              ),
              { numRuns: 25 }
            )
          )
        }),
      60_000
    )
  })
})
