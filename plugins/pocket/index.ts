import { Effect } from "effect"
import { capacity, headline, metric, Plugin, Upstream } from "#plugin"
import { totals } from "#plugin/cosmos"

export default Plugin.define({
  id: "pocket",
  title: "Pocket Network stakes",
  covers: { networks: ["POKT"] },
  source: "pokt_lcd",
  tier: "supply_telemetry",
  hosts: ["sauron-api.infra.pocket.network"],
  settings: { lcd_url: "https://sauron-api.infra.pocket.network" },
  every: "1 hour",
  calls: 4,
  grade: "A",
  evidence: [
    {
      source: "the operator's interface description, pokt-network/poktroll@ab401ed docs/static/openapi.json",
      read: "2026-11-22",
      members: []
    }
  ],
  metrics: {
    suppliers_staked: headline("count", "Suppliers with a stake."),
    applications_staked: metric("count", "Applications with a stake."),
    gateways_staked: capacity("count", "Gateways with a stake."),
    services: metric("count", "Services registered.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const lcd = yield* Upstream.setting("lcd_url")
      const list = (path: string, member: string) => ({
        urls: [`${lcd}/pokt-network/poktroll/${path}`],
        member
      })
      // Dehydrated entries leave out histories and cards, of up to 256 KiB each; applications know no such form.
      return yield* totals(observe, "POKT", {
        suppliers_staked: list("supplier/supplier?dehydrated=true", "supplier"),
        applications_staked: list("application/application", "applications"),
        gateways_staked: {
          ...list("gateway/gateway?dehydrated=true", "gateways"),
          mayBeEmpty: true
        },
        services: list("service/service?dehydrated=true", "service")
      })
    })
})
