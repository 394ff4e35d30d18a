import { Effect, Result, Schema } from "effect"
import { metric, Plugin, Upstream } from "#plugin"
import { moment, number } from "#plugin/fields"
import { wrapped } from "#plugin/wrapped"

const api = "https://coverage.natix.network/coverage/v1/metrics"

const Value = Schema.Struct({
  drivers: number,
  kmMapped: number,
  detections: number,
  countries: number,
  natixBurned: number
})
const Chart = Schema.Array(Schema.Struct({ date: moment, value: Upstream.maybe(Value) }))

/** The same figures now and without what went before; documented under the first names, read under those of the chart. */
const Global = Schema.Struct({
  ...Value.fields,
  date: moment,
  totalUsers: number,
  totalKm: number,
  totalDetections: number
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
  source: "natix_coverage",
  hosts: ["coverage.natix.network"],
  every: "1 hour",
  calls: 2,
  grade: "B",
  metrics: {
    drivers_total: metric("count", "Drivers registered."),
    km_mapped: metric("km", "Kilometres mapped."),
    detections_total: metric("count", "Objects detected."),
    countries: metric("count", "Countries with a mapped road."),
    tokens_burned: metric("tokens", "NATIX burnt.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const outcome = yield* Effect.result(wrapped(`${api}/chart`, ["result"], Chart))
      if (Result.isFailure(outcome)) {
        // When neither can be had, the chart's reason is the one to look at.
        const answer = yield* Effect.mapError(
          wrapped(`${api}/global`, ["result"], Global),
          () => outcome.failure
        )
        const { countries, date, detections, drivers, kmMapped, natixBurned, ...documented } = answer.body
        return [
          Plugin.failedPart(outcome.failure, "NATIX"),
          ...observe(
            answer,
            {
              drivers_total: drivers ?? documented.totalUsers,
              km_mapped: kmMapped ?? documented.totalKm,
              detections_total: detections ?? documented.totalDetections,
              countries,
              tokens_burned: natixBurned
            },
            { as_of: date }
          )
        ]
      }
      const answer = outcome.success
      // A point that cannot be dated or holds nothing says nothing.
      const points = answer.body
        .flatMap(({ date, value }) =>
          typeof date !== "number" || Number.isNaN(date) || value === undefined || value === null
            ? []
            : [{ date, value }]
        )
        .sort((a, b) => b.date - a.date)
      const [newest] = points
      if (newest === undefined) {
        return yield* Upstream.implausible(answer, "", "a chart without a dated point")
      }
      return (Object.keys(fields) as Array<keyof typeof fields>).flatMap((name) => {
        const value = newest.value[fields[name]]
        // This upstream has repeated a figure for weeks: it is as old as its last change.
        const changed = points.findIndex((point) => point.value[fields[name]] !== value)
        const since = points.at(changed === -1 ? -1 : changed - 1) ?? newest
        return observe(answer, { [name]: value }, { as_of: since.date })
      })
    })
})
