import { Effect } from "effect"
import { capacity, fromBaseUnits, headline, metric, Plugin, Upstream } from "#plugin"
import * as Substrate from "#plugin/substrate"
import { chains, timestampNow } from "./chains.ts"

export default Plugin.define({
  id: "substrate-storage",
  title: "Storage of Substrate chains",
  covers: { networks: chains.map(({ symbol }) => symbol) },
  source: "substrate_rpc",
  tier: "supply_telemetry",
  hosts: chains.map(({ rpc }) => new URL(rpc).host),
  every: "3 hours",
  timeout: "3 minutes",
  calls: 30,
  grade: "A",
  evidence: [
    { source: "the operators' pallets, each with its commit in the README", read: "2026-11-22", members: [] }
  ],
  metrics: {
    validators_active: headline("count", "Validators of the session."),
    nominators: metric("count", "Nominators of the staking pallet."),
    collator_candidates: headline("count", "Collator candidates of the parachain."),
    staked_amount: metric(
      "tokens",
      "Tokens staked: with collators and their delegators, or with compute providers."
    ),
    managers_total: headline("count", "Managers of phones that were ever registered."),
    buckets_total: headline("count", "Buckets of the storage that were ever made."),
    history_segments: headline("count", "Segments of the archived history that farmers store."),
    operators_registered: capacity("count", "Operators of domains that were ever registered."),
    digital_twins_total: headline("count", "Digital twins that were ever made.")
  },
  collect: (observe) =>
    Plugin.forEach(
      chains,
      Effect.fnUntraced(function* ({ items, page, rpc, symbol }) {
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
    )
})
