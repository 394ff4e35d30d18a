import { Schema } from "effect"
import { capacity, headline, metric, Plugin } from "#plugin"
import { count, difference, quantity } from "#plugin/fields"

const Hosts = Schema.Struct({ activeHosts: count, totalStorage: quantity, remainingStorage: quantity })

export default Plugin.define({
  id: "sia",
  title: "Sia hosts",
  covers: { networks: ["SC"] },
  source: "siascan",
  tier: "supply_telemetry",
  hosts: ["api.siascan.com"],
  every: "1 hour",
  grade: "A",
  evidence: [
    { source: "SiaFoundation/explored explorer/types.go at b9d9422", read: "2026-11-20", members: [] }
  ],
  metrics: {
    active_storage_providers: headline("count", "Hosts that answered the explorer's last scans."),
    STORAGE_TOTAL_BYTES: capacity("bytes", "Storage of the active hosts."),
    STORAGE_FREE_BYTES: metric("bytes", "Storage of the active hosts that is free."),
    STORAGE_USED_BYTES: metric("bytes", "Storage of the active hosts that is used: all less the free.")
  },
  collect: (observe) =>
    Plugin.one(
      observe,
      "https://api.siascan.com/metrics/host",
      Hosts,
      ({ activeHosts, remainingStorage, totalStorage }) => ({
        active_storage_providers: activeHosts,
        STORAGE_TOTAL_BYTES: totalStorage,
        STORAGE_FREE_BYTES: remainingStorage,
        STORAGE_USED_BYTES: difference(totalStorage, remainingStorage)
      })
    )
})
