import { Effect } from "effect"
import { metric, Plugin, Upstream } from "#plugin"
import { totals } from "#plugin/cosmos"

export default Plugin.define({
  id: "pocket",
  title: "Pocket Network stakes",
  covers: { networks: ["POKT"] },
  source: "pokt_lcd",
  hosts: ["sauron-api.infra.pocket.network"],
  settings: { lcd_url: "https://sauron-api.infra.pocket.network" },
  disabled:
    "what the public REST gateway answers has not been seen; turn it on, or set lcd_url to a node of your own",
  every: "1 hour",
  calls: 4,
  grade: "B",
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
