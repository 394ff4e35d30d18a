import { Effect, Schema } from "effect"
import { everyUse, headline, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { distinct, largest, moment } from "#plugin/fields"

/** Symbols of the parts by the first two letters of a storm's id. */
const basins: Readonly<Record<string, string>> = {
  al: "STORMS_ATLANTIC",
  ep: "STORMS_EAST_PACIFIC",
  cp: "STORMS_CENTRAL_PACIFIC"
}

const Storms = Schema.Struct({
  activeStorms: Schema.Array(
    Schema.Struct({ id: Schema.String.check(Schema.isPattern(/^[a-z]{2}\d{6}$/)), lastUpdate: moment })
  )
})

export default Plugin.define({
  id: "nhc",
  title: "Tropical cyclones",
  covers: {
    sector: "PHYSICAL_STORM",
    symbols: ["STORMS", ...Object.values(basins)],
    gauges: ["tropical_cyclones_active"]
  },
  tier: "physical",
  source: "noaa_nhc_current",
  hosts: ["www.nhc.noaa.gov"],
  every: "30 minutes",
  grade: "B",
  evidence: readOn("2026-11-25", {
    "https://docs.terraguard.ai/docs/data-sources/nhc": "activeStorms, id, lastUpdate",
    "https://metacpan.org/module/Weather::NHC::TropicalCyclone": "active_storms, id"
  }),
  terms: termsOn("2026-11-25", "Data: National Hurricane Center, nhc.noaa.gov", {
    address: "https://www.weather.gov/disclaimer/",
    licence: "LicenseRef-US-Public-Domain",
    ...everyUse,
    quote:
      "The information on National Weather Service (NWS) Web pages are in the public domain, unless specifically noted otherwise, and may be used without charge for any lawful purpose"
  }),
  orHeaders: true,
  metrics: {
    tropical_cyclones_active: headline(
      "count",
      "Storms for which the National Hurricane Center is issuing advisories: tropical and subtropical cyclones, and with them those that may become one and those that no longer are. The parts are the Atlantic, the eastern Pacific and the central Pacific. Outside the season there is usually none.",
      { collapse: 1 }
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json("https://www.nhc.noaa.gov/CurrentStorms.json", Storms)
      const storms = distinct(answer.body.activeStorms, ({ id }) => id)
      // A file that is served long after its last advisory must look old. Without a storm, only the server knows its age.
      const as_of = largest(storms.map(({ lastUpdate }) => lastUpdate))
      const verify_url = "https://www.nhc.noaa.gov/"
      const whole = observe(
        answer,
        { tropical_cyclones_active: storms.length },
        { symbol: "STORMS", as_of, verify_url }
      )
      if (storms.some(({ id }) => basins[id.slice(0, 2)] === undefined)) return whole
      return [
        ...whole,
        ...Object.entries(basins).flatMap(([basin, symbol]) =>
          observe(
            answer,
            { tropical_cyclones_active: storms.filter(({ id }) => id.startsWith(basin)).length },
            { symbol, as_of, verify_url }
          )
        )
      ]
    })
})
