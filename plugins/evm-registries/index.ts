import { Effect } from "effect"
import {
  capacity,
  flow,
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
import { type Figure, networks } from "./contracts.ts"

/** What is asked of the chain for a figure. */
const viewsOf = ({ contract, data, times }: Figure) =>
  [data, times].flatMap((call) => (call === undefined ? [] : [{ to: contract, data: call }]))

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
  calls: 17,
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
    "graphprotocol/contracts@d2e83ed5cf1f973863c77ed3ec9a0d4e9b44e62d packages/issuance/contracts/allocate/IssuanceAllocator.sol":
      "getIssuancePerBlock",
    "livepeer/protocol@47fe7e28d2f1f0d6b950d60ff580dbfcf55e3831 contracts/token/Minter.sol":
      "currentMintableTokens",
    "graphprotocol/contracts@01a67f9a4b39ebd440403f44c06e413d602c1610 packages/issuance/addresses.json":
      "IssuanceAllocator",
    "ethersphere/storage-incentives@d58cf4782f224c4948e36b7d405ecdfd428baa6c src/PostageStamp.sol":
      "lastPrice, validChunkCount",
    "ethersphere/storage-incentives@d58cf4782f224c4948e36b7d405ecdfd428baa6c mainnet_deployed.json":
      "postageStamp",
    "DefiLlama/dimension-adapters@e7346b0e9e7d971494bc938eb87226c19a7ed272 fees/geodnet.ts":
      "GEODNET_TOKEN_ADDRESS, PADDED_BURN_ADDRESS",
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
    neverFalls("earned_total"),
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
    epoch: parameter("count", "Epoch or era of the protocol."),
    earned_block: flow(
      "tokens",
      "BZZ that owners of postage stamps pay for storage with each block of Gnosis Chain.",
      {
        BZZ: {
          rung: "chain_read",
          at: "lastPrice() and validChunkCount() of the PostageStamp 0x45a1502382541Cd610CC9068e88727426b696293 on Gnosis Chain",
          formula: "result(1) × result(2) / 10^16",
          without:
            "Payments for traffic between nodes (SWAP). Stamps that ran out since the last claim of a round still count until the next one.",
          code: "ethersphere/storage-incentives@d58cf4782f224c4948e36b7d405ecdfd428baa6c src/PostageStamp.sol"
        }
      }
    ),
    earned_total: flow(
      "tokens",
      "GEOD on Polygon that were burnt since the start, bought with what customers paid for corrections.",
      {
        GEOD: {
          rung: "chain_read",
          at: "balanceOf(0x000000000000000000000000000000000000dEaD) of the token 0xAC0F66379A6d7801D7726d5a943356A172549Adb on Polygon",
          formula: "result / 10^18",
          without:
            "The fifth of what customers pay that buys no GEOD, and burns on Solana. The address cannot tell who sent what lies there.",
          code: "DefiLlama/dimension-adapters@e7346b0e9e7d971494bc938eb87226c19a7ed272 fees/geodnet.ts",
          differs:
            "DefiLlama adds the burns on Solana, and divides by 0.8: what is burnt is four fifths of what customers pay."
        }
      }
    ),
    paid_out_round: flow(
      "tokens",
      "LPT that the protocol mints for orchestrators and delegators in the current round, of about 19 to 22 hours, if all of them call for their reward.",
      {
        LPT: {
          rung: "chain_read",
          at: "currentMintableTokens() of the Minter 0xc20DE37170B45774e6CD3d2304017fc962f27252 on Arbitrum One",
          formula: "result / 10^18",
          without:
            "The fees of tickets, which broadcasters pay in ETH. It is what may be minted: for an orchestrator that does not call for its reward nothing is.",
          code: "livepeer/protocol@47fe7e28d2f1f0d6b950d60ff580dbfcf55e3831 contracts/token/Minter.sol"
        }
      }
    ),
    paid_out_block: flow(
      "tokens",
      "GRT that the protocol issues with each block of Ethereum to those who index, and to the other targets of its allocator.",
      {
        GRT: {
          rung: "chain_read",
          at: "getIssuancePerBlock() of the IssuanceAllocator 0xb64f29b2d81140ffc3a135e319561a1bd03b1a7e on Arbitrum One",
          formula: "result / 10^18",
          without:
            "Fees of queries, which are paid between accounts. In it besides rewards for indexing (80 % in September 2026): what goes to the other targets.",
          code: "graphprotocol/contracts@d2e83ed5cf1f973863c77ed3ec9a0d4e9b44e62d packages/issuance/contracts/allocate/IssuanceAllocator.sol"
        }
      }
    )
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
            views: network.figures.flatMap(viewsOf)
          }))
        )
      )
      return yield* Plugin.forEach(
        outcomes.flat(),
        Effect.fnUntraced(function* ({ figures, outcome, page, symbol }) {
          const read = yield* Effect.fromResult(outcome)
          const facts = { symbol, as_of: read.as_of, verify_url: page }
          let next = 0
          return figures.flatMap((figure) => {
            const { decimals, metric } = figure
            const places = viewsOf(figure).map(() => next++)
            const value = places.reduce((product, n) => product * BigInt(read.answer.body[n] ?? ""), 1n)
            // The registry counts from 1, and tells the id that is next.
            const count = metric === "projects_total" ? Number(value) - 1 : Number(value)
            const reading = decimals === undefined ? count : fromBaseUnits(value, decimals)
            return observe(answerOf(read, ...places), { [metric]: reading }, facts)
          })
        })
      )
    })
})
