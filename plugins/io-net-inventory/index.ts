import { capacity, readOn, termsOn, Upstream } from "#plugin"
import { declare } from "#plugin/declare"

export default declare({
  id: "io-net-inventory",
  title: "io.net devices",
  covers: { networks: ["IO"] },
  source: "io_explorer_inventory",
  tier: "supply_telemetry",
  hosts: ["api.io.solutions"],
  disabled:
    "nothing says what the explorer's inventory counts: one reader took it for devices and others have other totals",
  every: "1 hour",
  timeout: "2 minutes",
  grade: "C",
  evidence: readOn("2026-11-25", {
    "Bobbycyborg/crypto-app-v4@284da406ff51a19c473ef1ad979be64fc755716b lib/v3/io_stage1_loader.py":
      "data, total, active, passive"
  }),
  terms: termsOn("2026-11-25", "Data: io.net, explorer.io.net", {
    address: "https://io.net/terms",
    licence: "proprietary"
  }),
  metrics: {
    devices_total: capacity("count", "Devices in the inventory of the network's explorer, live or not.")
  },
  answers: [
    {
      // The upstream turns away clients that do not look like a browser.
      ask: Upstream.asBrowser("https://api.io.solutions/v1/io-explorer/network/inventory-aggregated"),
      under: "data",
      positive: ["total"],
      figures: { devices_total: "total" }
    }
  ]
})
