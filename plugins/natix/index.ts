import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { number } from "../../core/plugin/shapes/fields.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const Value = Schema.Struct({
  drivers: number,
  kmMapped: number,
  detections: number,
  countries: number,
  natixBurned: number
})
const Chart = Schema.Array(Schema.Struct({ date: Schema.Natural, value: Value }))

const fields = {
  drivers_total: "drivers",
  km_mapped: "kmMapped",
  detections_total: "detections",
  countries: "countries",
  tokens_burned: "natixBurned"
} as const satisfies Record<string, keyof typeof Value.Type>

export default Plugin.define({
  id: "natix",
  title: "NATIX drivers and coverage",
  covers: { networks: ["NATIX"] },
  tier: "supply_telemetry",
  source: "natix_coverage",
  hosts: ["coverage.natix.network"],
  every: "1 hour",
  grade: "B",
  owner: "plumbline",
  metrics: {
    drivers_total: metric("count", "Drivers registered."),
    km_mapped: metric("km", "Kilometres mapped."),
    detections_total: metric("count", "Objects detected."),
    countries: metric("count", "Countries with a mapped road."),
    tokens_burned: metric("tokens", "NATIX burnt.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json("https://coverage.natix.network/coverage/v1/metrics/chart", Chart)
      const points = answer.body.toSorted((a, b) => b.date - a.date)
      const [newest] = points
      if (newest === undefined) return yield* Upstream.implausible(answer, "", "a chart without a point")
      return (Object.keys(fields) as Array<keyof typeof fields>).flatMap((name) => {
        const value = newest.value[fields[name]]
        // This upstream has repeated a figure for weeks: it is as old as its last change.
        const changed = points.findIndex((point) => point.value[fields[name]] !== value)
        const since = points.at(changed === -1 ? -1 : changed - 1) ?? newest
        return observe(answer, { [name]: value }, { as_of: since.date })
      })
    })
})
