import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { lastCompleteDay } from "../../core/plugin/shapes/days.ts"
import { number, sum } from "../../core/plugin/shapes/fields.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const Days = Schema.Array(
  Schema.Struct({
    date: Upstream.TimeText,
    new_subscriber_revenue: number,
    paygo_revenue: number,
    pending_instance_revenue: number,
    sponsored_inference: number
  })
)

export default Plugin.define({
  id: "chutes",
  title: "Chutes revenue",
  covers: { networks: ["SN64"] },
  tier: "fees_tvl",
  source: "chutes_api",
  hosts: ["api.chutes.ai"],
  every: "6 hours",
  grade: "B",
  owner: "plumbline",
  metrics: {
    revenue_24h_usd: metric("usd", "Revenue of the newest UTC day that is over, every part that is given."),
    revenue_paygo_24h_usd: metric("usd", "The part of it that is paid by use.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json("https://api.chutes.ai/daily_revenue_summary", Days)
      if (answer.body.length === 0) return yield* Upstream.implausible(answer, "", "no day listed")
      const day = lastCompleteDay(answer.body, ({ date }) => date, yield* Upstream.now)
      if (day === undefined) return []
      const { date: _, ...parts } = day.row
      const given = Object.values(parts).filter((part) => part !== null && part !== undefined)
      return observe(
        answer,
        { revenue_24h_usd: sum(given), revenue_paygo_24h_usd: parts.paygo_revenue },
        { as_of: day.as_of }
      )
    })
})
