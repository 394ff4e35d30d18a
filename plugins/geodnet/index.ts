import { Effect, Schema } from "effect"
import { metric, Plugin, Upstream } from "#plugin"
import { count, readable } from "#plugin/fields"

const url = "https://rtk.geodnet.com/api/v2/coverage_stations"
const Envelope = Schema.Struct({ code: count, data: Upstream.maybe(Schema.Array(Schema.Unknown)) })
const Station = Schema.Struct({ name: Schema.NonEmptyString })

export default Plugin.define({
  id: "geodnet",
  title: "GEODNET stations",
  covers: { networks: ["GEOD"] },
  source: "geodnet_coverage",
  hosts: ["rtk.geodnet.com"],
  every: "1 hour",
  grade: "A",
  metrics: {
    devices_total: metric("count", "Stations on the coverage map, by name; not all need be live.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json(url, Envelope)
      const { code, data } = answer.body
      if (code !== 0) return yield* Upstream.refused(answer, `code ${code}`)
      if (data === undefined || data === null) return []
      const stations = yield* readable(answer, data, Station)
      const names = new Set(stations.map(({ name }) => name))
      return names.size === 0
        ? yield* Upstream.implausible(answer, `["data"]`, "no station listed")
        : observe(answer, { devices_total: names.size })
    })
})
