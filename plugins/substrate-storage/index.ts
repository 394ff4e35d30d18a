import { Effect } from "effect"
import {
  capacity,
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

export default Plugin.define({
  id: "substrate-storage",
  title: "Storage of Substrate chains",
  covers: { networks: chains.map(({ symbol }) => symbol) },
  source: "substrate_rpc",
  tier: "supply_telemetry",
  hosts: [...new Set(chains.flatMap(({ nodes }) => nodes.map((node) => new URL(node).host)))],
  every: "3 hours",
  timeout: "3 minutes",
  calls: 37,
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
    "airalab/robonomics@2350783b frame/digital-twin/src/lib.rs:61": "Total"
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
    )
  },
  // Counters of what was ever made, which the pallets only raise.
  relations: [
    neverFalls("managers_total"),
    neverFalls("buckets_total"),
    neverFalls("history_segments"),
    neverFalls("operators_registered"),
    neverFalls("digital_twins_total")
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
  { items, page, symbol }: Chain,
  rpc: string
) {
  const block = yield* Substrate.finalizedHead(rpc)
  const { answer, read } = yield* Substrate.storageAt(
    rpc,
    [timestampNow, ...items.map(({ key }) => key)],
    block
  )
  const now = yield* read(timestampNow, "Timestamp.Now", Substrate.u64)
  if (now === undefined) {
    return yield* Upstream.implausible(answer, "Timestamp.Now", "no value: not such a chain")
  }
  const rows: Array<Plugin.CollectedPart> = []
  for (const { codec, decimals, key, metric, name } of items) {
    const value = yield* read(key, name, codec)
    // A counter that was renamed has no value, and one of a chain at work is not absent otherwise.
    if (value === undefined) {
      const gone = Upstream.implausible(answer, name, "no value: a runtime upgrade may have renamed it")
      rows.push(Plugin.failedPart(gone, symbol, metric))
      continue
    }
    const reading = decimals === undefined ? Number(value) : fromBaseUnits(value, decimals)
    const facts = { symbol, as_of: Number(now), verify_url: page, read_url: Substrate.itemAt(rpc, key) }
    rows.push(...observe(answer, { [metric]: reading }, facts))
  }
  return rows
})
