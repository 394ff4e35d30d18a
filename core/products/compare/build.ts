/** `/v1/compare`: one metric of every network that has it, ranked. */
import { Effect } from "effect"
import { declaredMetric } from "../../readings/read/parameters.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { viewed } from "../build.ts"
import { depinRule, inputOf, leftOut, liveRule, networks, quotient, readings } from "../shared/inputs.ts"
import definition, { type Compare } from "./definition.ts"

const median = (sorted: ReadonlyArray<number>): number | null => {
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]]
  return low === undefined || high === undefined ? null : low + (high - low) / 2
}

/** Fails with `BadParameter`. */
export const compare = Effect.fn("Products.compare")(function* (metric: string | undefined) {
  if (metric === undefined) {
    const message = "metric is required: a metric from /v1/data-dictionary, e.g. nodes_online."
    return yield* new BadParameter({ field: "metric", message })
  }
  yield* declaredMetric("metric", metric, [])
  const current = yield* readings
  const { generated_utc, measured } = current
  const rows = networks
    .flatMap(({ symbol }) => measured(symbol).of(metric) ?? [])
    .toSorted((a, b) => b.row.value - a.row.value)
  const values = rows.map(({ row }) => row.value)
  const total = values.reduce((sum, value) => sum + value, 0)
  const shared = values.every((value) => value >= 0)
  return {
    generated_utc,
    ...leftOut(current, [metric]),
    metric,
    n_networks: rows.length,
    median: median(values),
    rows: rows.map((row) => ({
      rank: values.indexOf(row.row.value) + 1,
      symbol: row.row.symbol,
      ...inputOf(row),
      share_of_total: shared ? quotient(row.row.value, total) : null
    })),
    missing_fields: rows.length === 0 ? [metric] : [],
    methodology: {
      formula: "share_of_total = value / sum of the values",
      fields: [metric],
      rules: ["Networks where the metric is not measured are absent.", depinRule, liveRule]
    }
  } satisfies Compare
})

export default { view: viewed(definition, ({ metric }) => compare(metric)) }
