import { Schema } from "effect"
import { atMost, capacity, flow, headline, metric, Plugin, readOn, termsOn, Upstream } from "#plugin"
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
  evidence: readOn("2026-11-25", {
    "weatherxm-network/explorer@5f0e51f8427d90a4bddf581f2d6887b4e79394f2 components/Stats/types/stats.ts:6":
      "net_health, active_stations, rewards, last_30days, weather_stations, active, total, last_updated",
    "weatherxm-network/explorer@5f0e51f8427d90a4bddf581f2d6887b4e79394f2 components/Mapbox/types/mapbox.ts:6":
      "index, device_count",
    "WeatherXM/wxm-android@447cc71c3df7e2d9c2957b8d3a9807588119d733 app/src/main/java/com/weatherxm/data/models/ApiModels.kt:500":
      "net_health, active_stations, weather_stations, last_30days, last_updated",
    "weatherxm-network/explorer@5f0e51f8427d90a4bddf581f2d6887b4e79394f2 components/Stats/widgets/NetworkHealth.vue:41":
      "activeStationsTooltipText"
  }),
  // Older clients of the answer know no `last_updated`.
  orHeaders: true,
  metrics: {
    nodes_online: headline("count", "Stations that were active during the last day."),
    rewards_30d: metric("tokens", "WXM allocated to stations in the last 30 days.", { max: stationTokens }),
    paid_out_30d: flow(
      "tokens",
      "WXM allocated to stations in the last 30 days.",
      {
        rung: "stated",
        at: "rewards.last_30days of https://api.weatherxm.com/api/v1/network/stats",
        formula: "rewards.last_30days",
        without: "Whether stations have claimed it, and what else the network pays.",
        code: "https://weatherxm.network/docs/wxm-token.html"
      },
      { max: stationTokens }
    ),
    devices_total: capacity(
      "count",
      "Stations deployed, summed over the cells, those of the community included."
    ),
    cells_covered: capacity("count", "H3 cells with a station."),
    circulating_supply: metric("tokens", "WXM in circulation, as the network counts it.", { max: allTokens })
  },
  relations: [atMost("cells_covered", "devices_total")],
  agreesWith: [
    {
      metric: "circulating_supply",
      source: "coingecko_markets",
      tolerance: 0.1,
      why: "Both are the WXM in circulation; the market's figure follows the network's own, and may be some weeks late."
    }
  ],
  terms: termsOn("2026-11-25", "Data: WeatherXM, weatherxm.network", {
    address: "https://weatherxm.network/docs/data-licensing.html",
    licence: "proprietary",
    bodies: "no",
    quote:
      "Licensees will get the right to use the full WeatherXM Dataset commercially. Commercial uses include building and selling value-added services, selling access to the data set for the duration of the license, selling the data through a REST API, building B2B or B2C services that integrate the data"
  }),
  collect: (observe) =>
    Plugin.anyOf("WXM", [
      Plugin.one(observe, `${api}/network/stats`, Stats, { as_of: (it) => it.last_updated }, (stats) => ({
        nodes_online: stats.net_health?.active_stations ?? stats.weather_stations?.active?.total,
        rewards_30d: stats.rewards?.last_30days,
        paid_out_30d: stats.rewards?.last_30days
      })),
      Plugin.one(observe, `${api}/cells`, Cells, (listed, answer) => {
        const cells = distinct(listed, ({ index }) => index)
        const devices_total = sum(cells.map(({ device_count }) => device_count))
        return devices_total === 0
          ? Upstream.implausible(answer, `["device_count"]`, "cells without a station")
          : { devices_total, cells_covered: cells.filter(({ device_count }) => device_count !== 0).length }
      }),
      Plugin.from(observe, circulating, (circulating_supply) => ({ circulating_supply }))
    ])
})
