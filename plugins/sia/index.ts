import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { count, difference, quantity } from "../../core/plugin/shapes/fields.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const Hosts = Schema.Struct({ activeHosts: count, totalStorage: quantity, remainingStorage: quantity })

export default Plugin.define({
  id: "sia",
  title: "Sia hosts",
  covers: { networks: ["SC"] },
  tier: "supply_telemetry",
  source: "siascan",
  hosts: ["api.siascan.com"],
  every: "1 hour",
  grade: "A",
  owner: "plumbline",
  metrics: {
    active_storage_providers: metric("count", "Hosts that answered the explorer's last scans."),
    STORAGE_TOTAL_BYTES: metric("bytes", "Storage of the active hosts."),
    STORAGE_FREE_BYTES: metric("bytes", "Storage of the active hosts that is free."),
    STORAGE_USED_BYTES: metric("bytes", "Storage of the active hosts that is used: all less the free.")
  },
  collect: (observe) =>
    Effect.map(Upstream.json("https://api.siascan.com/metrics/host", Hosts), (answer) => {
      const { activeHosts, remainingStorage, totalStorage } = answer.body
      return observe(answer, {
        active_storage_providers: activeHosts,
        STORAGE_TOTAL_BYTES: totalStorage,
        STORAGE_FREE_BYTES: remainingStorage,
        STORAGE_USED_BYTES: difference(totalStorage, remainingStorage)
      })
    })
})
