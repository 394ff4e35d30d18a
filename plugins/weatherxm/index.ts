import { Schema } from "effect"
import { capacity, headline, metric, Plugin, Upstream } from "#plugin"
import { bareNumber } from "#plugin/bare"
import { count, moment, number, sum } from "#plugin/fields"

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
  source: "weatherxm_api",
  hosts: ["api.weatherxm.com"],
  every: "1 hour",
  calls: 3,
  grade: "B",
  metrics: {
    nodes_online: headline("count", "Stations that the network holds active."),
    rewards_30d: metric("tokens", "WXM rewarded in the last 30 days."),
    devices_total: capacity("count", "Stations deployed, summed over the cells."),
    cells_covered: capacity("count", "H3 cells with a station."),
    circulating_supply: metric("tokens", "WXM in circulation, as the network counts it.")
  },
  collect: (observe) =>
    Plugin.anyOf("WXM", [
      Plugin.one(
        observe,
        `${api}/network/stats`,
        Stats,
        { as_of: ({ last_updated }) => last_updated },
        ({ net_health, rewards, weather_stations }) => ({
          nodes_online: net_health?.active_stations ?? weather_stations?.active?.total,
          rewards_30d: rewards?.last_30days
        })
      ),
      Plugin.one(observe, `${api}/cells`, Cells, (cells, answer) =>
        cells.length === 0
          ? Upstream.implausible(answer, "", "no cell listed")
          : { devices_total: sum(cells.map(({ device_count }) => device_count)), cells_covered: cells.length }
      ),
      Plugin.from(observe, bareNumber(`${api}/network/stats/supply/circulating`), (circulating_supply) => ({
        circulating_supply
      }))
    ])
})
