import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { count, sum } from "../../core/plugin/shapes/fields.ts"
import { query } from "../../core/plugin/shapes/graphql.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const text =
  "{ vehicles(first:1){totalCount} aftermarketDevices(first:1){totalCount} syntheticDevices(first:1){totalCount} }"
const Connection = Upstream.maybe(Schema.Struct({ totalCount: count }))

export default Plugin.define({
  id: "dimo",
  title: "DIMO vehicles and devices",
  covers: { networks: ["DIMO"] },
  tier: "supply_telemetry",
  source: "dimo_identity",
  hosts: ["identity-api.dimo.zone"],
  every: "1 hour",
  grade: "B",
  owner: "plumbline",
  metrics: {
    vehicles_total: metric("count", "Vehicle identities ever minted and not burnt."),
    devices_hardware: metric("count", "Aftermarket devices."),
    devices_synthetic: metric("count", "Synthetic devices: connections of a car maker's own."),
    devices_total: metric("count", "Aftermarket and synthetic devices together.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const Data = Schema.Struct({
        vehicles: Connection,
        aftermarketDevices: Connection,
        syntheticDevices: Connection
      })
      const { answer, data, failed } = yield* query("https://identity-api.dimo.zone/query", text, Data)
      const hardware = data.aftermarketDevices?.totalCount
      const synthetic = data.syntheticDevices?.totalCount
      const readings = observe(
        answer,
        {
          vehicles_total: data.vehicles?.totalCount,
          devices_hardware: hardware,
          devices_synthetic: synthetic,
          devices_total: sum([hardware, synthetic])
        },
        { verify_url: "https://identity-api.dimo.zone/" }
      )
      return [...readings, ...failed.map((error) => Plugin.failedPart(error, "DIMO"))]
    })
})
