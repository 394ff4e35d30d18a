/** `depin_history`: daily snapshots per network and metric. */
import { Effect } from "effect"
import * as DataClock from "../../clock/DataClock.ts"
import { ReadyPayload } from "../../credits/payload.ts"
import { isoTime } from "../../plugin/Value.ts"
import { dateOf, lastDays } from "../../readings/read/days.ts"
import { declaredMetric, knownSymbol, wholeNumber } from "../../readings/read/parameters.ts"
import { RecentDays, recentDays } from "../../readings/read/RecentDays.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { sold } from "../build.ts"
import { columns, headline } from "../shared/columns.ts"
import { ofHistory } from "../shared/coverage.ts"
import definition, { type DepinHistory } from "./definition.ts"
import { methodologyOf } from "./methodology.ts"
import { closedWindow, defaultDays, everySeries, whole } from "./whole.ts"

const textOf = (field: string, value: unknown) =>
  value === undefined || typeof value === "string"
    ? Effect.succeed(value)
    : Effect.fail(new BadParameter({ field, message: `${field} must be a string.` }))

/** The inputs, checked. Fails with `BadParameter`, `UnknownSymbol`. */
const queryOf = Effect.fnUntraced(function* (options: Readonly<Record<string, unknown>>) {
  const network = yield* textOf("network", options["network"])
  const metric = yield* textOf("metric", options["metric"])
  const symbol = network === undefined ? undefined : yield* knownSymbol("network", network)
  if (metric !== undefined) yield* declaredMetric("metric", metric, headline)
  const raw = options["days"]
  const days = yield* wholeNumber(
    "days",
    raw === undefined || typeof raw === "number" || typeof raw === "string" ? raw : "",
    { min: 1, max: 3650, fallback: defaultDays }
  )
  const { closed } = yield* (yield* RecentDays).series
  const window = raw === undefined ? closedWindow(closed) : lastDays(yield* DataClock.now, days)
  return { symbol, metric, window, metrics: metricsOf(metric, symbol, days) }
})

/** The metrics of a window; undefined for every metric. More days of every series than are in memory would be too many. */
const metricsOf = (
  metric: string | undefined,
  symbol: string | undefined,
  days: number
): ReadonlyArray<string> | undefined =>
  metric !== undefined ? [metric] : symbol === undefined && days > recentDays ? headline : undefined

/**
 * By default every metric of every network, of the last 30 closed days; `network`, `metric` and `days` (1 to 3650 with today)
 * narrow or widen it. Fails with `BadParameter`, `UnknownSymbol`.
 */
export const depinHistory = Effect.fn("Products.depinHistory")(function* (
  options: Readonly<Record<string, unknown>> = {}
) {
  const { metrics, symbol, window } = yield* queryOf(options)
  const now = yield* DataClock.now
  const { closed } = yield* (yield* RecentDays).series
  const series = window === undefined ? [] : yield* columns({ symbol, metrics, ...window })
  const { from, to } = window ?? lastDays(now, 1)
  return {
    generated_utc: isoTime(now),
    from: dateOf(from),
    to: dateOf(to),
    ...(closed === undefined ? {} : { closed_through: closed }),
    n_networks: new Set(series.map(({ symbol }) => symbol)).size,
    n_series: series.length,
    n_points: series.reduce((sum, { values }) => sum + values.length, 0),
    series,
    methodology: methodologyOf(metrics ?? ["every metric"])
  } satisfies DepinHistory
})

/** What an order delivers: without inputs the stored file, else what its inputs ask for. */
const delivered = Effect.fnUntraced(function* (inputs: Readonly<Record<string, unknown>>) {
  const { metrics, symbol, window } = yield* queryOf(inputs)
  const isOfAll = metrics === undefined && symbol === undefined && (yield* DataClock.knownAt) === undefined
  if (!isOfAll || window === undefined) return yield* depinHistory(inputs)
  const all = inputs["days"] === undefined ? whole() : everySeries(window)
  return (yield* all) ?? (yield* depinHistory(inputs))
})

/** What an order covers. */
const covered = Effect.fnUntraced(function* ({
  as_known_at: _,
  ...inputs
}: Readonly<Record<string, unknown>>) {
  const { metrics, symbol, window } = yield* queryOf(inputs)
  return yield* ofHistory({
    has: ({ metric, symbol: of }) =>
      (symbol === undefined || of === symbol) && metrics?.includes(metric) !== false,
    window
  })
})

export default {
  sale: sold(definition, ({ inputs: { as_known_at: _, ...inputs } }) => delivered(inputs), {
    covers: covered,
    holds: (payload) => payload instanceof ReadyPayload || payload.series.length > 0
  })
}
