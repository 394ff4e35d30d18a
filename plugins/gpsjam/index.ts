import { Effect, Result } from "effect"
import {
  endOfDay,
  headline,
  isSame,
  mayDropToZero,
  metric,
  Plugin,
  readOn,
  termsOn,
  Unreadable,
  Upstream
} from "#plugin"
import { countIn as count, csv } from "#plugin/csv"
import { combine } from "#plugin/fields"

const manifest = Effect.gen(function* () {
  const answer = yield* csv("https://gpsjam.org/data/manifest.csv", ["date", "suspect"], {
    optional: ["num_bad_aircraft_hexes"]
  })
  for (const { date, num_bad_aircraft_hexes, suspect } of answer.body) {
    const isDay = /^\d{4}-\d{2}-\d{2}$/.test(date) && typeof Upstream.time(date) === "number"
    if (isDay && ["true", "false"].includes(suspect.toLowerCase())) {
      if (!(count(num_bad_aircraft_hexes) instanceof Unreadable)) continue
    }
    return yield* Upstream.implausible(answer, `the day ${date}`, "not a date, true or false, and a count")
  }
  return answer
})

/**
 * Cells of a day by the site's own formula: one bad aircraft is nothing yet; of the others, a tenth of all aircraft and over
 * is high, 2 of 100 and over medium.
 */
const cells = Effect.fnUntraced(function* (date: string) {
  const answer = yield* csv(`https://gpsjam.org/data/${date}-h3_4.csv`, [
    "count_good_aircraft",
    "count_bad_aircraft"
  ])
  let high = 0
  let medium = 0
  for (const row of answer.body) {
    const share = combine([count(row.count_good_aircraft), count(row.count_bad_aircraft)], ([good, bad]) =>
      good + bad === 0 ? 0 : (bad - 1) / (good + bad)
    )
    if (share instanceof Unreadable) return yield* Upstream.implausible(answer, "a cell", share.reason)
    if (share === undefined) continue
    if (share >= 0.1) high++
    else if (share >= 0.02) medium++
  }
  return { answer, high, medium }
})

export default Plugin.define({
  id: "gpsjam",
  title: "GPS interference seen by aircraft",
  covers: { sector: "GPS_INTERFERENCE", symbols: ["GPSJAM"], gauges: ["gps_interference_days"] },
  tier: "physical",
  source: "gpsjam_manifest",
  sources: ["gpsjam_h3"],
  hosts: ["gpsjam.org"],
  every: "5 hours",
  calls: 2,
  grade: "B",
  evidence: readOn("2026-11-25", {
    "guofengji/gpsjam.org@6dc3d491 views/index.ejs:391": "count_good_aircraft, count_bad_aircraft",
    "guofengji/gpsjam.org@6dc3d491 regen.py:31": "num_bad_hexes",
    "guofengji/gpsjam.org@6dc3d491 public/data/manifest.csv": "date, suspect, num_bad_aircraft_hexes"
  }),
  terms: termsOn("2026-11-25", "Data: GPSJAM, gpsjam.org"),
  keep: 3,
  metrics: {
    gps_interference_days: headline(
      "days",
      "Days (UTC) for which gpsjam.org publishes a map of GPS interference as reported by aircraft. Days that it marks as suspect are left out."
    ),
    gps_interference_first_day: metric("date", "First of those days, as YYYYMMDD.", { min: 20220101 }),
    bad_hexes: mayDropToZero(
      "count",
      "Map cells with bad navigation accuracy on the newest day that the site does not mark suspect, as the site counts them."
    ),
    cells_high: mayDropToZero(
      "count",
      "Map cells of that day that the site draws as high interference: all but one of the aircraft with bad accuracy are at least 10 % of the cell's aircraft."
    ),
    cells_medium: mayDropToZero(
      "count",
      "Map cells of that day that the site draws as medium interference: the same share is 2 % or more, and below 10 %."
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const list = yield* manifest
      // The file keeps no promise of order; a day that is listed twice counts once, as its last line says.
      const days = new Map(list.body.map((row) => [row.date, row]))
      const sound = [...days.values()].filter(({ suspect }) => suspect.toLowerCase() === "false")
      const dates = sound.map(({ date }) => date).sort()
      const newest = dates.at(-1)
      if (newest === undefined) return yield* Upstream.implausible(list, "", "no day that is not suspect")
      const counted = count(days.get(newest)?.num_bad_aircraft_hexes ?? "")
      const facts = { as_of: endOfDay(Upstream.time(newest)) }
      const rows = observe(
        list,
        {
          gps_interference_days: sound.length,
          gps_interference_first_day:
            dates[0] === undefined ? undefined : Number(dates[0].replaceAll("-", "")),
          bad_hexes: counted
        },
        facts
      )
      const outcome = yield* Effect.result(cells(newest))
      if (Result.isFailure(outcome)) return [...rows, Plugin.failedPart(outcome.failure, "GPSJAM", "cells_*")]
      const { answer, high, medium } = outcome.success
      // The list counts the same cells: where the two differ, the file is not whole or the formula is another.
      if (counted !== undefined && !isSame(counted, high)) {
        const failure = yield* Effect.flip(
          Upstream.implausible(answer, "", `${high} cells are high, and the list of days has ${counted}`)
        )
        return [...rows, Plugin.failedPart(failure, "GPSJAM", "cells_*")]
      }
      return [
        ...rows,
        ...observe(answer, { cells_high: high, cells_medium: medium }, { ...facts, source: "gpsjam_h3" })
      ]
    })
})
