import { headline, readOn, termsOn } from "#plugin"
import { length } from "#plugin/cosmos"
import { declare } from "#plugin/declare"

const path = "/sentinel/node/v3/nodes?status=1"
const read = "2026-11-25"

export default declare({
  id: "sentinel",
  title: "Sentinel nodes",
  covers: { networks: ["DVPN"] },
  source: "sentinel_lcd",
  tier: "supply_telemetry",
  hosts: ["sentinel-rest.publicnode.com", "sentinel-api.polkachu.com"],
  every: "1 hour",
  // One, or one and the pages where the node does not count.
  calls: 6,
  grade: "A",
  evidence: readOn(read, {
    "sentinel-official/sentinelhub@83e04c6f x/node/keeper/query_handler.go:36": "Nodes, Pagination, Status",
    "sentinel-official/sentinelhub@83e04c6f x/node/keeper/abci.go:13": "Status, StatusInactive",
    "sentinel-official/sentinelhub@83e04c6f proto/sentinel/node/v3/querier.proto:30": "nodes, pagination",
    "cosmos/chain-registry@627bbab sentinel/chain.json": "chain_id, rest, address"
  }),
  canaries: [
    {
      request: "https://sentinel-rest.publicnode.com/cosmos/base/tendermint/v1beta1/node_info",
      path: ["default_node_info", "network"],
      is: "sentinelhub-2",
      why: "The id of the chain: another one is another chain."
    }
  ],
  terms: termsOn(read, "Data: Sentinel, sentinel.co"),
  metrics: {
    nodes_online: headline(
      "count",
      "Nodes in state active on the chain: they have confirmed it within the chain's active period."
    )
  },
  answers: [
    {
      ask: length(
        ["https://sentinel-rest.publicnode.com", "https://sentinel-api.polkachu.com"],
        path,
        "nodes"
      ),
      figures: { nodes_online: "" }
    }
  ]
})
