import { Effect, Result, Schema } from "effect"
import { breakdown, headline, Plugin, Upstream } from "#plugin"
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
  grade: "B",
  evidence: [{ source: "stored clients of the Helium entity API", read: "2026-11-20", members: [] }],
  metrics: {
    devices_iot: breakdown("count", "Hotspots registered in the IoT subnetwork."),
    devices_mobile: breakdown("count", "Hotspots registered in the Mobile subnetwork."),
    devices_total: headline(
      "count",
      "Registrations in both subnetworks together; a hotspot in both counts twice. Not live devices."
    )
  },
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
