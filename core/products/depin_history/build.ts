/** `depin_history`: daily snapshots per network and metric. */
import { Effect } from "effect"
import * as DataClock from "../../clock/DataClock.ts"
import { isoTime } from "../../plugin/Value.ts"
import { dateOf, lastDays } from "../../readings/read/days.ts"
import { declaredMetric, knownSymbol, wholeNumber } from "../../readings/read/parameters.ts"
import { RecentDays } from "../../readings/read/RecentDays.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { sold } from "../build.ts"
import { columns, headline } from "../shared/columns.ts"
import { ofHistory } from "../shared/coverage.ts"
import definition, { type DepinHistory } from "./definition.ts"

const textOf = (field: string, value: unknown) =>
  value === undefined || typeof value === "string"
    ? Effect.succeed(value)
    : Effect.fail(new BadParameter({ field, message: `${field} must be a string.` }))

/**
 * `network`, `metric` and `days` (1 to 3650 with today, default all since the start of history) narrow it. Fails with
 * `BadParameter`, `UnknownSymbol`.
 */
export const depinHistory = Effect.fn("Products.depinHistory")(function* (
  options: Readonly<Record<string, unknown>> = {}
) {
  const network = yield* textOf("network", options["network"])
  const metric = yield* textOf("metric", options["metric"])
  const symbol = network === undefined ? undefined : yield* knownSymbol("network", network)
  if (metric !== undefined) yield* declaredMetric("metric", metric, headline)
  const raw = options["days"]
  const days = yield* wholeNumber(
    "days",
    raw === undefined || typeof raw === "number" || typeof raw === "string" ? raw : "",
    { min: 1, max: 3650, fallback: 3650 }
  )
  const now = yield* DataClock.now
  const { from, to } = lastDays(now, days)
  const metrics = metric !== undefined ? [metric] : symbol === undefined ? headline : undefined
  const series = yield* columns({ symbol, metrics, from, to })
  const { closed } = yield* (yield* RecentDays).series
  return {
    generated_utc: isoTime(now),
    from: dateOf(from),
    to: dateOf(to),
    ...(closed === undefined ? {} : { closed_through: closed }),
    n_networks: new Set(series.map(({ symbol }) => symbol)).size,
    n_series: series.length,
    n_points: series.reduce((sum, { values }) => sum + values.length, 0),
    series,
    methodology: {
      formula: "values[i] = the last accepted reading of UTC day dates[i], in its newest version",
      fields: metrics ?? ["every metric of the network"],
      rules: [
        "Days without a reading are absent, never interpolated. Readings excluded by an incident are left out.",
        "The window is `days` days, today among them, and by default every day since 2026-08-06, where history starts; from open_from on, days are not closed and can still change.",
        "Without network or metric: the headline metrics listed in fields, for every network."
      ]
    }
  } satisfies DepinHistory
})

export default {
  sale: sold(definition, ({ inputs }) => depinHistory(inputs), {
    covers: ofHistory,
    holds: ({ series }) => series.length > 0
  })
}
