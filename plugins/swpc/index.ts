import { Effect, Schema } from "effect"
import { everyUse, headline, metric, type Numeric, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { count, newest, nonEmpty, number, positive } from "#plugin/fields"

const host = "https://services.swpc.noaa.gov"
const verify_url = "https://www.spaceweather.gov/"

/** The length of the interval of a K index. */
const interval = 3 * 3_600_000

const Timed = { time_tag: Upstream.TimeText }

const Level = Schema.Struct({ Scale: number })
const Scales = Schema.Struct({
  // "0" is now; "-1" is yesterday's highest, "1" to "3" are forecasts.
  "0": Schema.Struct({ DateStamp: Schema.String, TimeStamp: Schema.String, R: Level, S: Level, G: Level })
})

/** The index is 0 as well where no station measured: then a 0 beside which none is named is no quiet sun. */
const measured = ({
  Kp,
  station_count
}: {
  readonly Kp?: Numeric | null | undefined
  readonly station_count?: Numeric | null | undefined
}) =>
  station_count === 0 || (Kp === 0 && (station_count ?? undefined) === undefined)
    ? Upstream.unreadable(`an index of ${Kp} that no station is said to have measured`)
    : Kp

export default Plugin.define({
  id: "swpc",
  title: "Space weather",
  covers: { sector: "PHYSICAL_SPACE_WEATHER", symbols: ["SPACE_WEATHER"], gauges: ["kp_index"] },
  tier: "physical",
  source: "noaa_swpc",
  hosts: ["services.swpc.noaa.gov"],
  every: "10 minutes",
  calls: 3,
  grade: "B",
  evidence: readOn("2026-11-25", {
    "cport1/weather-outlook@13377522 src/providers/swpc.ts:12": "time_tag, Kp, R, S, G, Scale",
    "birdman4512/hf-range-planner@1acb849c src/solar.js:66": "flux, time_tag, Kp",
    "clemensv/real-time-sources@9a34d15c feeders/noaa-goes/EVENTS.md:128": "observation_time, kp"
  }),
  terms: termsOn("2026-11-25", "Data: NOAA Space Weather Prediction Center, swpc.noaa.gov", {
    address: "https://www.weather.gov/disclaimer/",
    licence: "LicenseRef-US-Public-Domain",
    ...everyUse,
    quote:
      "The information on National Weather Service (NWS) Web pages are in the public domain, unless specifically noted otherwise, and may be used without charge for any lawful purpose"
  }),
  metrics: {
    kp_index: headline(
      "score",
      "Planetary K index of the newest three-hour interval that is over, from 0 (quiet) to 9 (extreme geomagnetic storm), as estimated by NOAA's Space Weather Prediction Center.",
      { max: 9, collapse: 1 }
    ),
    geomagnetic_storm_scale: metric("score", "NOAA's G scale now, 0 (none) to 5 (extreme).", { max: 5 }),
    radio_blackout_scale: metric("score", "NOAA's R scale now, 0 (none) to 5 (extreme).", { max: 5 }),
    radiation_storm_scale: metric("score", "NOAA's S scale now, 0 (none) to 5 (extreme).", { max: 5 }),
    solar_flux_f10_7: metric("sfu", "Solar radio flux at 10.7 cm, the newest observation of Penticton.", {
      min: 50
    })
  },
  collect: (observe) =>
    Plugin.anyOf("SPACE_WEATHER", [
      Effect.map(
        Upstream.json(
          `${host}/products/noaa-planetary-k-index.json`,
          nonEmpty(Schema.Struct({ ...Timed, Kp: number, station_count: count }))
        ),
        (answer) => {
          // An interval is named by its start; the one that is still running has no index yet.
          const over = answer.body.filter(({ time_tag }) => {
            const at = Upstream.time(time_tag)
            return typeof at === "number" && at + interval <= answer.at
          })
          const last = newest(over, ({ time_tag }) => time_tag)
          return observe(
            answer,
            { kp_index: last && measured(last.entry) },
            { as_of: last && last.at + interval, verify_url }
          )
        }
      ),
      Plugin.one(
        observe,
        `${host}/products/noaa-scales.json`,
        Scales,
        {
          as_of: ({ "0": { DateStamp, TimeStamp } }) => Upstream.time(`${DateStamp}T${TimeStamp}`),
          verify_url
        },
        ({ "0": now }) => ({
          geomagnetic_storm_scale: now.G.Scale,
          radio_blackout_scale: now.R.Scale,
          radiation_storm_scale: now.S.Scale
        })
      ),
      Effect.map(
        Upstream.json(
          `${host}/products/summary/10cm-flux.json`,
          nonEmpty(Schema.Struct({ ...Timed, flux: positive }))
        ),
        (answer) => {
          const last = newest(answer.body, ({ time_tag }) => time_tag)
          return observe(answer, { solar_flux_f10_7: last?.entry.flux }, { as_of: last?.at, verify_url })
        }
      )
    ])
})
