import { Effect, Schema } from "effect"
import { breakdown, headline, Plugin, Upstream } from "#plugin"
import { count, sum } from "#plugin/fields"

const read = (subnetwork: string) =>
  Upstream.json(
    `https://entities.nft.helium.io/v2/hotspots/pagination-metadata?subnetwork=${subnetwork}`,
    Schema.Struct({ totalItems: count })
  ).pipe(
    // A list that is being built anew has no pages; neither subnetwork has been empty since it began.
    Effect.filterOrFail(
      ({ body }) => body.totalItems !== 0,
      (answer) => Upstream.implausible(answer, `["totalItems"]`, "no hotspot registered")
    )
  )

export default Plugin.define({
  id: "helium",
  title: "Helium hotspots",
  covers: { networks: ["HNT"] },
  source: "helium_entities",
  hosts: ["entities.nft.helium.io"],
  every: "6 hours",
  calls: 2,
  grade: "B",
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
        Effect.map(Effect.fromResult(iot), (answer) =>
          observe(answer, { devices_iot: answer.body.totalItems })
        ),
        Effect.map(Effect.fromResult(mobile), (answer) =>
          observe(answer, {
            devices_mobile: answer.body.totalItems,
            devices_total:
              iot._tag === "Success" ? sum([iot.success.body.totalItems, answer.body.totalItems]) : null
          })
        )
      ])
    })
})
