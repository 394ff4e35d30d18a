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
  hosts: ["api.io.solutions"],
  disabled: "of the explorer's inventory one member is known, and nothing says what it counts",
  every: "1 hour",
  timeout: "2 minutes",
  grade: "C",
  evidence: { source: "a stored test of a client of the io.net explorer API", read: "2026-11-20" },
  metrics: {
    devices_total: capacity("count", "Devices in the inventory of the network's explorer, live or not.")
  },
  // The upstream turns away clients that do not look like a browser.
  collect: (observe) =>
    Plugin.one(observe, Upstream.asBrowser(url), Inventory, ({ data }) => ({ devices_total: data?.total }))
})
