import { breakdown, capacity, headline, partOf, readOn, sumOf, termsOn } from "#plugin"
import { declare } from "#plugin/declare"
import { queried } from "#plugin/graphql"

const text =
  "{ vehicles(first:1){totalCount} aftermarketDevices(first:1){totalCount} syntheticDevices(first:1){totalCount} }"

export default declare({
  id: "dimo",
  title: "DIMO vehicles and devices",
  covers: { networks: ["DIMO"] },
  source: "dimo_identity",
  tier: "supply_telemetry",
  hosts: ["identity-api.dimo.zone"],
  every: "1 hour",
  grade: "A",
  evidence: readOn("2026-11-25", {
    "DIMO-Network/identity-api@a2775604072baf62a260524d88ec58127b5dffb1 internal/repositories/vehicle/vehicles.go:141":
      "TotalCount, Vehicles",
    "DIMO-Network/identity-api@a2775604072baf62a260524d88ec58127b5dffb1 internal/repositories/aftermarket/aftermarket_devices.go:71":
      "AftermarketDevices",
    "DIMO-Network/identity-api@a2775604072baf62a260524d88ec58127b5dffb1 internal/repositories/synthetic/synthetic_devices.go:131":
      "SyntheticDevices",
    "DIMO-Network/identity-api@a2775604072baf62a260524d88ec58127b5dffb1 graph/schema/aftermarket.graphqls:153":
      "totalCount",
    "DIMO-Network/identity-api@a2775604072baf62a260524d88ec58127b5dffb1 migrations/00039_synthetic_vehicle_index.sql:3":
      "synthetic_devices, vehicle_id"
  }),
  metrics: {
    vehicles_total: headline(
      "count",
      "Vehicle identities ever minted and not burnt, with a device or without."
    ),
    devices_hardware: breakdown(
      "count",
      "Aftermarket devices ever minted and not burnt, in a vehicle, with an owner or still unsold."
    ),
    devices_synthetic: breakdown(
      "count",
      "Synthetic devices: connections by software, at most one of a vehicle, minted and not burnt."
    ),
    devices_total: capacity("count", "Aftermarket and synthetic devices together.")
  },
  relations: [
    // Each count is a query of its own, and the total is made of both: one that fails is none of the other's.
    sumOf("devices_total", ["devices_hardware", "devices_synthetic"], {
      optional: ["devices_total", "devices_hardware", "devices_synthetic"]
    }),
    partOf("devices_synthetic", "vehicles_total")
  ],
  terms: termsOn("2026-11-25", "Data: DIMO Identity API, dimo.org", {
    address: "https://www.dimo.org/terms",
    licence: "proprietary"
  }),
  answers: [
    {
      ask: queried("https://identity-api.dimo.zone/query", text),
      // Identities are hardly ever burnt: none at all is an index that is being built anew, and the devices in it are no figures.
      positive: ["vehicles.totalCount"],
      verify_url: `https://identity-api.dimo.zone/#${encodeURI(text)}`,
      figures: {
        vehicles_total: "vehicles.totalCount",
        devices_hardware: "aftermarketDevices.totalCount",
        devices_synthetic: "syntheticDevices.totalCount",
        devices_total: { plus: ["aftermarketDevices.totalCount", "syntheticDevices.totalCount"] }
      }
    }
  ]
})
