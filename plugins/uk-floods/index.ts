import { Effect, Schema } from "effect"
import { headline, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { distinct } from "#plugin/fields"

/** Symbols of the parts by `severityLevel`; level 4 says that a warning has ended. */
const levels: Readonly<Record<number, string>> = {
  1: "ENGLAND_FLOODS_SEVERE",
  2: "ENGLAND_FLOODS_WARNING",
  3: "ENGLAND_FLOODS_ALERT"
}
const ended = 4

const Floods = Schema.Struct({
  // An answer of this service says what it is: without it, an empty list would prove nothing.
  meta: Schema.Struct({ publisher: Schema.NonEmptyString, limit: Upstream.maybe(Schema.Int) }),
  items: Schema.Array(Schema.Struct({ "@id": Schema.NonEmptyString, severityLevel: Schema.Int }))
})

export default Plugin.define({
  id: "uk-floods",
  title: "Flood warnings in England",
  covers: {
    sector: "PHYSICAL_FLOOD",
    symbols: ["ENGLAND_FLOODS", ...Object.values(levels)],
    gauges: ["flood_warnings_in_force"]
  },
  tier: "physical",
  source: "ea_flood_monitoring",
  hosts: ["environment.data.gov.uk"],
  every: "15 minutes",
  grade: "K",
  evidence: readOn("2026-11-25", {
    "https://environment.data.gov.uk/flood-monitoring/doc/reference": "flood warnings, severityLevel, items"
  }),
  terms: termsOn(
    "2026-11-25",
    "This uses Environment Agency flood and river level data from the real-time data API (Beta)",
    {
      address: "https://environment.data.gov.uk/flood-monitoring/doc/reference",
      licence: "OGL-UK-3.0",
      bodies: "yes",
      values: "yes",
      quote:
        "These APIs are provided as open data under the Open Government Licence with no requirement for registration."
    }
  ),
  metrics: {
    flood_warnings_in_force: headline(
      "count",
      "Flood warnings and alerts in force in England, issued by the Environment Agency. The parts are severe warnings (danger to life), warnings (flooding is expected) and alerts (flooding is possible). This uses Environment Agency flood and river level data from the real-time data API (Beta).",
      { collapse: 1 }
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json(
        "https://environment.data.gov.uk/flood-monitoring/id/floods",
        Floods
      )
      const { items, meta } = answer.body
      // Lists of this service may be cut, and then say where.
      if (typeof meta.limit === "number" && items.length >= meta.limit) {
        return yield* Upstream.implausible(answer, '["items"]', `cut at its limit of ${meta.limit}`)
      }
      const warnings = distinct(items, (item) => item["@id"])
      const unknown = warnings.find(
        ({ severityLevel }) => severityLevel !== ended && levels[severityLevel] === undefined
      )
      if (unknown !== undefined) {
        const says = `the unknown level ${unknown.severityLevel}`
        return yield* Upstream.implausible(answer, '["items"]["severityLevel"]', says)
      }
      const verify_url = "https://check-for-flooding.service.gov.uk/alerts-and-warnings"
      const inForce = (level: number) =>
        warnings.filter(({ severityLevel }) => severityLevel === level).length
      return [
        ...observe(
          answer,
          { flood_warnings_in_force: warnings.length - inForce(ended) },
          { symbol: "ENGLAND_FLOODS", verify_url }
        ),
        ...Object.entries(levels).flatMap(([level, symbol]) =>
          observe(answer, { flood_warnings_in_force: inForce(Number(level)) }, { symbol, verify_url })
        )
      ]
    })
})
