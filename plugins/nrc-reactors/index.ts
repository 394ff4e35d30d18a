import { Effect } from "effect"
import { headline, mayDropToZero, metric, Plugin, Upstream } from "#plugin"
import { csv } from "#plugin/csv"
import { distinct } from "#plugin/fields"

const url =
  "https://www.nrc.gov/reading-rm/doc-collections/event-status/reactor-status/PowerReactorStatusForLast365Days.txt"

/**
 * Epoch milliseconds of a midnight as `8/17/2026 12:00:00 AM`; undefined for anything else. The report has no zone, so the day
 * is taken as it stands.
 */
const dayOf = (text: string): number | undefined => {
  const [, month = "", day = "", year = ""] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: |$)/.exec(text) ?? []
  return Upstream.time(`${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`)
}

export default Plugin.define({
  id: "nrc-reactors",
  title: "Nuclear power reactors of the United States",
  covers: { sector: "PHYSICAL_NUCLEAR", symbols: ["US_REACTORS"], gauges: ["reactors_full_power"] },
  tier: "physical",
  source: "nrc_reactor_status",
  hosts: ["www.nrc.gov"],
  every: "5 hours",
  grade: "A",
  evidence: { source: "a file of 2026-08-17 described in a public instrument", read: "2026-11-22" },
  keep: 14,
  metrics: {
    reactors_full_power: headline(
      "count",
      "Power reactors in the United States that ran at 99 % of their power or more on the morning of the Nuclear Regulatory Commission's newest report."
    ),
    reactors_offline: mayDropToZero("count", "Reactors of that report at 0 % of their power."),
    reactors_reporting: metric("count", "Reactors in that report."),
    fleet_power_percent: metric("percent", "Mean power of the reactors of that report.", { max: 105 })
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* csv(
        // Longer names of clients, and names of browsers, are turned away.
        { method: "GET", url, headers: { "user-agent": "Plumbline" } },
        ["ReportDt", "Unit", "Power"],
        { delimiter: "|" }
      )
      const lines = answer.body.map((row) => ({ ...row, day: dayOf(row.ReportDt) }))
      const undated = lines.find(({ day }) => day === undefined)
      if (undated !== undefined) {
        return yield* Upstream.implausible(answer, "ReportDt", `"${undated.ReportDt}" is not a date`)
      }
      // The file promises no order.
      const newest = lines.reduce((latest, { day = 0 }) => Math.max(latest, day), 0)
      const units = distinct(
        lines.filter(({ day }) => day === newest),
        ({ Unit }) => Unit
      )
      const powers = units.map(({ Power }) => (/^\d{1,3}$/.test(Power) ? Number(Power) : Number.NaN))
      // A unit without a percentage leaves the counts unmeasured.
      const told = powers.every((power) => power <= 105)
      return observe(
        answer,
        {
          reactors_reporting: units.length,
          reactors_full_power: told ? powers.filter((power) => power >= 99).length : undefined,
          reactors_offline: told ? powers.filter((power) => power === 0).length : undefined,
          fleet_power_percent: told
            ? powers.reduce((total, power) => total + power, 0) / powers.length
            : undefined
        },
        {
          as_of: newest,
          verify_url: "https://www.nrc.gov/reading-rm/doc-collections/event-status/reactor-status/ps.html"
        }
      )
    })
})
