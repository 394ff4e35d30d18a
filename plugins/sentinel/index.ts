import { headline, Plugin, readOn, termsOn } from "#plugin"
import { totals } from "#plugin/cosmos"

const hosts = ["sentinel-rest.publicnode.com", "sentinel-api.polkachu.com"]
const read = "2026-11-25"

export default Plugin.define({
  id: "sentinel",
  title: "Sentinel nodes",
  covers: { networks: ["DVPN"] },
  source: "sentinel_lcd",
  tier: "supply_telemetry",
  hosts,
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
  collect: (observe) =>
    totals(observe, "DVPN", {
      nodes_online: {
        urls: hosts.map((host) => `https://${host}/sentinel/node/v3/nodes?status=1`),
        member: "nodes"
      }
    })
})
