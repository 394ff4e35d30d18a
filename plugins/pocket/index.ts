import { Effect } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { totals } from "../../core/plugin/shapes/cosmos.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

export default Plugin.define({
  id: "pocket",
  title: "Pocket Network stakes",
  covers: { networks: ["POKT"] },
  tier: "supply_telemetry",
  source: "pokt_lcd",
  hosts: ["sauron-api.infra.pocket.network"],
  settings: { lcd_url: "https://sauron-api.infra.pocket.network" },
  disabled:
    "what the public REST gateway answers has not been seen; turn it on, or set lcd_url to a node of your own",
  every: "1 hour",
  calls: 4,
  grade: "B",
  owner: "plumbline",
  metrics: {
    suppliers_staked: metric("count", "Suppliers with a stake."),
    applications_staked: metric("count", "Applications with a stake."),
    gateways_staked: metric("count", "Gateways with a stake."),
    services: metric("count", "Services registered.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const lcd = yield* Upstream.setting("lcd_url")
      const list = (name: string) => ({
        urls: [`${lcd}/pokt-network/poktroll/${name}/${name}`],
        member: name
      })
      return yield* totals(observe, "POKT", {
        suppliers_staked: list("supplier"),
        applications_staked: { ...list("application"), member: "applications" },
        gateways_staked: { ...list("gateway"), member: "gateways", mayBeEmpty: true },
        services: list("service")
      })
    })
})
