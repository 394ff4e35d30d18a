import { Effect, Schema } from "effect"
import { flow, fromBaseUnits, metric, neverFalls, Plugin, partOf, readOn, termsOn, Upstream } from "#plugin"
import { lastCompleteDay } from "#plugin/days"
import { exactDifference, moment } from "#plugin/fields"

const day = 86_400_000

/** Base units: text, for a double does not hold them; a small one may come as a number. */
const Total = Upstream.maybe(Schema.Union([Schema.String, Schema.Natural]))

const Stats = Schema.Struct({
  daily_stats: Schema.Array(
    Schema.Struct({
      day: moment,
      timestamp: moment,
      icp_burned_total: Total,
      total_cycle_burn_till_date: Total
    })
  )
})

/** The day of a row: its date, or where that is missing, the time of its last second. */
const dayOf = ({ day: date, timestamp }: (typeof Stats.Type)["daily_stats"][number]) => date ?? timestamp

export default Plugin.define({
  id: "internet-computer-burn",
  title: "Internet Computer burn",
  covers: { networks: ["ICP"] },
  tier: "fees_tvl",
  source: "ic_api_daily",
  hosts: ["ic-api.internetcomputer.org"],
  every: "6 hours",
  grade: "B",
  evidence: readOn("2026-11-25", {
    "DefiLlama/dimension-adapters@5caa18b5d002ef0caaa5740c4e2da9e1a52df9b6 fees/icp.ts":
      "daily_stats, icp_burned_total, total_cycle_burn_till_date",
    "dragginzgame/ic-query@0252578 crates/ic-query/src/ic/live/network.rs:106": "daily_stats, day, timestamp"
  }),
  relations: [
    neverFalls("tokens_burned_total"),
    neverFalls("cycles_burned_total"),
    partOf("tokens_burned_24h", "tokens_burned_total"),
    partOf("cycles_burned_24h", "cycles_burned_total")
  ],
  terms: termsOn("2026-11-25", "Data: DFINITY Foundation, https://dashboard.internetcomputer.org"),
  metrics: {
    tokens_burned_total: metric("tokens", "ICP burned since the start, by fees and for cycles."),
    tokens_burned_24h: metric("tokens", "ICP burned in the newest UTC day that is over."),
    cycles_burned_total: metric("count", "Cycles burned since the start; 10^12 of them cost one XDR.", {
      // All ICP there is would make some 10^21 cycles.
      max: 1e22
    }),
    cycles_burned_24h: metric("count", "Cycles burned in the newest UTC day that is over.", { max: 1e19 }),
    earned_24h: flow(
      "tokens",
      "ICP burned in the newest UTC day that is over: for cycles, with which users pay for computing, and as fees of transfers.",
      {
        rung: "chain_indexed",
        at: "daily_stats.icp_burned_total of https://ic-api.internetcomputer.org/api/v3/daily-stats, of the newest day that is over and the day before",
        formula: "(icp_burned_total - icp_burned_total of the day before) / 10^8",
        without:
          "Cycles that were used up on the day, which were bought on days before. In it besides payments for computing: fees of transfers.",
        code: "dragginzgame/ic-query@0252578 crates/ic-query/src/ic/live/network.rs:106",
        differs:
          "DefiLlama counts cycles that were used up on the day, at that day's rate of ICP to XDR, and not the ICP that was burned to buy them."
      }
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const now = yield* Upstream.now
      const today = Math.floor(now / day) * day
      const answer = yield* Upstream.json(
        `https://ic-api.internetcomputer.org/api/v3/daily-stats?start=${(today - 4 * day) / 1000}&end=${today / 1000 - 1}`,
        Stats
      )
      const rows = answer.body.daily_stats
      if (rows.length === 0) return yield* Upstream.implausible(answer, `["daily_stats"]`, "no day listed")
      const newest = lastCompleteDay(rows, dayOf, now)
      if (newest === undefined) {
        return yield* Upstream.implausible(answer, `["daily_stats"]`, "no day that is over")
      }
      // Both count from the start: a day is what they grew by over the day before, where that one is listed.
      const { as_of, before, row } = newest
      const { icp_burned_total, total_cycle_burn_till_date } = row
      const burned = fromBaseUnits(exactDifference(icp_burned_total, before?.icp_burned_total), 8)
      return observe(
        answer,
        {
          tokens_burned_total: fromBaseUnits(icp_burned_total, 8),
          tokens_burned_24h: burned,
          earned_24h: burned,
          cycles_burned_total: total_cycle_burn_till_date,
          cycles_burned_24h: exactDifference(total_cycle_burn_till_date, before?.total_cycle_burn_till_date)
        },
        { as_of }
      )
    })
})
