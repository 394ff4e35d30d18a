import { Effect } from "effect"
import { capacity, headline, metric, neverFalls, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { totals } from "#plugin/cosmos"

// Named beside the first in the operator's documentation.
const other = "https://api-pocket.blockval.io"
const source = "pokt-network/poktroll@ab401ed"
const read = "2026-11-25"

export default Plugin.define({
  id: "pocket",
  title: "Pocket Network stakes",
  covers: { networks: ["POKT"] },
  source: "pokt_lcd",
  tier: "supply_telemetry",
  hosts: ["sauron-api.infra.pocket.network", "api-pocket.blockval.io"],
  settings: { lcd_url: "https://sauron-api.infra.pocket.network" },
  every: "1 hour",
  calls: 8,
  grade: "A",
  evidence: readOn(read, {
    [`${source} x/supplier/keeper/query_supplier.go:21`]: "Supplier, Pagination, Dehydrated",
    [`${source} x/application/keeper/query_application.go:17`]: "Applications, Pagination",
    [`${source} x/gateway/keeper/query_gateway.go:16`]: "Gateways, Pagination",
    [`${source} x/service/keeper/query_service.go:20`]: "Service, Pagination",
    [`${source} docs/static/openapi.json`]:
      "supplier, applications, gateways, service, pagination, next_key, total"
  }),
  relations: [neverFalls("services")],
  canaries: [
    {
      request: "https://sauron-api.infra.pocket.network/cosmos/base/tendermint/v1beta1/node_info",
      path: ["default_node_info", "network"],
      is: "pocket",
      why: "The id of the chain: another one is another chain, such as the one for tests."
    }
  ],
  terms: termsOn(read, "Data: Pocket Network, pocket.network"),
  metrics: {
    suppliers_staked: headline("count", "Suppliers with a stake, those that are unbonding included."),
    applications_staked: metric("count", "Applications with a stake, those that are unbonding included."),
    gateways_staked: capacity("count", "Gateways with a stake, those that are unbonding included."),
    services: metric("count", "Services that were ever registered.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const lcd = yield* Upstream.setting("lcd_url")
      const list = (path: string, member: string) => ({
        urls: [lcd, other].map((gateway) => `${gateway}/pokt-network/poktroll/${path}`),
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
