import { Effect, Schema } from "effect"
import { mayDropToZero, metric, Plugin, Upstream } from "#plugin"
import { difference, quantity, text } from "#plugin/fields"

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
  metrics: {
    network_revenue_usd: metric("usd", "Paid for compute since the start."),
    revenue_24h_usd: mayDropToZero("usd", "The growth of it between the two newest snapshots, a day apart.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const api = yield* Upstream.setting("api_url")
      const answer = yield* Upstream.json(`${api}/api/v1/network-revenue`, Revenue)
      const snapshots = answer.body.accumulatedSnapshots
      if (snapshots === undefined || snapshots === null) return []
      const [newest, before] = snapshots
        .flatMap(({ date, value }) => {
          const as_of = Upstream.time(date)
          return as_of === undefined ? [] : [{ as_of, value }]
        })
        .sort((a, b) => b.as_of - a.as_of)
      if (newest === undefined) {
        return yield* Upstream.implausible(answer, `["accumulatedSnapshots"]`, "no snapshot listed")
      }
      const dayApart = before !== undefined && newest.as_of - before.as_of === 86_400_000
      const revenue_24h_usd = dayApart ? difference(newest.value, before.value) : undefined
      return observe(answer, { network_revenue_usd: newest.value, revenue_24h_usd }, { as_of: newest.as_of })
    })
})
