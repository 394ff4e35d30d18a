import { Effect, Schema } from "effect"
import {
  capacity,
  fromBaseUnits,
  headline,
  mayDropToZero,
  metric,
  Plugin,
  readOn,
  termsOn,
  Upstream
} from "#plugin"
import { combine, count, distinct, exactSum, nonEmpty, text } from "#plugin/fields"

/** Stakes are lamports; the largest are above 2^53 and arrive as the nearest double. */
const Account = Schema.Struct({ votePubkey: Schema.NonEmptyString, activatedStake: count })
const Votes = Schema.Struct({ current: nonEmpty(Account), delinquent: Upstream.maybe(Schema.Array(Account)) })
const Node = Schema.Struct({ pubkey: Schema.NonEmptyString, gossip: text })

const each = (accounts: ReadonlyArray<typeof Account.Type>) =>
  distinct(accounts, ({ votePubkey }) => votePubkey)

/** When somebody read the node. */
const read = "2026-11-25"

export default Plugin.define({
  id: "solana",
  title: "Solana cluster",
  covers: { networks: ["SOL"] },
  source: "solana_rpc",
  tier: "supply_telemetry",
  hosts: ["api.mainnet-beta.solana.com"],
  settings: { rpc_url: "https://api.mainnet-beta.solana.com" },
  every: "1 hour",
  calls: 2,
  grade: "A",
  evidence: readOn(read, {
    "anza-xyz/agave@4afe27140c0e467bb98f41d49aa71f06da1f510d rpc/src/rpc.rs":
      "current, delinquent, vote_pubkey, activated_stake, last_vote, gossip, shred_version",
    "https://solana.com/docs/rpc/http/getclusternodes": "pubkey, gossip"
  }),
  terms: termsOn(read, "Data: nodes of Solana, by api.mainnet-beta.solana.com"),
  canaries: [
    {
      request: Upstream.post("https://api.mainnet-beta.solana.com", {
        jsonrpc: "2.0",
        id: 1,
        method: "getGenesisHash",
        params: []
      }),
      path: ["result"],
      is: "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
      why: "The hash of the genesis of the main cluster: another one is another chain."
    }
  ],
  metrics: {
    validators_active: capacity(
      "count",
      "Vote accounts whose last vote is less than 128 slots behind, those without a stake included."
    ),
    validators_delinquent: mayDropToZero(
      "count",
      "Vote accounts with a stake that are 128 slots or more behind.",
      {
        role: "breakdown"
      }
    ),
    staked_amount: metric("tokens", "SOL delegated to vote accounts, those behind included."),
    nodes_online: headline(
      "count",
      "Nodes that gossip an address and are of the cluster's shred version, as the node that was asked knows them."
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const url = yield* Upstream.setting("rpc_url")
      return yield* Plugin.anyOf("SOL", [
        Plugin.from(observe, Upstream.call(url, "getVoteAccounts", [], Votes), (votes) => {
          const current = each(votes.current)
          const delinquent = Array.isArray(votes.delinquent) ? each(votes.delinquent) : undefined
          // One stake that was not told leaves the sum open, and no count.
          const stakes = each([...current, ...(delinquent ?? [])]).map(({ activatedStake }) => activatedStake)
          return {
            validators_active: current.length,
            validators_delinquent: delinquent?.length,
            // Not kept as exact text: the stakes themselves arrived rounded. Without any stake nobody would make a block.
            staked_amount:
              delinquent === undefined
                ? undefined
                : Upstream.zeroIsBroken(
                    combine(stakes, (stakes) => Number(fromBaseUnits(exactSum(stakes), 9)))
                  )
          }
        }),
        Plugin.from(
          observe,
          Upstream.call(url, "getClusterNodes", [], Schema.Array(Node)),
          (nodes, answer) => {
            const gossiping = distinct(nodes, ({ pubkey }) => pubkey).filter(({ gossip }) => gossip)
            return gossiping.length === 0
              ? Upstream.implausible(answer, `["gossip"]`, "no node gossips")
              : { nodes_online: gossiping.length }
          }
        )
      ])
    })
})
