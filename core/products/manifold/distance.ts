/**
 * The encoder API (`POST /v1/manifold/distance`): distances between symmetric positive definite matrices, given directly or
 * as the covariance of a network's metrics. Loaded on first use, because the library of matrices is large.
 */
import { Effect, Result } from "effect"
import { covariance, Matrix } from "ml-matrix"
import * as DataClock from "../../clock/DataClock.ts"
import { isoTime } from "../../plugin/Value.ts"
import { keyless } from "../../readings/read/Access.ts"
import { history } from "../../readings/read/history.ts"
import { declaredMetric, knownSymbol, wholeNumber } from "../../readings/read/parameters.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { type ManifoldDistance, type ManifoldRequest, most } from "../../wire/products/manifold.ts"
import { methodology } from "./methodology.ts"
import { affineInvariant, logEuclidean, type Spd, spdOf } from "./spd.ts"

type Point = ManifoldRequest["points"][number]

/** A covariance over fewer days is meaningless. */
const leastDays = (metrics: number): number => Math.max(10, 2 * metrics + 1)

const bad = (field: string, message: string) => new BadParameter({ field, message: `${field}: ${message}.` })

/** A valid point: its matrix, or the network and metrics to compute one from. */
type Checked =
  | { readonly spd: Spd }
  | { readonly symbol: string; readonly metrics: ReadonlyArray<string>; readonly days: number }

const checkPoint = Effect.fnUntraced(function* (field: string, { days, matrix, metrics, network }: Point) {
  if (matrix !== undefined) {
    if (network !== undefined || metrics !== undefined || days !== undefined) {
      return yield* bad(field, "a point must have either matrix or network, not both")
    }
    return yield* Result.match(spdOf(matrix), {
      onSuccess: (spd) => Effect.succeed<Checked>({ spd }),
      onFailure: (fault) => Effect.fail(bad(`${field}.matrix`, fault))
    })
  }
  if (network === undefined) return yield* bad(field, "a point must have matrix, or network with metrics")
  if (metrics === undefined || metrics.length === 0 || metrics.length > most.metrics) {
    return yield* bad(`${field}.metrics`, `network requires 1 to ${most.metrics} metrics`)
  }
  const symbol = yield* knownSymbol(`${field}.network`, network)
  for (const [n, metric] of metrics.entries()) {
    yield* declaredMetric(`${field}.metrics`, metric, [])
    if (metrics.indexOf(metric) < n) return yield* bad(`${field}.metrics`, `${metric} is listed twice`)
  }
  const checked: Checked = {
    symbol,
    metrics,
    days: yield* wholeNumber(`${field}.days`, days, { min: 10, max: most.days, fallback: most.days })
  }
  return checked
})

const dimensionOf = (point: Checked): number => ("spd" in point ? point.spd.dimension : point.metrics.length)

/** Validates the points. Fails with `BadParameter` and `UnknownSymbol`, which name the point. */
export const checkPoints = Effect.fn("Products.checkPoints")(function* ({ points }: ManifoldRequest) {
  if (points.length === 0 || points.length > most.points) {
    return yield* bad("points", `expected 1 to ${most.points} points, got ${points.length}`)
  }
  const checked = yield* Effect.forEach(points, (point, n) => checkPoint(`points.${n}`, point))
  const [first = 0, ...others] = checked.map(dimensionOf)
  const other = others.findIndex((dimension) => dimension !== first)
  if (other >= 0) {
    return yield* bad(
      `points.${other + 1}`,
      `it has dimension ${others[other]}, but points.0 has ${first}; all points must have the same dimension`
    )
  }
  return checked
})

interface Placed {
  readonly spd: Spd | undefined
  readonly withheld: string | null
  readonly network?: NonNullable<ManifoldDistance["points"][number]["network"]>
}

/** The covariance of a network's metrics, or why it is withheld. */
const measured = Effect.fnUntraced(function* (symbol: string, metrics: ReadonlyArray<string>, days: number) {
  const today = isoTime(yield* DataClock.now).slice(0, 10)
  const histories = yield* Effect.forEach(metrics, (metric) =>
    Effect.map(
      Effect.catchTag(
        history({ access: keyless, network: symbol, metric, days }),
        ["BadParameter", "UnknownSymbol"],
        Effect.die
      ),
      ({ data }) => [metric, data[symbol]?.[metric]] as const
    )
  )
  const days_of = histories.map(
    ([, series]) => new Map(series?.points.map(({ date, value }) => [date, value] as const))
  )
  const dates = [...(days_of[0]?.keys() ?? [])].filter(
    (date) => date < today && days_of.every((values) => values.has(date))
  )
  const rows = dates.map((date) => days_of.map((values) => values.get(date) ?? Number.NaN))
  const series = histories.flatMap(([metric, of]) => {
    if (of === undefined) return []
    const { as_of, points, source, unit, verify_url } = of
    const simulated = points.some((point) => point.simulated === true)
    return [{ metric, source, unit, verify_url, as_of, ...(simulated ? { simulated: true as const } : {}) }]
  })
  const withheld = (reason: string, matrix: ReadonlyArray<ReadonlyArray<number>> | null = null): Placed => ({
    spd: undefined,
    withheld: reason,
    network: { symbol, dates, series, covariance: matrix }
  })
  const least = leastDays(metrics.length)
  if (dates.length < least) {
    return withheld(
      `only ${dates.length} days have every metric; ${metrics.length} metrics need ${least} days`
    )
  }
  for (const [n, row] of rows.entries()) {
    const at = row.findIndex((value) => value <= 0)
    if (at >= 0) return withheld(`${metrics[at]} is ${row[at]} on ${dates[n]}; its logarithm is undefined`)
  }
  const matrix = covariance(new Matrix(rows.map((row) => row.map(Math.log)))).to2DArray()
  return Result.match(spdOf(matrix), {
    onFailure: (fault) => withheld(`the covariance is not a valid matrix: ${fault}`, matrix),
    onSuccess: (spd): Placed => ({
      spd,
      withheld: null,
      network: { symbol, dates, series, covariance: matrix }
    })
  })
})

/** A pair takes up to a millisecond, so yield to other requests between pairs. */
const apart = ([a, b]: readonly [readonly [number, Placed], readonly [number, Placed]]) => {
  const [{ spd: one }, { spd: other }] = [a[1], b[1]]
  const both = one === undefined || other === undefined ? undefined : ([one, other] as const)
  return Effect.as(Effect.yieldNow, {
    a: a[0],
    b: b[0],
    log_euclidean: both === undefined ? null : logEuclidean(...both),
    affine_invariant: both === undefined ? null : affineInvariant(...both)
  })
}

/** Embeddings and distances of validated points. */
export const distances = Effect.fn("Products.distances")(function* (checked: ReadonlyArray<Checked>) {
  const placed = yield* Effect.forEach(checked, (point) =>
    "spd" in point
      ? Effect.succeed<Placed>({ spd: point.spd, withheld: null })
      : measured(point.symbol, point.metrics, point.days)
  )
  const numbered = [...placed.entries()]
  const pairs = numbered.flatMap((a, n) => numbered.slice(n + 1).map((b) => [a, b] as const))
  const fields = [...new Set(checked.flatMap((point) => ("spd" in point ? [] : point.metrics)))]
  return {
    generated_utc: isoTime(yield* DataClock.now),
    dimension: checked[0] === undefined ? 0 : dimensionOf(checked[0]),
    points: placed.map(({ network, spd, withheld }, n) => ({
      index: n,
      ...(network === undefined ? {} : { network }),
      eigenvalues: spd?.eigenvalues ?? null,
      condition: spd?.condition ?? null,
      embedding: spd?.embedding ?? null,
      withheld
    })),
    distances: yield* Effect.forEach(pairs, apart),
    methodology: methodology(fields)
  } satisfies ManifoldDistance
})
