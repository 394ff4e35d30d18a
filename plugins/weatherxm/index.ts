import { Schema } from "effect"
import { capacity, headline, metric, Plugin, Upstream } from "#plugin"
import { bareNumber } from "#plugin/bare"
import { count, distinct, moment, nonEmpty, number, object, positive, sum } from "#plugin/fields"

/** All WXM that will ever exist, and those of them that stations can earn (https://weatherxm.network/docs/wxm-token.html). */
const allTokens = 100_000_000
const stationTokens = 55_000_000

const api = "https://api.weatherxm.com/api/v1"
const circulating = bareNumber(`${api}/network/stats/supply/circulating`)
const Stats = Schema.Struct({
  last_updated: moment,
  net_health: object({ active_stations: positive }),
  /** Where the count stood before there was `net_health`, and stands still. */
  weather_stations: object({ active: object({ total: count }) }),
  rewards: object({ last_30days: number })
})
const Cells = nonEmpty(Schema.Struct({ index: Schema.NonEmptyString, device_count: count }))

export default Plugin.define({
  id: "weatherxm",
  title: "WeatherXM stations",
  covers: { networks: ["WXM"] },
  source: "weatherxm_api",
  tier: "supply_telemetry",
  hosts: ["api.weatherxm.com"],
  every: "1 hour",
  calls: 3,
  grade: "B",
  evidence: [
    {
      source:
        "stored clients of the WeatherXM API and Ricolax310/GetKinetik scripts/sybil-scan-weatherxm.mjs",
      read: "2026-11-20",
      members: []
    }
  ],
  metrics: {
    nodes_online: headline("count", "Stations that the network holds active."),
    rewards_30d: metric("tokens", "WXM rewarded in the last 30 days.", { max: stationTokens }),
    devices_total: capacity("count", "Stations deployed, summed over the cells."),
    cells_covered: capacity("count", "H3 cells with a station."),
    circulating_supply: metric("tokens", "WXM in circulation, as the network counts it.", { max: allTokens })
  },
  collect: (observe) =>
    Plugin.anyOf("WXM", [
      Plugin.one(observe, `${api}/network/stats`, Stats, { as_of: (it) => it.last_updated }, (stats) => ({
        nodes_online: stats.net_health?.active_stations ?? stats.weather_stations?.active?.total,
        rewards_30d: stats.rewards?.last_30days
      })),
      Plugin.one(observe, `${api}/cells`, Cells, (listed, answer) => {
        const cells = distinct(listed, ({ index }) => index)
        const devices_total = sum(cells.map(({ device_count }) => device_count))
        return devices_total === 0
          ? Upstream.implausible(answer, `["device_count"]`, "cells without a station")
          : { devices_total, cells_covered: cells.length }
      }),
      Plugin.from(observe, circulating, (circulating_supply) => ({ circulating_supply }))
    ])
})
