import { Effect, Schema } from "effect"
import {
  compareNumbers,
  everyUse,
  headline,
  isNumber,
  mayDropToZero,
  metric,
  type Numeric,
  Plugin,
  partOf,
  readOn,
  termsOn,
  Upstream
} from "#plugin"
import { distinct, largest, moment, nonEmpty, number, text } from "#plugin/fields"

const Feed = Schema.Struct({
  metadata: Schema.Struct({ generated: moment, count: Schema.Int }),
  // A week without an earthquake of magnitude 4.5 anywhere has not been seen since there are feeds.
  features: nonEmpty(
    Schema.Struct({
      id: Schema.NonEmptyString,
      properties: Schema.Struct({ mag: number, type: Schema.NonEmptyString, alert: text })
    })
  )
})

/** Symbols of the parts, with the least magnitude of each. */
const bands = [
  ["QUAKES_M4_5", 4.5],
  ["QUAKES_M5", 5],
  ["QUAKES_M6", 6],
  ["QUAKES_M7", 7]
] as const

/** The part that a magnitude belongs to; undefined for one below all of them, and for one that is not told. */
const bandOf = (magnitude: Numeric | null | undefined): string | undefined =>
  bands.findLast(([, least]) => isNumber(magnitude) && compareNumbers(magnitude, least) >= 0)?.[0]

const isGrave = (alert: string | null | undefined): boolean => alert === "orange" || alert === "red"

export default Plugin.define({
  id: "usgs-earthquakes",
  title: "Earthquakes of the past week",
  covers: {
    sector: "PHYSICAL_SEISMIC",
    symbols: ["QUAKES", ...bands.map(([symbol]) => symbol)],
    gauges: ["quakes_m4_5_7d"]
  },
  tier: "physical",
  source: "usgs_earthquake_feed",
  hosts: ["earthquake.usgs.gov"],
  every: "5 minutes",
  grade: "K",
  evidence: readOn("2026-11-25", {
    "https://earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php": "generated, count, mag, type, alert, id"
  }),
  relations: [partOf("quakes_pager_orange_red_7d", "quakes_m4_5_7d", { symbols: ["QUAKES"] })],
  terms: termsOn("2026-11-25", "Data: U.S. Geological Survey, usgs.gov", {
    address: "https://www.usgs.gov/information-policies-and-instructions/copyrights-and-credits",
    licence: "LicenseRef-US-Public-Domain",
    ...everyUse,
    quote: "USGS-authored or produced data and information are considered to be in the U.S. Public Domain."
  }),
  metrics: {
    quakes_m4_5_7d: headline(
      "count",
      "Earthquakes of magnitude 4.5 and above in the past seven days, worldwide, as reported by the USGS. Other events, such as quarry blasts, are left out. The parts are magnitudes 4.5 to 5, 5 to 6, 6 to 7, and 7 and above. The USGS revises and deletes events, so the count can fall.",
      { collapse: 1 }
    ),
    quake_magnitude_max_7d: metric("score", "The largest magnitude among them.", { max: 10 }),
    quakes_pager_orange_red_7d: mayDropToZero(
      "count",
      "Those among them with an orange or red alert of PAGER, the estimate of losses by the USGS. Most earthquakes have no alert."
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const url = "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/4.5_week.geojson"
      const answer = yield* Upstream.json(url, Feed)
      const { features, metadata } = answer.body
      if (metadata.count !== features.length) {
        const says = `${features.length} events, and ${metadata.count} by its own count`
        return yield* Upstream.implausible(answer, '["features"]', says)
      }
      const quakes = distinct(features, ({ id }) => id).filter(
        ({ properties }) => properties.type === "earthquake"
      )
      const facts = { as_of: metadata.generated, verify_url: "https://earthquake.usgs.gov/earthquakes/map/" }
      const magnitudes = quakes.map(({ properties }) => properties.mag)
      const whole = observe(
        answer,
        {
          quakes_m4_5_7d: quakes.length,
          quake_magnitude_max_7d: largest(magnitudes),
          quakes_pager_orange_red_7d: quakes.filter(({ properties }) => isGrave(properties.alert)).length
        },
        { symbol: "QUAKES", ...facts }
      )
      const bandsHeld = magnitudes.map(bandOf)
      // One magnitude that is not told, or below the feed's own, leaves every part unmeasured; the whole stands.
      if (bandsHeld.includes(undefined)) return whole
      return [
        ...whole,
        ...bands.flatMap(([symbol]) =>
          observe(
            answer,
            { quakes_m4_5_7d: bandsHeld.filter((band) => band === symbol).length },
            { symbol, ...facts }
          )
        )
      ]
    })
})
