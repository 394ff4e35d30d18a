import { Effect } from "effect"
import { endOfDay, isoTime, metric, Plugin, Upstream } from "#plugin"
import { bareNumber } from "#plugin/bare"

const day = 86_400_000

export default Plugin.define({
  id: "iotex",
  title: "IoTeX gas fees",
  covers: { networks: ["IOTX"] },
  tier: "fees_tvl",
  source: "iotex_analyzer",
  hosts: ["gateway1.iotex.me"],
  disabled: "the analyzer has answered 0 for every day since 2026-06-02",
  every: "6 hours",
  grade: "B",
  evidence: [{ source: "DefiLlama's adapter fees/iotex", read: "2026-11-20", members: [] }],
  metrics: {
    gas_fees_24h: metric("tokens", "IOTX paid for gas in the newest UTC day that is over.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const yesterday = endOfDay((yield* Upstream.now) - day)
      const date = isoTime(yesterday).slice(0, 10)
      const answer = yield* bareNumber(
        `https://gateway1.iotex.me/analyzer/sumGasFeeIotx?start_date=${date}&end_date=${date}`
      )
      return observe(answer, { gas_fees_24h: answer.body }, { as_of: yesterday })
    })
})
