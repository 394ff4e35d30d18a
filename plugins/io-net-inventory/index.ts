import { Schema } from "effect"
import { capacity, Plugin, Upstream } from "#plugin"
import { object, positive } from "#plugin/fields"

const url = "https://api.io.solutions/v1/io-explorer/network/inventory-aggregated"
const Inventory = Schema.Struct({ data: object({ total: positive }) })

export default Plugin.define({
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
  evidence: [
    {
      source: "Bobbycyborg/crypto-app-v4@284da406ff51a19c473ef1ad979be64fc755716b lib/v3/io_stage1_loader.py",
      read: "2026-11-25",
      members: ["data", "total", "active", "passive"]
    }
  ],
  terms: {
    address: "https://io.net/terms",
    read: "2026-11-25",
    licence: "proprietary",
    bodies: "unknown",
    values: "unknown",
    attribution: "Data: io.net, explorer.io.net"
  },
  metrics: {
    devices_total: capacity("count", "Devices in the inventory of the network's explorer, live or not.")
  },
  // The upstream turns away clients that do not look like a browser.
  collect: (observe) =>
    Plugin.one(observe, Upstream.asBrowser(url), Inventory, ({ data }) => ({ devices_total: data?.total }))
})
