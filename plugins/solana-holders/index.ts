import { Effect, Schema } from "effect"
import { fromBaseUnits, mayDropToZero, Plugin, Upstream } from "#plugin"
import { nonEmpty } from "#plugin/fields"

const Digits = Schema.String.check(Schema.isPattern(/^\d+$/))

const Largest = Schema.Struct({
  value: nonEmpty(Schema.Struct({ address: Schema.String, amount: Digits, decimals: Schema.Natural }))
})

const node = "https://api.mainnet-beta.solana.com/"

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
  evidence: [{ source: "the Solana JSON-RPC reference", read: "2026-11-20", members: [] }],
  metrics: {
    top_holder_balance: mayDropToZero(
      "tokens",
      "Balance of the largest token account, as often a vault or an exchange as a person."
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
