import { Effect } from "effect"
import {
  headline,
  type Moment,
  mayDropToZero,
  metric,
  type Numeric,
  Plugin,
  partOf,
  readOn,
  termsOn,
  Upstream
} from "#plugin"
import { csv } from "#plugin/csv"
import { combine, distinct, largest, sum } from "#plugin/fields"

const url =
  "https://www.nrc.gov/reading-rm/doc-collections/event-status/reactor-status/PowerReactorStatusForLast365Days.txt"

/**
 * Epoch milliseconds of a midnight as `8/17/2026 12:00:00 AM`; anything else cannot be read. The report has no zone, so the day
 * is taken as it stands.
 */
const dayOf = (text: string): Moment => {
  const [, month = "", day = "", year = ""] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: |$)/.exec(text) ?? []
  return Upstream.time(`${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`)
}

/** The power of a unit, percent. */
const powerOf = (text: string): Numeric =>
  /^\d{1,3}$/.test(text) && Number(text) <= 105 ? Number(text) : Upstream.unexpected(text, "0 to 105 percent")

export default Plugin.define({
  id: "nrc-reactors",
  title: "Nuclear power reactors of the United States",
  covers: { sector: "PHYSICAL_NUCLEAR", symbols: ["US_REACTORS"], gauges: ["reactors_full_power"] },
  tier: "physical",
  source: "nrc_reactor_status",
  hosts: ["www.nrc.gov"],
  every: "5 hours",
  grade: "A",
  evidence: readOn("2026-11-25", {
    "Trevorstrobel/nuclearstatus@96207df0 data/nrc365data.txt": "ReportDt, Unit, Power",
    "https://public-blog.nrc-gateway.gov/2013/09/10/checking-the-status-finding-the-power-levels/":
      "power level, unit"
  }),
  relations: [partOf(["reactors_full_power", "reactors_offline"], "reactors_reporting")],
  terms: termsOn("2026-11-25", "Data: U.S. Nuclear Regulatory Commission, nrc.gov"),
  keep: 14,
  metrics: {
    reactors_full_power: headline(
      "count",
      "Power reactors in the United States that ran at 99 % of their licensed power or more on the morning of the Nuclear Regulatory Commission's newest report."
    ),
    reactors_offline: mayDropToZero("count", "Reactors of that report at 0 % of their power."),
    reactors_reporting: metric("count", "Reactors in that report."),
    fleet_power_percent: metric(
      "percent",
      "Mean power of the reactors of that report, each in percent of its licensed heat; not weighted by size.",
      { max: 105 }
    )
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
      const undated = lines.find(({ day }) => typeof day !== "number")
      if (undated !== undefined) {
        return yield* Upstream.implausible(answer, "ReportDt", `"${undated.ReportDt}" is not a date`)
      }
      // The file promises no order.
      const newest = largest(lines.map(({ day }) => day))
      const units = distinct(
        lines.filter(({ day }) => day === newest),
        ({ Unit }) => Unit
      )
      // A unit without a percentage leaves the counts unmeasured.
      const powers = units.map(({ Power }) => powerOf(Power))
      return observe(
        answer,
        {
          reactors_reporting: units.length,
          reactors_full_power: combine(powers, (powers) => powers.filter((power) => power >= 99).length),
          reactors_offline: combine(powers, (powers) => powers.filter((power) => power === 0).length),
          fleet_power_percent: combine([sum(powers)], ([total]) => total / powers.length)
        },
        {
          as_of: newest,
          verify_url: "https://www.nrc.gov/reading-rm/doc-collections/event-status/reactor-status/ps.html"
        }
      )
    })
})
