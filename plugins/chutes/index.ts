import { Effect, Schema } from "effect"
import { flow, metric, Plugin, partOf, readOn, termsOn, Upstream } from "#plugin"
import { lastCompleteDay } from "#plugin/days"
import { combine, moment, quantity, sum } from "#plugin/fields"

const revenue = {
  new_subscriber_revenue: quantity,
  paygo_revenue: quantity,
  pending_instance_revenue: quantity,
  sponsored_inference: quantity
}
const parts = Object.keys(revenue) as ReadonlyArray<keyof typeof revenue>
const Days = Schema.Array(Schema.Struct({ date: moment, total_revenue: quantity, ...revenue }))

export default Plugin.define({
  id: "chutes",
  title: "Chutes revenue",
  covers: { networks: ["SN64"] },
  tier: "fees_tvl",
  source: "chutes_api",
  hosts: ["api.chutes.ai"],
  every: "6 hours",
  grade: "B",
  evidence: readOn("2026-11-25", {
    "chutesai/chutes-api@d390a53 api/migrations/20250918104132_per_day_private_instance_rev.sql:91":
      "new_subscriber_revenue, paygo_revenue",
    "chutesai/chutes-api@d390a53 api/payment/router.py:30": "date, pending_instance_revenue, total_revenue",
    "DefiLlama/dimension-adapters@db78411a fees/chutes-ai.ts": "sponsored_inference"
  }),
  terms: termsOn("2026-11-25", "Data: Chutes, https://chutes.ai"),
  metrics: {
    revenue_24h_usd: metric(
      "usd",
      "Revenue of the newest UTC day that is over as the operator estimates it, every part that is given: subscriptions at their list price, use, what running private instances will be billed for the day, and inference that the subnet pays itself. The operator lowers a day as subscribers renew."
    ),
    revenue_customers_24h_usd: metric(
      "usd",
      "The parts of it that customers paid: subscriptions that were last renewed on the day, at their list price, and use; without sponsored inference and instances that still run."
    ),
    revenue_paygo_24h_usd: metric(
      "usd",
      "The part of it that is charged by use, with private instances that have ended; the operator's own account is left out."
    ),
    earned_24h_usd: flow(
      "usd",
      "What customers paid on the newest UTC day that is over: subscriptions that were last renewed on it, at their list price, and use.",
      {
        rung: "stated",
        at: "new_subscriber_revenue and paygo_revenue of the newest day that is over, in https://api.chutes.ai/daily_revenue_summary",
        formula: "new_subscriber_revenue + paygo_revenue",
        without:
          "Inference that the subnet pays itself (sponsored_inference), and private instances that still run (pending_instance_revenue).",
        code: "chutesai/chutes-api@d390a53 api/payment/router.py:30",
        recomputed:
          "8 August 2026, from the day that a test of JSONbored/metagraphed quotes (the case real-day): 9,165.245674214532 dollars.",
        differs: "DefiLlama adds both of the parts that are left out here."
      },
      // A day of few renewals is lower by any factor.
      { mayJump: "subscriptions are renewed on some days and not on others", collapse: 1 }
    )
  },
  relations: [
    partOf("earned_24h_usd", "revenue_24h_usd"),
    partOf("revenue_paygo_24h_usd", "revenue_customers_24h_usd"),
    partOf("revenue_customers_24h_usd", "revenue_24h_usd")
  ],
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json("https://api.chutes.ai/daily_revenue_summary", Days)
      if (answer.body.length === 0) return yield* Upstream.implausible(answer, "", "no day listed")
      const day = lastCompleteDay(answer.body, ({ date }) => date, yield* Upstream.now)
      if (day === undefined) return []
      // The upstream adds parts and drops parts: one that no day has is none, and one that only this day lacks is missing.
      const present = parts.filter((part) => answer.body.some((row) => part in row))
      const { new_subscriber_revenue, paygo_revenue, total_revenue } = day.row
      const customers = sum([new_subscriber_revenue, paygo_revenue])
      const revenue_24h_usd = sum(present.map((part) => day.row[part]))
      // The operator's total knows a part that is new; one that is not among these would be lost.
      const differs = combine(
        [total_revenue, revenue_24h_usd],
        ([total, parts]) => Math.abs(total - parts) > total / 1000
      )
      return [
        ...observe(
          answer,
          {
            revenue_24h_usd: differs === true ? undefined : revenue_24h_usd,
            revenue_customers_24h_usd: customers,
            earned_24h_usd: customers,
            revenue_paygo_24h_usd: paygo_revenue
          },
          { as_of: day.as_of }
        ),
        ...(differs === true
          ? [
              {
                symbol: "SN64",
                metric: "revenue_24h_usd",
                reason: `its known parts are ${revenue_24h_usd}, and the operator's total is ${total_revenue}`
              }
            ]
          : [])
      ]
    })
})
