import { Effect } from "effect"
import { headline, hour, type Moment, metric, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { csv } from "#plugin/csv"
import { combine, largest, size, sum } from "#plugin/fields"

/** Symbol of each satellite, and its file. */
const satellites = [
  ["FIRES_NOAA_20", "noaa-20-viirs-c2/csv/J1_VIIRS_C2_Global_24h.csv"],
  ["FIRES_NOAA_21", "noaa-21-viirs-c2/csv/J2_VIIRS_C2_Global_24h.csv"]
] as const

/** The time of a detection: its date, and hours and minutes in UTC as `0412` or `412`. */
const timeOf = (date: string, clock: string): Moment | undefined =>
  /^\d{1,4}$/.test(clock)
    ? Upstream.time(`${date}T${clock.padStart(4, "0").replace(/(..)$/, ":$1")}`)
    : undefined

/** The satellite passes the whole Earth twice a day: what it saw in 24 hours is from more than half of them. */
const shortest = 12 * hour

/** The earliest of these times. */
const smallest = (times: ReadonlyArray<Moment | undefined>) =>
  combine(times, (times) => times.reduce((least, time) => Math.min(least, time)))

export default Plugin.define({
  id: "firms",
  title: "Fires seen from orbit",
  covers: {
    sector: "PHYSICAL_FIRE",
    symbols: satellites.map(([symbol]) => symbol),
    gauges: ["fire_detections_24h"]
  },
  tier: "physical",
  source: "nasa_firms_viirs",
  hosts: ["firms.modaps.eosdis.nasa.gov"],
  every: "2 hours",
  calls: 2,
  grade: "K",
  evidence: readOn("2026-11-25", {
    "https://www.earthdata.nasa.gov/data/tools/firms/active-fire-data-attributes-modis-viirs":
      "Latitude, Longitude, Acq_Date, Acq_Time, FRP"
  }),
  terms: termsOn("2026-11-25", "Data: NASA FIRMS, firms.modaps.eosdis.nasa.gov", {
    address: "https://nasadaacs.eos.nasa.gov/earth-science-data-systems-program/policies",
    show: "yes",
    bulk: "yes",
    bodies: "yes",
    quote:
      "NASA promotes the full and open sharing of all data with the research and applications communities, private industry, academia, and the general public."
  }),
  keep: 3,
  metrics: {
    fire_detections_24h: headline(
      "count",
      "Pixels in which the VIIRS instrument of one satellite detected fire in the past 24 hours, worldwide. The value is that of NOAA-20; that of NOAA-21 is shown as a part. Each satellite sees the whole Earth, so the two are never added. Gas flares and volcanoes count too, and one fire can fill many pixels."
    ),
    fire_radiative_power_mw: metric("mw", "Sum of the fire radiative power of these pixels.")
  },
  collect: (observe) =>
    Plugin.forEach(
      satellites.map(([symbol, file]) => ({ symbol, file })),
      ({ file, symbol }) =>
        Effect.gen(function* () {
          const answer = yield* csv(`https://firms.modaps.eosdis.nasa.gov/data/active_fire/${file}`, [
            "latitude",
            "longitude",
            "acq_date",
            "acq_time",
            "frp"
          ])
          const times = answer.body.map(({ acq_date, acq_time }) => timeOf(acq_date, acq_time))
          const odd = times.findIndex((time) => typeof time !== "number")
          if (odd >= 0) {
            return yield* Upstream.implausible(answer, `line ${odd + 2}`, "acq_date and acq_time are no time")
          }
          const [first, last] = [smallest(times), largest(times)]
          if (combine([first, last], ([first, last]) => last - first < shortest) === true) {
            return yield* Upstream.implausible(
              answer,
              "acq_time",
              "the detections are of less than half a day, so that passes of the satellite are missing"
            )
          }
          return observe(
            answer,
            {
              fire_detections_24h: answer.body.length,
              fire_radiative_power_mw: sum(answer.body.map(({ frp }) => size(frp)))
            },
            {
              symbol,
              as_of: last,
              verify_url: "https://firms.modaps.eosdis.nasa.gov/map/"
            }
          )
        })
    )
})
