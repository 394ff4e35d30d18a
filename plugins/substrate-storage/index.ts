import { Effect } from "effect"
import {
  capacity,
  type Flow,
  flow,
  fromBaseUnits,
  headline,
  metric,
  neverFalls,
  Plugin,
  readOn,
  termsOn,
  Upstream
} from "#plugin"
import { firstOf } from "#plugin/gateways"
import * as Substrate from "#plugin/substrate"
import { type Chain, chains, type Item, timestampNow } from "./chains.ts"
import { newestReward, rewards } from "./eras.ts"

/** How the reward of an era comes about on a chain; `code` is its runtime, and the pallet is that of the Polkadot SDK. */
const eraFlow = (decimals: number, code: string, less: string): Flow => ({
  rung: "chain_read",
  at: "Staking.ErasValidatorReward of the newest era that it has, in the state of the newest final block",
  formula: `little(result) / 10^${decimals}`,
  without: `${less}, and fees of transactions. The share of a validator that nobody calls for within 84 eras is paid to nobody.`,
  code
})

export default Plugin.define({
  id: "substrate-storage",
  title: "Storage of Substrate chains",
  covers: { networks: chains.map(({ symbol }) => symbol) },
  source: "substrate_rpc",
  tier: "supply_telemetry",
  hosts: [...new Set(chains.flatMap(({ nodes }) => nodes.map((node) => new URL(node).host)))],
  every: "3 hours",
  timeout: "3 minutes",
  calls: 43,
  grade: "A",
  evidence: readOn("2026-11-25", {
    "Acurast/acurast-substrate@b59f7d8b pallets/processor-manager/src/functions.rs:31": "LastManagerId",
    "Acurast/acurast-substrate@b59f7d8b pallets/compute/src/staking.rs:1121": "TotalStake",
    "autonomys/subspace@72a5aa6f crates/pallet-subspace/src/lib.rs:448": "SegmentCommitment",
    "autonomys/subspace@72a5aa6f crates/pallet-domains/src/staking.rs:380": "NextOperatorId",
    "availproject/avail@f087850a runtime/src/lib.rs:116": "Staking, Session",
    "paritytech/polkadot-sdk@00456ae8 substrate/frame/session/src/lib.rs": "Validators",
    "Cerebellum-Network/blockchain-node@db75e492 pallets/ddc-customers/src/lib.rs:330": "BucketsCount",
    "peaqnetwork/peaq-network-node@ea4f75cf pallets/parachain-staking/src/lib.rs:579":
      "CandidatePool, TotalCollatorStake",
    "airalab/robonomics@2350783b frame/digital-twin/src/lib.rs:61": "Total",
    "paritytech/polkadot-sdk@8716a26e153ea109e71d13e232d9f76993f94d5b substrate/frame/staking/src/pallet/mod.rs":
      "ErasValidatorReward",
    "peaqnetwork/peaq-network-node@083078d6939abf5e9e4c6b8ef192d6dcf0eb68b2 pallets/inflation-manager/src/lib.rs":
      "BlockRewards",
    "autonomys/subspace@72a5aa6f1060d0aa454f3e72edce912e6d2dc0d6 crates/pallet-rewards/src/lib.rs":
      "RemainingIssuance",
    "autonomys/subspace@72a5aa6f1060d0aa454f3e72edce912e6d2dc0d6 crates/subspace-node/src/chain_spec.rs":
      "remaining_issuance"
  }),
  terms: termsOn("2026-11-25", "Data: the chains themselves, read from public nodes"),
  metrics: {
    validators_active: headline("count", "Validators of the session."),
    nominators: metric("count", "Nominators of the staking pallet."),
    collator_candidates: headline("count", "Collator candidates of the parachain, selected or not."),
    staked_amount: metric(
      "tokens",
      "Tokens staked: by the collators that are selected and their delegators (peaq), or by those who commit compute and their delegators (Acurast)."
    ),
    managers_total: headline("count", "Managers of phones that were ever registered."),
    buckets_total: headline("count", "Buckets of the storage that were ever made."),
    history_segments: headline("count", "Segments of the archived history that farmers store."),
    operators_registered: capacity("count", "Operators of domains that were ever registered."),
    digital_twins_total: headline(
      "count",
      "Digital twins that were ever made on the Kusama parachain; the one on Polkadot counts its own."
    ),
    paid_out_block: flow(
      "tokens",
      "PEAQ that the chain issues with each block, for collators, machines and the other receivers of its rewards.",
      {
        PEAQ: {
          rung: "chain_read",
          at: "InflationManager.BlockRewards in the state of the newest final block",
          formula: "little(result) / 10^18",
          without:
            "Fees of transactions. In it besides what machines and collators receive: the shares of the treasury and of other pots.",
          code: "peaqnetwork/peaq-network-node@083078d6939abf5e9e4c6b8ef192d6dcf0eb68b2 pallets/inflation-manager/src/lib.rs"
        }
      }
    ),
    paid_out_round: flow(
      "tokens",
      "Tokens that validators and their nominators are to receive for the newest era that is over, of about a day, if all of them are paid out.",
      {
        AVAIL: eraFlow(
          18,
          "availproject/avail@f087850a runtime/src/lib.rs:116",
          "What applications pay to post data"
        ),
        CERE: eraFlow(
          10,
          "Cerebellum-Network/blockchain-node@db75e4929400770b49f4f6406551cc5ef88c938f runtime/cere/src/lib.rs",
          "What the nodes that store data are paid by its owners"
        )
      }
    ),
    paid_out_total: flow(
      "tokens",
      "AI3 that farmers were rewarded with for blocks and votes since genesis.",
      {
        AI3: {
          rung: "chain_read",
          at: "Rewards.RemainingIssuance in the state of the newest final block, of the 350,000,000 AI3 that it was at genesis",
          formula: "350000000 - little(result) / 10^18",
          without: "Fees of storage and computing, which farmers receive as well.",
          code: "autonomys/subspace@72a5aa6f1060d0aa454f3e72edce912e6d2dc0d6 crates/pallet-rewards/src/lib.rs"
        }
      }
    )
  },
  // Counters of what was ever made, which the pallets only raise.
  relations: [
    neverFalls("managers_total"),
    neverFalls("buckets_total"),
    neverFalls("history_segments"),
    neverFalls("operators_registered"),
    neverFalls("digital_twins_total"),
    neverFalls("paid_out_total")
  ],
  canaries: chains.flatMap(({ genesis, nodes: [node], symbol }) =>
    genesis === undefined
      ? []
      : [
          {
            request: Upstream.post(node, {
              jsonrpc: "2.0",
              id: 1,
              method: "chain_getBlockHash",
              params: [0]
            }),
            path: ["result"],
            is: genesis,
            why: `The hash of the genesis block of ${symbol}: a node that gives another one is of another chain.`
          }
        ]
  ),
  collect: (observe) =>
    Plugin.forEach(chains, (chain) => firstOf(chain.nodes, (node) => collectFrom(observe, chain, node)))
})

const collectFrom = Effect.fnUntraced(function* (
  observe: Plugin.Observe<Item["metric"]>,
  { eras, items, page, symbol }: Chain,
  rpc: string
) {
  const block = yield* Substrate.finalizedHead(rpc)
  const reward: ReadonlyArray<Item> =
    eras === undefined ? [] : [{ ...eras, ...rewards, key: (yield* newestReward(rpc, block)) ?? rewards.key }]
  const all = [...items, ...reward]
  const { answer, read } = yield* Substrate.storageAt(
    rpc,
    [timestampNow, ...all.map(({ key }) => key)],
    block
  )
  const now = yield* read(timestampNow, "Timestamp.Now", Substrate.u64)
  if (now === undefined) {
    return yield* Upstream.implausible(answer, "Timestamp.Now", "no value: not such a chain")
  }
  const rows: Array<Plugin.CollectedPart> = []
  for (const { codec, decimals, from, key, metric, name } of all) {
    const value = yield* read(key, name, codec)
    // A counter that was renamed has no value, and one of a chain at work is not absent otherwise.
    if (value === undefined) {
      const gone = Upstream.implausible(answer, name, "no value: a runtime upgrade may have renamed it")
      rows.push(Plugin.failedPart(gone, symbol, metric))
      continue
    }
    const figure = from === undefined ? value : from - value
    const reading = decimals === undefined ? Number(figure) : fromBaseUnits(figure, decimals)
    const facts = { symbol, as_of: Number(now), verify_url: page, read_url: Substrate.itemAt(rpc, key) }
    rows.push(...observe(answer, { [metric]: reading }, facts))
  }
  return rows
})
