import { Effect, Schema } from "effect"
import { capacity, headline, isSame, metric, neverFalls, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { moment, number } from "#plugin/fields"
import { wrapped } from "#plugin/wrapped"

const url = "https://coverage.natix.network/coverage/v1/metrics/chart"

const Value = Schema.Struct({
  drivers: number,
  kmMapped: number,
  detections: number,
  countries: number,
  natixBurned: number
})
const Chart = Schema.Array(Schema.Struct({ date: moment, value: Upstream.maybe(Value) }))

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
  tier: "supply_telemetry",
  hosts: ["coverage.natix.network"],
  every: "1 hour",
  grade: "A",
  evidence: readOn("2026-11-25", {
    "Ricolax310/GetKinetik@f1a3931083da01475830142a2f0d16b78b0657e7 scripts/data/natix-snapshot.json:36":
      "date, value, drivers, kmMapped, detections, countries, natixBurned"
  }),
  metrics: {
    drivers_total: headline(
      "count",
      "Drivers that the coverage map has counted since the start, driving now or not."
    ),
    km_mapped: capacity(
      "km",
      "Kilometres driven with the map on since the start, a road as often as it was driven."
    ),
    detections_total: metric("count", "Objects detected since the start."),
    countries: capacity("count", "Countries with a mapped road."),
    tokens_burned: metric("tokens", "NATIX burnt since the start, as the coverage map states it.")
  },
  relations: [neverFalls("km_mapped"), neverFalls("detections_total"), neverFalls("tokens_burned")],
  terms: termsOn("2026-11-25", "Data: NATIX Network, natix.network"),
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* wrapped(url, ["result"], Chart)
      // A point that cannot be dated or holds nothing says nothing.
      const points = answer.body
        .flatMap(({ date, value }) =>
          typeof date !== "number" || value === undefined || value === null ? [] : [{ date, value }]
        )
        .sort((a, b) => b.date - a.date)
      const [newest] = points
      if (newest === undefined) {
        return yield* Upstream.implausible(answer, "", "a chart without a dated point")
      }
      return (Object.keys(fields) as Array<keyof typeof fields>).flatMap((name) => {
        // Each counts since the start, and none has been 0 since the network began.
        const value = Upstream.zeroIsBroken(newest.value[fields[name]])
        // This upstream has repeated a figure for weeks: it is as old as its last change.
        const changed = points.findIndex((point) => !isSame(point.value[fields[name]], value))
        const since = points.at(changed === -1 ? -1 : changed - 1) ?? newest
        return observe(answer, { [name]: value }, { as_of: since.date })
      })
    })
})
