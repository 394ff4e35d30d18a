import { Schema } from "effect"
import { breakdown, capacity, headline, Plugin } from "#plugin"
import { count, object, positive, sum } from "#plugin/fields"
import { query, withFailed } from "#plugin/graphql"

const text =
  "{ vehicles(first:1){totalCount} aftermarketDevices(first:1){totalCount} syntheticDevices(first:1){totalCount} }"
const Connection = object({ totalCount: count })

const Data = Schema.Struct({
  // Identities are hardly ever burnt: none at all is an index that is being built anew, and the devices in it are no figures.
  vehicles: object({ totalCount: positive }),
  aftermarketDevices: Connection,
  syntheticDevices: Connection
})

export default Plugin.define({
  id: "dimo",
  title: "DIMO vehicles and devices",
  covers: { networks: ["DIMO"] },
  source: "dimo_identity",
  tier: "supply_telemetry",
  hosts: ["identity-api.dimo.zone"],
  every: "1 hour",
  grade: "B",
  evidence: [
    { source: "Ricolax310/GetKinetik scripts/sybil-scan-dimo.mjs", read: "2026-11-20", members: [] }
  ],
  metrics: {
    vehicles_total: headline("count", "Vehicle identities ever minted and not burnt."),
    devices_hardware: breakdown("count", "Aftermarket devices."),
    devices_synthetic: breakdown("count", "Synthetic devices: connections of a car maker's own."),
    devices_total: capacity("count", "Aftermarket and synthetic devices together.")
  },
  collect: (observe) =>
    withFailed("DIMO", query("https://identity-api.dimo.zone/query", text, Data), (data, answer) => {
      const hardware = data.aftermarketDevices?.totalCount
      const synthetic = data.syntheticDevices?.totalCount
      const values = {
        vehicles_total: data.vehicles?.totalCount,
        devices_hardware: hardware,
        devices_synthetic: synthetic,
        devices_total: sum([hardware, synthetic])
      }
      return observe(answer, values, { verify_url: `https://identity-api.dimo.zone/#${encodeURI(text)}` })
    })
})
