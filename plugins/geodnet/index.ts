import { Effect, Schema } from "effect"
import { headline, Plugin, Upstream } from "#plugin"
import { count, readable } from "#plugin/fields"

const url = "https://rtk.geodnet.com/api/v2/coverage_stations"
const Envelope = Schema.Struct({ code: count, data: Upstream.maybe(Schema.Array(Schema.Unknown)) })
const Station = Schema.Struct({ name: Schema.NonEmptyString, lat: Schema.Finite, lng: Schema.Finite })
interface Station extends Schema.Schema.Type<typeof Station> {}

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
  hosts: ["rtk.geodnet.com"],
  every: "1 hour",
  grade: "A",
  metrics: {
    stations_mapped: headline(
      "count",
      "Stations on the coverage map, each name once within a kilometre; not all need be live."
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json(url, Envelope)
      const { code, data } = answer.body
      if (code !== 0) return yield* Upstream.refused(answer, `code ${code}`)
      if (data === undefined || data === null) return []
      const stations = yield* readable(answer, data, Station)
      return stations.length === 0
        ? yield* Upstream.implausible(answer, `["data"]`, "no station listed")
        : observe(answer, { stations_mapped: places(stations) })
    })
})
