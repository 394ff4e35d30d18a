/** `/v1/diff`: what changed between two moments, and why. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { difference } from "../../core/log/record/difference.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { history } from "../../core/readings/read/history.ts"
import type { Difference } from "../../core/wire/data/difference.ts"
import { onBothEngines } from "../support/database.ts"
import {
  about,
  at,
  empty,
  emptyLog,
  playEvents,
  type RecordEvent,
  recordEvent,
  row,
  servicesOn,
  write
} from "../support/recordEvents.ts"
import { everything, sampled } from "../support/views.ts"

/** Every page. */
const between = Effect.fnUntraced(function* (
  params: {
    readonly from: number
    readonly to?: number
    readonly network?: string
    readonly metric?: string
  },
  limit = 500
) {
  const { from, metric, network = "FIL", to } = params
  const differences: Array<Difference> = []
  let cursor: string | undefined
  do {
    const page = yield* difference({
      access: everything,
      network,
      metric,
      from: isoTime(from),
      to: to === undefined ? undefined : isoTime(to),
      limit,
      cursor
    })
    differences.push(...page.differences)
    cursor = page.next_cursor
  } while (cursor !== undefined)
  return differences
})

/** The points of history as known at a time, by metric and day. */
const knownAt = Effect.fnUntraced(function* (time: number) {
  const { data } = yield* history({
    access: everything,
    network: "FIL,STORJ",
    days: 3650,
    as_known_at: isoTime(time)
  })
  return new Map(
    Object.entries(data).flatMap(([symbol, metrics]) =>
      Object.entries(metrics).flatMap(([metric, { points }]) =>
        points.map(
          ({ date, n_observations, value }) =>
            [`${symbol} ${metric} ${date}`, { value, n_observations }] as const
        )
      )
    )
  )
})

/** The values of `from`, with the differences applied to them. */
const applied = (initial: ReadonlyMap<string, unknown>, differences: ReadonlyArray<Difference>) => {
  const values = new Map<string, unknown>(initial)
  for (const { after, before, change, date, metric, symbol } of differences) {
    const key = `${symbol} ${metric} ${date}`
    const pointOf = (one: Difference["before"]) =>
      one && { value: one.value, n_observations: one.n_observations }
    assert.deepStrictEqual(values.get(key), pointOf(before), `${key} before`)
    assert.strictEqual(change, before === undefined ? "added" : after === undefined ? "withdrawn" : "revised")
    const later = pointOf(after)
    if (later === undefined) values.delete(key)
    else values.set(key, later)
  }
  return new Map([...values].toSorted())
}

onBothEngines("the difference between two publications", (database) => {
  const services = servicesOn(database)

  layer(services)((it) => {
    it.effect(
      "says what was added, revised and withdrawn, with the reason, what stands behind it and the proof",
      () =>
        Effect.gen(function* () {
          yield* empty
          const incidents = yield* Incidents
          yield* write(at(3, 11), row("nodes_online", 10, at(3, 10)), row("nodes_up", 7, at(3, 10)))
          yield* write(at(3, 12), row("price_usd", 4, at(3, 10)))
          yield* TestClock.setTime(at(4, 9))
          yield* (yield* emptyLog).run
          const from = at(4, 10)
          // A day that is open, one that the upstream restates, one that gains a late reading, and one that is held back.
          yield* write(at(4, 11), row("nodes_online", 11, at(4, 10)))
          yield* write(at(4, 12), row("nodes_up", 8, at(3, 10)))
          yield* write(at(4, 13), row("price_usd", 5, at(3, 20)))
          yield* TestClock.setTime(at(4, 14))
          const incident = yield* incidents.open({ ...about, from: at(3, 0), to: at(3, 23) }, "a test")
          const summaryOf = (all: ReadonlyArray<Difference>) =>
            all.map(({ after, before, change, date, metric, reasons }) => [
              metric,
              date,
              change,
              reasons.join(),
              before?.value,
              after?.value
            ])
          const differences = yield* between({ from })
          assert.deepStrictEqual(summaryOf(differences), [
            ["nodes_online", "2026-09-03", "withdrawn", "incident", 10, undefined],
            ["nodes_online", "2026-09-04", "added", "reading", undefined, 11],
            ["nodes_up", "2026-09-03", "revised", "revision", 7, 8],
            ["price_usd", "2026-09-03", "revised", "late", 4, 5]
          ])
          assert.deepStrictEqual(differences[0]?.incidents, [incident])
          assert.strictEqual(differences[2]?.revisions?.length, 1)
          assert.deepStrictEqual(
            differences.map(({ proof }) => proof?.includes("date=20260903&source=test_feed")),
            [true, undefined, true, true]
          )
          // What happened after the second moment is not in it.
          assert.deepStrictEqual(
            summaryOf(yield* between({ from, to: at(4, 11) })),
            summaryOf(differences.slice(1, 2))
          )
          assert.deepStrictEqual(yield* between({ from, to: from }), [])
          assert.deepStrictEqual(yield* between({ from, metric: "nodes_up" }), [differences[2]])
          assert.deepStrictEqual(yield* between({ from, network: "*", metric: "nodes_up" }), [differences[2]])
          yield* TestClock.setTime(at(4, 16))
          yield* incidents.close(incident, "checked")
          const again = yield* between({ from: at(4, 15) })
          assert.deepStrictEqual(summaryOf(again), [
            ["nodes_online", "2026-09-03", "added", "incident", undefined, 10]
          ])
          assert.deepStrictEqual(again[0]?.incidents, [incident])
        })
    )

    it.effect(
      "refuses moments that it cannot tell apart, and shows no more days than the access includes",
      () =>
        Effect.gen(function* () {
          yield* empty
          yield* write(at(3, 11), row("nodes_online", 10, at(3, 10)))
          yield* TestClock.setTime(at(5, 12))
          const refused = Effect.fnUntraced(function* (from: string, to?: string, cursor?: string) {
            const problem = yield* Effect.flip(
              difference({ access: everything, network: "FIL", from, to, cursor })
            )
            return "field" in problem ? problem.field : undefined
          })
          assert.strictEqual(yield* refused("2026-08-01T00:00:00Z"), "from")
          assert.strictEqual(yield* refused("2026-09-05T12:00:01Z"), "from")
          assert.strictEqual(yield* refused("2026-09-05T11:00:00Z", "2026-09-05T10:00:00Z"), "from")
          assert.strictEqual(yield* refused("2026-09-05T11:00:00Z", "tomorrow"), "to")
          assert.strictEqual(yield* refused("2026-09-05T11:00:00Z", undefined, "FIL!nodes_online"), "cursor")
          const params = { network: "FIL", from: "2026-09-03T00:00:00Z", to: "2026-09-05T00:00:00Z" }
          assert.strictEqual((yield* difference({ access: sampled, ...params })).differences.length, 1)
          yield* TestClock.setTime(at(33, 12))
          assert.deepStrictEqual((yield* difference({ access: sampled, ...params })).differences, [])
          assert.strictEqual((yield* difference({ access: everything, ...params })).differences.length, 1)
        })
    )

    it.effect("takes days whose readings are gone from their versions, and says so", () =>
      Effect.gen(function* () {
        yield* empty
        yield* write(at(3, 11), row("nodes_online", 10, at(3, 10)))
        yield* TestClock.setTime(at(4, 9))
        yield* (yield* emptyLog).run
        yield* write(at(4, 12), row("nodes_online", 12, at(3, 10)))
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into fact ${sql.insert({ name: "observation_kept_from", value: String(at(4, 0)) })}`
        yield* sql`delete from observation`
        const differences = yield* between({ from: at(4, 10) })
        assert.deepStrictEqual(
          differences.map(({ after, before, reasons, uncertain }) => [
            before?.value,
            after?.value,
            reasons,
            uncertain
          ]),
          [[10, 12, ["revision"], true]]
        )
      })
    )

    it.effect(
      "applied to the values known at the one moment gives those known at the other",
      () =>
        Effect.gen(function* () {
          const context = yield* Effect.context<Layer.Success<typeof services>>()
          const run = (all: ReadonlyArray<RecordEvent>, limit: number) =>
            Effect.gen(function* () {
              const times: Array<number> = []
              yield* playEvents(all, (now) => Effect.sync(() => times.push(now)))
              for (const [n, from] of times.entries()) {
                for (const to of [times[n + 1], times.at(-1)]) {
                  if (to === undefined) continue
                  const differences = yield* between({ from, to, network: "FIL,STORJ" }, limit)
                  assert.isTrue(differences.every(({ reasons }) => reasons.length > 0))
                  assert.deepStrictEqual(
                    applied(yield* knownAt(from), differences),
                    new Map([...(yield* knownAt(to))].toSorted())
                  )
                }
              }
            })
          yield* Effect.promise(() =>
            fc.assert(
              fc.asyncProperty(
                fc.array(recordEvent, { minLength: 2, maxLength: 8 }),
                fc.constantFrom(1, 3, 500),
                (all, limit) => Effect.runPromiseWith(context)(run(all, limit))
              ),
              { numRuns: 3 }
            )
          )
        }),
      60_000
    )
  })
})
