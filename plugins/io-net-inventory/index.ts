import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { count } from "../../core/plugin/shapes/fields.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const inventory: Upstream.Request = {
  method: "GET",
  url: "https://api.io.solutions/v1/io-explorer/network/inventory-aggregated",
  // The upstream turns away clients that do not look like a browser.
  headers: { "user-agent": "Mozilla/5.0 (compatible; Plumbline)" }
}

export default Plugin.define({
  id: "io-net-inventory",
  title: "io.net devices",
  covers: { networks: ["IO"] },
  tier: "supply_telemetry",
  source: "io_explorer_inventory",
  hosts: ["api.io.solutions"],
  disabled: "of the explorer's inventory one member is known, and nothing says what it counts",
  every: "1 hour",
  timeout: "2 minutes",
  grade: "C",
  owner: "plumbline",
  metrics: {
    devices_total: metric("count", "Devices in the inventory of the network's explorer, live or not.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json(
        inventory,
        Schema.Struct({ data: Upstream.maybe(Schema.Struct({ total: count })) })
      )
      const total = answer.body.data?.total
      return total === 0
        ? yield* Upstream.implausible(answer, `["data"]["total"]`, "no device listed")
        : observe(answer, { devices_total: total })
    })
})
