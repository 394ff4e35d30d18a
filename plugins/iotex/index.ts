import { metric, readOn, termsOn } from "#plugin"
import { bareNumber } from "#plugin/bare"
import { declare } from "#plugin/declare"

export default declare({
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
  answers: [
    {
      ask: bareNumber(
        "https://gateway1.iotex.me/analyzer/sumGasFeeIotx?start_date={yesterday}&end_date={yesterday}"
      ),
      daily: true,
      figures: { gas_fees_24h: { number: "", decimals: 0 } }
    }
  ]
})
