import { Effect, Schema } from "effect"
import { headline, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { textAt } from "#plugin/fields"

const Notices = Schema.Array(Schema.Unknown)

/** The number of a notice, such as `6/1234`; now and then a line of the list has none, and is no notice. */
const numberOf = (notice: unknown): string | undefined => {
  const number = textAt(notice, "notam_id")?.trim()
  return number !== undefined && /\d\/\d/.test(number) ? number : undefined
}

/** Symbols of the parts by the list's own word for the kind; every other word counts as `TFR_OTHER_KINDS`. */
const kinds: ReadonlyMap<string, string> = new Map([
  ["SECURITY", "TFR_SECURITY"],
  ["HAZARDS", "TFR_HAZARDS"],
  ["VIP", "TFR_VIP"],
  ["SPACE OPERATIONS", "TFR_SPACE_OPERATIONS"],
  ["AIR SHOWS/SPORTS", "TFR_AIR_SHOWS_SPORTS"],
  ["SPECIAL", "TFR_SPECIAL"],
  ["UAS PUBLIC GATHERING", "TFR_UAS_PUBLIC_GATHERING"]
])
const parts = [...kinds.values(), "TFR_OTHER_KINDS"]

export default Plugin.define({
  id: "faa-tfr",
  title: "Temporary flight restrictions of the FAA",
  covers: { sector: "AIRSPACE_STATUS", symbols: ["TFR", ...parts], gauges: ["tfr_active"] },
  tier: "physical",
  source: "faa_tfr_list",
  hosts: ["tfr.faa.gov"],
  every: "20 minutes",
  grade: "B",
  evidence: readOn("2026-11-25", {
    "Titleapp/titleapp-platform@85db074c functions/functions/services/aviation/faaData.js":
      "notam_id, type, facility, state, description, creation_date",
    "tylermorris-dxd/DXD-Deployment-Tracker@f7869961 backend/src/routes/tfr.rs": "notam_id, description",
    "https://github.com/mmp/vice/pull/629": "exportTfrList"
  }),
  terms: termsOn("2026-11-25", "Data: Federal Aviation Administration, tfr.faa.gov"),
  metrics: {
    tfr_active: headline(
      "notams",
      "Temporary flight restrictions that the FAA has published for the United States, each counted once by its NOTAM number, including those that are not yet in force. The parts are the FAA's own types."
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const notices = yield* Upstream.json(
        {
          method: "GET",
          url: "https://tfr.faa.gov/tfrapi/exportTfrList",
          // The gate in front of the list refuses clients that do not look like a browser.
          headers: { "user-agent": "Mozilla/5.0 (compatible; plumbline)" }
        },
        Notices
      )
      if (notices.body.length === 0) {
        return yield* Upstream.implausible(notices, "", "an empty list, where dozens are normal")
      }
      const numbered = notices.body.flatMap((notice) => {
        const number = numberOf(notice)
        return number === undefined ? [] : [[number, textAt(notice, "type")?.trim() ?? ""] as const]
      })
      // One line in ten without a number is another shape, and the count of the rest would lie.
      if (numbered.length * 10 < notices.body.length * 9) {
        const without = notices.body.length - numbered.length
        return yield* Upstream.implausible(
          notices,
          '["notam_id"]',
          `${without} of ${notices.body.length} notices without a number such as 6/1234`
        )
      }
      const kindOf = new Map(numbered)
      const total = observe(notices, { tfr_active: kindOf.size }, { symbol: "TFR" })
      const counts = new Map(parts.map((symbol) => [symbol, 0]))
      for (const kind of kindOf.values()) {
        // One notice of unknown kind leaves every part unmeasured; the total stands.
        if (kind === "") return total
        const symbol = kinds.get(kind.toUpperCase()) ?? "TFR_OTHER_KINDS"
        counts.set(symbol, (counts.get(symbol) ?? 0) + 1)
      }
      return [
        ...total,
        ...[...counts].flatMap(([symbol, tfr_active]) => observe(notices, { tfr_active }, { symbol }))
      ]
    })
})
