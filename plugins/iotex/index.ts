import { Effect } from "effect"
import { endOfDay, isoTime, metric, Plugin, readOn, termsOn, Upstream } from "#plugin"
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
  evidence: readOn("2026-11-25", {
    "iotexproject/quicksilver@6e91c76 src/tools/l1data.ts:407": "sumGasFeeIotx, start_date, end_date",
    "DefiLlama/dimension-adapters@b167e3a5a473640c4b4783ad1d6bf6cf2a71de76 fees/iotex/index.ts":
      "sumGasFeeIotx, start_date, end_date"
  }),
  terms: termsOn("2026-11-25", "Data: IoTeX, https://iotex.io"),
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
