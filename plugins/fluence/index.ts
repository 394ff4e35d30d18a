import { Effect, Schema } from "effect"
import { mayDropToZero, metric, Plugin, partOf, readOn, termsOn, Upstream } from "#plugin"
import { lastCompleteDay } from "#plugin/days"
import { combine, difference, quantity, text } from "#plugin/fields"

const Revenue = Schema.Struct({
  accumulatedSnapshots: Upstream.maybe(Schema.Array(Schema.Struct({ date: text, value: quantity })))
})

export default Plugin.define({
  id: "fluence",
  title: "Fluence network revenue",
  covers: { networks: ["FLT"] },
  tier: "fees_tvl",
  source: "fluence_dashboards",
  hosts: ["network-dashboards-api.stage.fluence.dev"],
  settings: { api_url: "https://network-dashboards-api.stage.fluence.dev" },
  disabled: "the only address known is a staging host, which need not hold what the network earned",
  every: "1 day",
  grade: "C",
  evidence: readOn("2026-11-25", {
    // The only public program that names the host; nothing public fills the members.
    "DefiLlama/dimension-adapters@0ed1f94050696afbdb902632b72bbc0545b15f10 fees/fluence/index.ts:6":
      "accumulatedSnapshots, date, value"
  }),
  relations: [partOf("revenue_24h_usd", "network_revenue_usd")],
  terms: termsOn("2026-11-25", "Data: Fluence, fluence.network"),
  metrics: {
    network_revenue_usd: metric(
      "usd",
      "Fees that users of compute have paid since the start, as a dashboard of the operator accumulates them."
    ),
    revenue_24h_usd: mayDropToZero(
      "usd",
      "The growth of network_revenue_usd between the two newest snapshots, a day apart."
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const api = yield* Upstream.setting("api_url")
      const answer = yield* Upstream.json(`${api}/api/v1/network-revenue`, Revenue)
      const snapshots = answer.body.accumulatedSnapshots
      if (snapshots === undefined || snapshots === null) return []
      // A snapshot of midnight is the last word on the day that ends there.
      const newest = lastCompleteDay(
        snapshots,
        ({ date }) => combine([Upstream.time(date)], ([midnight]) => midnight - 1),
        yield* Upstream.now
      )
      if (newest === undefined) {
        return yield* Upstream.implausible(answer, `["accumulatedSnapshots"]`, "no snapshot listed")
      }
      const { as_of, before, row } = newest
      const revenue_24h_usd = difference(row.value, before?.value)
      return observe(answer, { network_revenue_usd: row.value, revenue_24h_usd }, { as_of })
    })
})
