import { Effect } from "effect"
import {
  capacity,
  fromBaseUnits,
  headline,
  metric,
  neverFalls,
  Plugin,
  parameter,
  partOf,
  readOn,
  termsOn,
  Upstream
} from "#plugin"
import { answerOf, reads } from "#plugin/evm"
import { evmHosts, evmNodes } from "#plugin/evmNodes"
import { networks } from "./contracts.ts"

/** When somebody read the sources. */
const read = "2026-11-25"

export default Plugin.define({
  id: "evm-registries",
  title: "Registries and stakes on EVM chains",
  covers: { networks: networks.map(({ symbol }) => symbol) },
  source: "evm_rpc",
  tier: "supply_telemetry",
  hosts: evmHosts(networks.map(({ chain }) => chain)),
  every: "6 hours",
  calls: 16,
  grade: "A",
  evidence: readOn(read, {
    "skalenetwork/skale-manager@f29adaf9cf63f5dcc5d005d50c8e3dd7a98a0124 contracts/Nodes.sol":
      "getNumberOnlineNodes, getNumberOfNodes, numberOfActiveNodes, numberOfLeavingNodes",
    "skalenetwork/skale-manager@009d52ec0caab8f863da6c1f0e33773a445d0289 contracts/delegation/ValidatorService.sol":
      "numberOfValidators",
    "skalenetwork/skale-network@78f5337b56f7674a5890226a1706849cc475922e releases/mainnet/skale-manager/1.14.0/skale-manager-1.14.0-mainnet-contracts.json":
      "nodes, schains_internal, validator_service",
    "subquery/network-contracts@7a0c7aed7df1fd6104376db81256e33d09ca328c publish/mainnet.json":
      "L2SQToken, Staking, EraManager, ProjectRegistry",
    "subquery/network-contracts@00bd1aeaacd5b322ab09d5434c4d0b3f1e6b5cc2 contracts/ProjectRegistry.sol":
      "nextProjectId",
    "subquery/network-contracts@19053899eff17d2c9a8c92dcfcd9e3139a34c3c8 contracts/EraManager.sol":
      "eraNumber",
    "OrchidTechnologies/orchid@a6c5b9a6f6ae36ca37b1ed40845eb6a82b0e10c0 dir-ethereum/directory.sol":
      "have, pull, pendings_",
    "DefiLlama/DefiLlama-Adapters@8d087742c05c204dace9c685405aa04c72f7e923 projects/arpa-staking/index.js":
      "getTotalCommunityStakedAmount",
    "DefiLlama/DefiLlama-Adapters@2c61f0fd3b7594b79d66f13d201475a7fa317c45 projects/api3/index.js":
      "api3_dao_pool, getLockedVestings",
    "https://thegraph.com/docs/en/contracts": "EpochManager, L2GraphToken, L2Staking",
    "https://github.com/ethereum-lists/chains/tree/master/_data/chains": "rpc, chainId"
  }),
  terms: termsOn(read, "Data: nodes of the chains, by public gateways of ethereum-lists/chains"),
  canaries: [
    {
      request: Upstream.post(evmNodes.ethereum[0], {
        jsonrpc: "2.0",
        id: 1,
        method: "eth_getBlockByNumber",
        params: ["0x0", false]
      }),
      path: ["result", "hash"],
      is: "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3",
      why: "The hash of the first block, which every later block builds on."
    }
  ],
  relations: [
    partOf("nodes_online", "nodes_registered_total"),
    neverFalls("nodes_registered_total"),
    neverFalls("validators_registered"),
    neverFalls("projects_total"),
    neverFalls("epoch")
  ],
  metrics: {
    nodes_online: headline(
      "count",
      "Nodes that the registry holds active or leaving, without those in maintenance; no contract pings them."
    ),
    nodes_registered_total: metric("count", "Nodes that were ever registered."),
    chains_total: capacity("count", "Chains that run on the nodes."),
    validators_registered: capacity("count", "Validators that were ever registered, whether trusted or not."),
    staked_amount: headline(
      "tokens",
      "Tokens staked with the network: of API3, GRT and SQT all that its staking contract holds, those in thawing among them; of ARPA the stake of the community, without that of node operators; of OXT the stakes, without what is being withdrawn."
    ),
    projects_total: capacity("count", "Projects that were ever registered."),
    epoch: parameter("count", "Epoch or era of the protocol.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      // All networks of a chain are read at one block.
      const byChain = Map.groupBy(networks, ({ chain }) => chain)
      const outcomes = yield* Effect.forEach(byChain, ([chain, group]) =>
        reads(
          evmNodes[chain],
          group.map((network) => ({
            ...network,
            views: network.figures.map(({ contract, data }) => ({ to: contract, data }))
          }))
        )
      )
      return yield* Plugin.forEach(
        outcomes.flat(),
        Effect.fnUntraced(function* ({ figures, outcome, page, symbol }) {
          const read = yield* Effect.fromResult(outcome)
          const facts = { symbol, as_of: read.as_of, verify_url: page }
          return figures.flatMap(({ decimals, metric }, n) => {
            const value = BigInt(read.answer.body[n] ?? "")
            // The registry counts from 1, and tells the id that is next.
            const count = metric === "projects_total" ? Number(value) - 1 : Number(value)
            const reading = decimals === undefined ? count : fromBaseUnits(value, decimals)
            return observe(answerOf(read, n), { [metric]: reading }, facts)
          })
        })
      )
    })
})
