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
      source:
        "a client that reads total, active and passive and warns that they are not devices in use (stored file 57471746263), and its test (57401975037). Searched: public source for the address and its siblings, and io.net's OpenAPI files; a report of 2026-10-01 has 1.06 million, 327 thousand and 1,446 GPUs from network/info (71541394221), another found the explorer behind a login (56178604232)",
      read: "2026-11-22",
      members: []
    }
  ],
  metrics: {
    devices_total: capacity("count", "Devices in the inventory of the network's explorer, live or not.")
  },
  // The upstream turns away clients that do not look like a browser.
  collect: (observe) =>
    Plugin.one(observe, Upstream.asBrowser(url), Inventory, ({ data }) => ({ devices_total: data?.total }))
})
