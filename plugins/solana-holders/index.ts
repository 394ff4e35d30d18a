import { Effect, Schema } from "effect"
import { fromBaseUnits, mayDropToZero, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { nonEmpty } from "#plugin/fields"

const Digits = Schema.String.check(Schema.isPattern(/^\d+$/))

const Largest = Schema.Struct({
  value: nonEmpty(Schema.Struct({ address: Schema.String, amount: Digits, decimals: Schema.Natural }))
})

const node = "https://api.mainnet-beta.solana.com/"

/** When somebody read the node. */
const read = "2026-11-25"

export default Plugin.define({
  id: "solana-holders",
  title: "Largest holders of Solana tokens",
  covers: { catalog: "token_contract" },
  tier: "holders",
  source: "solana_rpc",
  hosts: ["api.mainnet-beta.solana.com"],
  every: "1 day",
  timeout: "5 minutes",
  calls: 30,
  grade: "K",
  evidence: readOn(read, {
    "anza-xyz/agave@4afe27140c0e467bb98f41d49aa71f06da1f510d rpc/src/rpc.rs":
      "get_token_largest_accounts, NUM_LARGEST_ACCOUNTS, address, amount"
  }),
  terms: termsOn(read, "Data: nodes of Solana, by api.mainnet-beta.solana.com"),
  metrics: {
    top_holder_balance: mayDropToZero(
      "tokens",
      "Balance of the largest single token account of the mint, as often a vault or an exchange as a person; several accounts of one owner are not added up."
    )
  },
  collect: (observe) =>
    Effect.flatMap(Upstream.targetsOn({ solana: node }), (tokens) =>
      Plugin.forEach(tokens, ({ id, symbol }) =>
        Plugin.from(
          observe,
          Upstream.call(node, "getTokenLargestAccounts", [id], Largest),
          { symbol, verify_url: `https://solscan.io/token/${id}#holders` },
          ({ value }) => {
            const [top] = value.toSorted((a, b) => (BigInt(a.amount) < BigInt(b.amount) ? 1 : -1))
            return { top_holder_balance: fromBaseUnits(top?.amount, top?.decimals ?? 0) }
          }
        )
      )
    )
})
