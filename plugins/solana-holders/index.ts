import { Effect, Result, Schema } from "effect"
import { fromBaseUnits, mayDropToZero, Plugin, Upstream } from "#plugin"

const Digits = Schema.String.check(Schema.isPattern(/^\d+$/))

const Largest = Schema.Struct({
  value: Schema.Array(Schema.Struct({ address: Schema.String, amount: Digits, decimals: Schema.Natural }))
})

const node = "https://api.mainnet-beta.solana.com/"

const read = Effect.fnUntraced(function* (mint: string) {
  const answer = yield* Upstream.rpc(node, [
    { method: "getTokenLargestAccounts", params: [mint], result: Largest }
  ])
  const [{ value }] = answer.body
  const [first] = value.toSorted((a, b) => (BigInt(a.amount) < BigInt(b.amount) ? 1 : -1))
  if (first === undefined) return yield* Upstream.implausible(answer, '["value"]', "no account of the token")
  return { answer, top: first }
})

export default Plugin.define({
  id: "solana-holders",
  title: "Largest holders of Solana tokens",
  covers: { catalog: "token_contract" },
  tier: "holders",
  source: "solana_rpc",
  hosts: ["api.mainnet-beta.solana.com"],
  every: "1 day",
  timeout: "5 minutes",
  calls: 20,
  grade: "K",
  metrics: {
    top_holder_balance: mayDropToZero(
      "tokens",
      "Balance of the largest token account, as often a vault or an exchange as a person."
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const targets = (yield* Upstream.targets).filter(({ chain }) => chain === "solana")
      const outcomes = yield* Upstream.parts(targets.map((target) => [target, read(target.id)] as const))
      return outcomes.flatMap(({ name: { id, symbol }, outcome }) => {
        if (Result.isFailure(outcome))
          return [Plugin.failedPart(outcome.failure, symbol, "top_holder_balance")]
        const { answer, top } = outcome.success
        const top_holder_balance = fromBaseUnits(top.amount, top.decimals)
        return observe(
          answer,
          { top_holder_balance },
          { symbol, verify_url: `https://solscan.io/token/${id}#holders` }
        )
      })
    })
})
