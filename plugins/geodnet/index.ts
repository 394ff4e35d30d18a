import { Effect, Schema } from "effect"
import { headline, Plugin, readOn, termsOn } from "#plugin"
import { dataOf } from "#plugin/envelope"
import { double, nonEmpty, readable } from "#plugin/fields"

const url = "https://rtk.geodnet.com/api/v2/coverage_stations"
const Station = Schema.Struct({ name: Schema.NonEmptyString, lat: double, lng: double })
type Station = typeof Station.Type

/** Kilometres between two stations, on a sphere. */
const between = (a: Station, b: Station): number => {
  const radians = (degrees: number) => (degrees * Math.PI) / 180
  const half = (from: number, to: number) => Math.sin(radians(to - from) / 2) ** 2
  const chord = half(a.lat, b.lat) + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * half(a.lng, b.lng)
  return 2 * 6371 * Math.asin(Math.min(1, Math.sqrt(chord)))
}

/** Names are masked: two stations may share one, and one that is listed twice stands a few metres off at most. */
const places = (stations: ReadonlyArray<Station>): number =>
  [...Map.groupBy(stations, ({ name }) => name).values()].reduce((total, namesakes) => {
    const apart: Array<Station> = []
    for (const station of namesakes) {
      if (apart.every((other) => between(other, station) > 1)) apart.push(station)
    }
    return total + apart.length
  }, 0)

export default Plugin.define({
  id: "geodnet",
  title: "GEODNET stations",
  covers: { networks: ["GEOD"] },
  source: "geodnet_coverage",
  tier: "supply_telemetry",
  hosts: ["rtk.geodnet.com"],
  every: "1 hour",
  grade: "A",
  evidence: readOn("2026-11-25", {
    "Ricolax310/GetKinetik@2038f812358a5dabd8c04b20084dafa510c1ddb2 scripts/sybil-scan-geodnet.mjs:57":
      "code, data, name, lat, lng",
    "Ricolax310/GetKinetik@04982c357d57b485ea0cba2d00d912061e628c32 scripts/data/geodnet-snapshot.json":
      "name, lat, lng"
  }),
  metrics: {
    stations_mapped: headline(
      "count",
      "Stations on the coverage map, each name once within a kilometre, live or not, some of them of other networks."
    )
  },
  ended: {
    devices_total:
      "It counted masked names, which two stations may share, and so lost about one station in a hundred."
  },
  terms: termsOn("2026-11-25", "Data: GEODNET, geodnet.com"),
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* dataOf(url, ["code", 0], nonEmpty(Schema.Unknown))
      const stations = yield* readable(answer, answer.body, Station)
      return observe(answer, { stations_mapped: places(stations) })
    })
})
