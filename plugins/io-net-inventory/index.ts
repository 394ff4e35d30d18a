import { Schema } from "effect"
import { capacity, Plugin, Upstream } from "#plugin"
import { count } from "#plugin/fields"

const inventory: Upstream.Request = {
  method: "GET",
  url: "https://api.io.solutions/v1/io-explorer/network/inventory-aggregated",
  // The upstream turns away clients that do not look like a browser.
  headers: { "user-agent": "Mozilla/5.0 (compatible; Plumbline)" }
}

const Inventory = Schema.Struct({ data: Upstream.maybe(Schema.Struct({ total: count })) })

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
  metrics: {
    devices_total: capacity("count", "Devices in the inventory of the network's explorer, live or not.")
  },
  collect: (observe) =>
    Plugin.one(observe, inventory, Inventory, ({ data }, answer) =>
      data?.total === 0
        ? Upstream.implausible(answer, `["data"]["total"]`, "no device listed")
        : { devices_total: data?.total }
    )
})
