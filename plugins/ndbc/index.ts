import { Effect } from "effect"
import { capacity, headline, metric, Plugin, Upstream } from "#plugin"
import { distinct } from "#plugin/fields"

const columns = ["#STN", "YYYY", "MM", "DD", "hh", "mm", "WVHT"] as const
const hour = 3_600_000

/** A number in a cell; `MM` stands for a missing one. Anything else is NaN. */
const figureIn = (cell: string): number | undefined =>
  cell === "MM" ? undefined : /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : Number.NaN

export default Plugin.define({
  id: "ndbc",
  title: "Weather stations at sea",
  covers: { sector: "PHYSICAL_OCEAN", symbols: ["SEA_STATIONS"], gauges: ["sea_stations_reporting_1h"] },
  tier: "physical",
  source: "noaa_ndbc_latest",
  hosts: ["www.ndbc.noaa.gov"],
  every: "30 minutes",
  grade: "A",
  evidence: { source: "clemensv/real-time-sources@9a34d15c feeders/noaa-ndbc/tests", read: "2026-11-22" },
  keep: 14,
  metrics: {
    sea_stations_reporting_1h: headline(
      "count",
      "Moored, drifting and coastal stations in the latest observations of NOAA's National Data Buoy Center, worldwide, whose observation is at most an hour old."
    ),
    sea_stations_listed: capacity("count", "All stations in the latest observations, each once."),
    wave_sensors_reporting_1h: metric("count", "Stations of the past hour that measured wave height."),
    wave_height_max_1h: metric("m", "The greatest significant wave height that they measured.", { max: 40 })
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.text("https://www.ndbc.noaa.gov/data/latest_obs/latest_obs.txt")
      const [names = [], , ...lines] = answer.body
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => line.trim().split(/\s+/))
      if (columns.some((column) => !names.includes(column))) {
        return yield* Upstream.implausible(
          answer,
          "line 1",
          `no header with the columns ${columns.join(", ")}`
        )
      }
      if (lines.length === 0) return yield* Upstream.implausible(answer, "", "a list without a station")
      const stations = lines.map((cells) => {
        const [station = "", year, month, day, hours, minutes, waves = ""] = columns.map(
          (column) => cells[names.indexOf(column)]
        )
        return {
          station,
          at: Upstream.time(`${year}-${month}-${day}T${hours}:${minutes}Z`),
          waves: figureIn(waves)
        }
      })
      const odd = stations.findIndex(({ at }) => at === undefined)
      if (odd >= 0) return yield* Upstream.implausible(answer, `line ${odd + 3}`, "no time of an observation")
      const timed = stations.map((station) => ({ ...station, at: station.at ?? Number.NaN }))
      const listed = distinct(
        timed.toSorted((a, b) => b.at - a.at),
        ({ station }) => station
      )
      const fresh = listed.filter(({ at }) => at > answer.at - hour && at <= answer.at + hour / 12)
      const waves = fresh.flatMap((station) => (station.waves === undefined ? [] : [station.waves]))
      return observe(
        answer,
        {
          sea_stations_listed: listed.length,
          sea_stations_reporting_1h: fresh.length,
          wave_sensors_reporting_1h: waves.length,
          wave_height_max_1h: waves.length === 0 ? undefined : Math.max(...waves)
        },
        {
          as_of: Math.min(answer.at, ...fresh.slice(0, 1).map(({ at }) => at)),
          verify_url: "https://www.ndbc.noaa.gov/obs.shtml"
        }
      )
    })
})
