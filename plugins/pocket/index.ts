import { capacity, headline, metric, neverFalls, readOn, termsOn } from "#plugin"
import { length } from "#plugin/cosmos"
import { declare } from "#plugin/declare"

// The second is named beside the first in the operator's documentation.
const gateways = ["{lcd_url}/pokt-network/poktroll/", "https://api-pocket.blockval.io/pokt-network/poktroll/"]
const source = "pokt-network/poktroll@ab401ed"
const read = "2026-11-25"

export default declare({
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
  answers: [
    // Dehydrated entries leave out histories and cards, of up to 256 KiB each; applications know no such form.
    {
      ask: length(gateways, "supplier/supplier?dehydrated=true", "supplier"),
      figures: { suppliers_staked: "" }
    },
    {
      ask: length(gateways, "application/application", "applications"),
      figures: { applications_staked: "" }
    },
    {
      ask: length(gateways, "gateway/gateway?dehydrated=true", "gateways", { mayBeEmpty: true }),
      figures: { gateways_staked: "" }
    },
    { ask: length(gateways, "service/service?dehydrated=true", "service"), figures: { services: "" } }
  ]
})
