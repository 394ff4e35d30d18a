import { everyUse, headline, readOn, termsOn } from "#plugin"
import { declare, partsBy } from "#plugin/declare"

/** Level 4 says that a warning has ended; an entry of any other is none that anybody knows. */
const inForce = { entries: "items", by: "@id", mayBeEmpty: true, most: "meta.limit" } as const

export default declare({
  id: "uk-floods",
  title: "Flood warnings in England",
  covers: {
    sector: "PHYSICAL_FLOOD",
    symbols: ["ENGLAND_FLOODS", "ENGLAND_FLOODS_SEVERE", "ENGLAND_FLOODS_WARNING", "ENGLAND_FLOODS_ALERT"],
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
      ...everyUse,
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
  answers: [
    {
      ask: "https://environment.data.gov.uk/flood-monitoring/id/floods",
      // An answer of this service says what it is: without it, an empty list would prove nothing.
      needs: ["meta.publisher", "items"],
      verify_url: "https://check-for-flooding.service.gov.uk/alerts-and-warnings",
      symbol: "ENGLAND_FLOODS",
      figures: {
        flood_warnings_in_force: { ...inForce, where: { at: "severityLevel", is: [1, 2, 3], others: [4] } }
      },
      parts: partsBy(
        "flood_warnings_in_force",
        inForce,
        "severityLevel",
        [
          [1, "ENGLAND_FLOODS_SEVERE"],
          [2, "ENGLAND_FLOODS_WARNING"],
          [3, "ENGLAND_FLOODS_ALERT"]
        ],
        [4]
      )
    }
  ]
})
