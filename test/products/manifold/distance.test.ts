/** The encoder API's computation: what is refused, and the covariance of a network's daily series. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { checkPoints, distances } from "../../../core/products/manifold/distance.ts"
import { ManifoldDistance, ManifoldRequest } from "../../../core/wire/products/manifold.ts"
import { day, noon, services, setSnapshot, storeDaily, storeSeries } from "../../support/views.ts"

const dateOf = (daysAgo: number) => new Date(noon - daysAgo * day).toISOString().slice(0, 10)

const ask = (points: ManifoldRequest["points"]) =>
  Effect.gen(function* () {
    const request = yield* Schema.decodeUnknownEffect(ManifoldRequest)({ points })
    const response = yield* distances(yield* checkPoints(request))
    return yield* Schema.decodeUnknownEffect(ManifoldDistance, { onExcessProperty: "error" })(response)
  })

const refused = (points: ManifoldRequest["points"]) =>
  Effect.map(Effect.flip(ask(points)), (error) => {
    assert(error._tag === "BadParameter" || error._tag === "UnknownSymbol", error._tag)
    return `${error.field} | ${error.message}`
  })

const identity = {
  matrix: [
    [1, 0],
    [0, 1]
  ]
}
const fil = { network: "FIL", metrics: ["nodes_online", "TOTAL_NODES"] }

/** Daily values of a metric of FIL, by how many days ago. */
const stored = Effect.fnUntraced(function* (metric: string, values: Readonly<Record<number, number>>) {
  yield* storeDaily(
    yield* storeSeries({ metric }),
    Object.entries(values).map(([ago, value]) => ({ date: dateOf(Number(ago)), value }))
  )
})

const fresh = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`truncate daily, series restart identity cascade`
  yield* setSnapshot()
  yield* TestClock.setTime(noon)
})

const over = (days: ReadonlyArray<number>, value: (ago: number) => number) =>
  Object.fromEntries(days.map((ago) => [ago, value(ago)]))
const days = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

layer(services)("points", (it) => {
  it.effect("that are no points are refused with what is wrong", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [ManifoldRequest["points"], RegExp]> = [
        [[], /^points \| points: expected 1 to 8 points, got 0\.$/],
        [Array.from({ length: 9 }, () => identity), /^points \| .* got 9/],
        [[{}], /^points\.0 \| points\.0: a point must have matrix, or network with metrics\.$/],
        [[identity, { ...fil, ...identity }], /^points\.1 \| .*not both/],
        [[identity, { matrix: [[1, 2]] }], /^points\.1\.matrix \| .*not square/],
        [[identity, { matrix: [[1]] }], /^points\.1 \| .*dimension 1, but points\.0 has 2/],
        [[{ network: "FIL" }], /^points\.0\.metrics \| .*1 to 8 metrics/],
        [[{ ...fil, metrics: Array.from({ length: 9 }, () => "nodes_online") }], /1 to 8 metrics/],
        [[{ ...fil, metrics: ["nodes_online", "nodes_online"] }], /^points\.0\.metrics \| .*listed twice/],
        [[{ ...fil, metrics: ["moon_phase"] }], /^points\.0\.metrics \| .*"moon_phase"/],
        [[{ ...fil, network: "FILX" }], /^points\.0\.network \| /],
        [[{ ...fil, days: 9 }], /^points\.0\.days \| .*10 to 30/],
        [[{ ...fil, days: 31 }], /^points\.0\.days \| .*10 to 30/]
      ]
      for (const [points, pattern] of cases) assert.match(yield* refused(points), pattern)
    })
  )

  it.effect("of a network are the covariance of the logarithms over the days that every metric has", () =>
    Effect.gen(function* () {
      yield* fresh
      // ln of one is -1 or 1 by turns, of the other 2 or -2 in pairs; today and days with one of them do not count.
      const online = (ago: number) => Math.exp(ago % 2 === 0 ? 1 : -1)
      const total = (ago: number) => Math.exp(Math.floor(ago / 2) % 2 === 0 ? 2 : -2)
      yield* stored("nodes_online", over([0, ...days(1, 12), 20], online))
      yield* stored("TOTAL_NODES", over([0, ...days(1, 12), 21, 22], total))
      const { dimension, distances: pairs, methodology, points } = yield* ask([fil, identity])
      const [measured, supplied] = points
      assert.strictEqual(dimension, 2)
      assert.deepStrictEqual(
        measured?.network?.dates,
        days(1, 12)
          .map(dateOf)
          .sort((a, b) => (a < b ? -1 : 1))
      )
      assert.deepStrictEqual(
        measured?.network?.series.map(({ metric, source }) => [metric, source]),
        [
          ["nodes_online", "feed_a"],
          ["TOTAL_NODES", "feed_a"]
        ]
      )
      // 12 days: mean 0 and 0, sums of squares 12 and 48, of products 0.
      const [[a = 0, b = 0] = [], [, c = 0] = []] = measured?.network?.covariance ?? []
      assert.closeTo(a, 12 / 11, 1e-12)
      assert.closeTo(b, 0, 1e-12)
      assert.closeTo(c, 48 / 11, 1e-12)
      const logs = [Math.log(12 / 11), 0, Math.log(48 / 11)]
      for (const [i, value] of logs.entries()) assert.closeTo(measured?.embedding?.[i] ?? 9, value, 1e-12)
      for (const [i, value] of [0, 0, 0].entries())
        assert.closeTo(supplied?.embedding?.[i] ?? 9, value, 1e-12)
      assert.isUndefined(supplied?.network)
      assert.closeTo(pairs[0]?.log_euclidean ?? 0, Math.hypot(...logs), 1e-12)
      assert.closeTo(pairs[0]?.affine_invariant ?? 0, Math.hypot(...logs), 1e-12)
      assert.deepStrictEqual(methodology.fields, fil.metrics)

      const fewer = yield* ask([{ ...fil, days: 10 }])
      // Ten days with today, which has no reading yet.
      assert.lengthOf(fewer.points[0]?.network?.dates ?? [], 9)
    })
  )

  it.effect("are withheld with a reason where the measurements give none", () =>
    Effect.gen(function* () {
      const reason = Effect.fnUntraced(function* (
        online: Readonly<Record<number, number>>,
        total: Readonly<Record<number, number>>
      ) {
        yield* fresh
        yield* stored("nodes_online", online)
        yield* stored("TOTAL_NODES", total)
        const { distances: pairs, points } = yield* ask([fil, identity])
        assert.deepInclude(points[0], { embedding: null, eigenvalues: null, condition: null })
        assert.deepStrictEqual(pairs, [{ a: 0, b: 1, log_euclidean: null, affine_invariant: null }])
        return points[0]?.withheld ?? ""
      })
      const wild = (ago: number) => 100 + ((ago * 7919) % 31)
      const calm = over(days(0, 12), wild)
      assert.match(yield* reason({}, {}), /^only 0 days have every metric; 2 metrics need 10 days$/)
      assert.match(yield* reason(over(days(0, 9), wild), calm), /^only 9 days have every metric/)
      // Every second day has one metric only: nothing stands in for the other.
      const gaps = days(1, 18).filter((ago) => ago % 2 === 0)
      assert.match(yield* reason(over(gaps, wild), over(days(0, 18), wild)), /^only 9 days have every metric/)
      assert.match(
        yield* reason(calm, { ...calm, 4: 0 }),
        new RegExp(`^TOTAL_NODES is 0 on ${dateOf(4)}; its logarithm is undefined$`)
      )
      assert.match(
        yield* reason(
          calm,
          over(days(0, 12), () => 5)
        ),
        /not positive definite/
      )
      assert.match(yield* reason(calm, calm), /not positive definite/)
    })
  )

  it.effect("of the most metrics need two days for each and one more", () =>
    Effect.gen(function* () {
      yield* fresh
      const one = yield* ask([{ network: "FIL", metrics: ["price_usd"] }])
      assert.match(one.points[0]?.withheld ?? "", /1 metrics need 10 days$/)
      assert.deepStrictEqual(one.points[0]?.network?.series, [])
      const four = yield* ask([
        { network: "FIL", metrics: [...fil.metrics, "price_usd", "fees_24h_usd", "ais_vessels_tracked"] }
      ])
      assert.match(four.points[0]?.withheld ?? "", /5 metrics need 11 days$/)
    })
  )
})
