import { atMost, everyUse, headline, metric, readOn, termsOn } from "#plugin"
import { declare, partsBy } from "#plugin/declare"

const api = "https://volcanoes.usgs.gov/hans-public/api/volcano"
const verify_url = "https://www.usgs.gov/programs/VHP/volcano-updates"

// Some volcano of the United States has been above normal on every day for years: an empty list is a broken one.
const volcanoes = { entries: "", by: "vnum" } as const

export default declare({
  id: "usgs-volcanoes",
  title: "Volcanoes of the United States",
  covers: {
    sector: "PHYSICAL_VOLCANO",
    symbols: ["US_VOLCANOES", "US_VOLCANOES_YELLOW", "US_VOLCANOES_ORANGE", "US_VOLCANOES_RED"],
    gauges: ["volcanoes_elevated"]
  },
  tier: "physical",
  source: "usgs_hans",
  hosts: ["volcanoes.usgs.gov"],
  every: "30 minutes",
  calls: 2,
  grade: "B",
  evidence: readOn("2026-11-25", {
    "pipeworx-io/mcp-usgs-volcano@8169b7b3 src/index.ts:101":
      "vnum, color_code, alert_level, getMonitoredVolcanoes",
    "https://glama.ai/mcp/connectors/io.github.whiteknightonhorse/apibase/tools/volcano.status.elevated":
      "vnum, color code, alert level"
  }),
  relations: [
    // The colours are parts of the elevated ones alone.
    atMost("volcanoes_elevated", "volcanoes_monitored", { symbols: ["US_VOLCANOES"] })
  ],
  terms: termsOn("2026-11-25", "Data: U.S. Geological Survey, usgs.gov", {
    address: "https://www.usgs.gov/information-policies-and-instructions/copyrights-and-credits",
    licence: "LicenseRef-US-Public-Domain",
    ...everyUse,
    quote: "USGS-authored or produced data and information are considered to be in the U.S. Public Domain."
  }),
  metrics: {
    volcanoes_elevated: headline(
      "count",
      "Volcanoes of the United States whose alert level or aviation colour code is above normal, according to the USGS. The parts are the colours yellow, orange and red. The alert level (ground) and the colour (aviation) can differ, so the parts may not add up to the total.",
      { collapse: 1 }
    ),
    volcanoes_monitored: metric("count", "Volcanoes that the observatories of the USGS monitor.")
  },
  answers: [
    {
      ask: `${api}/getMonitoredVolcanoes`,
      verify_url,
      symbol: "US_VOLCANOES",
      figures: { volcanoes_monitored: volcanoes }
    },
    {
      ask: `${api}/getElevatedVolcanoes`,
      verify_url,
      symbol: "US_VOLCANOES",
      figures: { volcanoes_elevated: volcanoes },
      parts: partsBy(
        "volcanoes_elevated",
        volcanoes,
        "color_code",
        [
          ["YELLOW", "US_VOLCANOES_YELLOW"],
          ["ORANGE", "US_VOLCANOES_ORANGE"],
          ["RED", "US_VOLCANOES_RED"]
        ],
        ["GREEN", "UNASSIGNED"]
      )
    }
  ]
})
