import { Effect, Result, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { number } from "../../core/plugin/shapes/fields.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const api = "https://coverage.natix.network/coverage/v1/metrics"

const Value = Schema.Struct({
  drivers: number,
  kmMapped: number,
  detections: number,
  countries: number,
  natixBurned: number
})
const Chart = Schema.Array(Schema.Struct({ date: Schema.Natural, value: Value }))

/** The same figures now, under other names and without what went before. */
const Global = Schema.Struct({
  date: Schema.Union([Schema.Natural, Upstream.TimeText]),
  totalUsers: number,
  totalKm: number,
  totalDetections: number,
  countries: number,
  natixBurned: number
})

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
  calls: 2,
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
      const outcome = yield* Effect.result(Upstream.json(`${api}/chart`, Chart))
      if (Result.isFailure(outcome)) {
        // When neither can be had, the chart's reason is the one to look at.
        const answer = yield* Effect.mapError(Upstream.json(`${api}/global`, Global), () => outcome.failure)
        const { countries, date, natixBurned, totalDetections, totalKm, totalUsers } = answer.body
        return [
          Plugin.missed(outcome.failure, "NATIX"),
          ...observe(
            answer,
            {
              drivers_total: totalUsers,
              km_mapped: totalKm,
              detections_total: totalDetections,
              countries,
              tokens_burned: natixBurned
            },
            { as_of: typeof date === "string" ? Upstream.time(date) : date < 1e12 ? date * 1000 : date }
          )
        ]
      }
      const answer = outcome.success
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
