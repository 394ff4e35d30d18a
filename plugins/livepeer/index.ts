import { headline, neverFalls, parameter, partOf, readOn, termsOn, Upstream } from "#plugin"
import { declare } from "#plugin/declare"
import { contract } from "#plugin/evm"

/** The proxy of BondingManager on Arbitrum One. */
const bondingManager = "0x35Bcf3c30594191d53231E4FF333E8A770453e40"

const rpc_url = "https://arb1.arbitrum.io/rpc"
const read = "2026-11-25"

export default declare({
  id: "livepeer",
  title: "Livepeer orchestrators",
  covers: { networks: ["LPT"] },
  source: "livepeer_bonding_manager",
  tier: "supply_telemetry",
  hosts: ["arb1.arbitrum.io", "arbitrum-one-rpc.publicnode.com"],
  settings: { rpc_url },
  every: "6 hours",
  calls: 6,
  grade: "A",
  evidence: readOn(read, {
    "livepeer/protocol@f225b10 contracts/bonding/BondingManager.sol:1125":
      "getTranscoderPoolMaxSize, getTranscoderPoolSize",
    "livepeer/protocol@f225b10 deployments/arbitrumMainnet/BondingManagerProxy.json:2": "address"
  }),
  terms: termsOn(read, "Data: Livepeer, livepeer.org, read on Arbitrum One"),
  metrics: {
    active_orchestrators: headline(
      "count",
      "Orchestrators in the pool that is the active set of the next round; it differs from the round's own by those that joined or left in it."
    ),
    max_orchestrators: parameter("count", "Room in the pool.")
  },
  relations: [partOf("active_orchestrators", "max_orchestrators"), neverFalls("max_orchestrators")],
  canaries: [
    {
      request: Upstream.post(rpc_url, {
        jsonrpc: "2.0",
        id: 1,
        method: "eth_getBlockByNumber",
        params: ["0x0", false]
      }),
      path: ["result", "hash"],
      is: "0x7ee576b35482195fc49205cec9af72ce14f003b9ae69f6ba0faef4514be8b442",
      why: "The hash of the first block of Arbitrum One, which every later block builds on."
    }
  ],
  answers: [
    {
      ask: contract(["{rpc_url}", "https://arbitrum-one-rpc.publicnode.com"], bondingManager, {
        getTranscoderPoolSize: "0x2a4e0d55",
        getTranscoderPoolMaxSize: "0x5a2a75a9"
      }),
      as_of: "timestamp",
      positive: ["getTranscoderPoolSize"],
      verify_url: "https://explorer.livepeer.org/orchestrators",
      figures: {
        active_orchestrators: "getTranscoderPoolSize",
        max_orchestrators: "getTranscoderPoolMaxSize"
      }
    }
  ]
})
