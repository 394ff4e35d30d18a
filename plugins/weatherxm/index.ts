import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { bareNumber } from "../../core/plugin/shapes/bare.ts"
import { count, moment, number, sum } from "../../core/plugin/shapes/fields.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const api = "https://api.weatherxm.com/api/v1"

const Stats = Schema.Struct({
  last_updated: moment,
  net_health: Upstream.maybe(Schema.Struct({ active_stations: count })),
  /** Where the count stood before there was `net_health`, and stands still. */
  weather_stations: Upstream.maybe(
    Schema.Struct({ active: Upstream.maybe(Schema.Struct({ total: count })) })
  ),
  rewards: Upstream.maybe(Schema.Struct({ last_30days: number }))
})
const Cells = Schema.Array(Schema.Struct({ device_count: count }))

export default Plugin.define({
  id: "weatherxm",
  title: "WeatherXM stations",
  covers: { networks: ["WXM"] },
  tier: "supply_telemetry",
  source: "weatherxm_api",
  hosts: ["api.weatherxm.com"],
  every: "1 hour",
  calls: 3,
  grade: "B",
  owner: "plumbline",
  metrics: {
    nodes_online: metric("count", "Stations that the network holds active."),
    rewards_30d: metric("tokens", "WXM rewarded in the last 30 days."),
    devices_total: metric("count", "Stations deployed, summed over the cells."),
    cells_covered: metric("count", "H3 cells with a station."),
    circulating_supply: metric("tokens", "WXM in circulation, as the network counts it.")
  },
  collect: (observe) =>
    Plugin.anyOf("WXM", [
      Effect.map(Upstream.json(`${api}/network/stats`, Stats), (answer) =>
        observe(
          answer,
          {
            nodes_online:
              answer.body.net_health?.active_stations ?? answer.body.weather_stations?.active?.total,
            rewards_30d: answer.body.rewards?.last_30days
          },
          { as_of: answer.body.last_updated }
        )
      ),
      Effect.gen(function* () {
        const answer = yield* Upstream.json(`${api}/cells`, Cells)
        if (answer.body.length === 0) return yield* Upstream.implausible(answer, "", "no cell listed")
        return observe(answer, {
          devices_total: sum(answer.body.map(({ device_count }) => device_count)),
          cells_covered: answer.body.length
        })
      }),
      Effect.map(bareNumber(`${api}/network/stats/supply/circulating`), (answer) =>
        observe(answer, { circulating_supply: answer.body })
      )
    ])
})
