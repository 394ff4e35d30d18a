import { Effect, Result, Schema } from "effect"
import { breakdown, headline, Plugin, readOn, sumOf, termsOn, Upstream } from "#plugin"
import { positive, sum } from "#plugin/fields"

const Metadata = Schema.Struct({ totalItems: positive })

// A list that is being built anew has no pages; neither subnetwork has been empty since it began.
const read = (subnetwork: string) =>
  Upstream.json(
    `https://entities.nft.helium.io/v2/hotspots/pagination-metadata?subnetwork=${subnetwork}`,
    Metadata
  )

export default Plugin.define({
  id: "helium",
  title: "Helium hotspots",
  covers: { networks: ["HNT"] },
  source: "helium_entities",
  tier: "supply_telemetry",
  hosts: ["entities.nft.helium.io"],
  every: "6 hours",
  calls: 2,
  grade: "A",
  evidence: readOn("2026-11-25", {
    "helium/helium-program-library@145947eedf2b1dc33d8289065d63538973278aee packages/metadata-service/src/index.ts:532":
      "totalItems, pageSize, totalPages",
    "helium/helium-program-library@145947eedf2b1dc33d8289065d63538973278aee packages/metadata-service/src/model.ts:96":
      "MobileHotspotInfo, IotHotspotInfo, KeyToAsset",
    "https://docs.helium.com/network-data/entity-api": "is_active"
  }),
  metrics: {
    devices_iot: breakdown("count", "Hotspots onboarded to the IoT subnetwork, live or not."),
    devices_mobile: breakdown("count", "Hotspots onboarded to the Mobile subnetwork, live or not."),
    devices_total: headline(
      "count",
      "Registrations in both subnetworks together; a hotspot in both counts twice. Not live devices."
    )
  },
  // Each count is an answer of its own, and the total is made of both: one that fails is none of the other's.
  relations: [
    sumOf("devices_total", ["devices_iot", "devices_mobile"], {
      optional: ["devices_total", "devices_iot", "devices_mobile"]
    })
  ],
  terms: termsOn("2026-11-25", "Data: Helium Entity API, entities.nft.helium.io", {
    address: "https://docs.helium.com/network-data/entity-api",
    quote:
      "This API is provided without any guarantees of uptime or support, and is intended for light use cases."
  }),
  collect: (observe) =>
    Effect.gen(function* () {
      const iot = yield* Effect.result(read("iot"))
      const mobile = yield* Effect.result(read("mobile"))
      return yield* Plugin.anyOf("HNT", [
        Plugin.from(observe, Effect.fromResult(iot), ({ totalItems }) => ({ devices_iot: totalItems })),
        Plugin.from(observe, Effect.fromResult(mobile), ({ totalItems }) => ({
          devices_mobile: totalItems,
          devices_total: Result.isSuccess(iot) ? sum([iot.success.body.totalItems, totalItems]) : undefined
        }))
      ])
    })
})
