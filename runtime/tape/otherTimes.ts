/**
 * The rule for the demo, which tells the case `ok` at other times: the plugin says the same things then, timed then, and within its
 * bounds; and it asks for networks that the catalog still gives it.
 */
import { Effect, Result } from "effect"
import { targetsOf } from "../../core/catalog/Catalog.ts"
import { clockSkew } from "../../core/plugin/asOf.ts"
import { metricNamed } from "../../core/plugin/Manifest.ts"
import { isRefusal } from "../../core/plugin/notes.ts"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import type { Expected } from "../../core/plugin/Recording.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { program } from "../../core/process/program.ts"
import { type Finding, wrong } from "../contributor/check/Finding.ts"
import * as Fixtures from "../contributor/fixtures.ts"
import { instants, start } from "./instants.ts"
import { reelOf } from "./reelOf.ts"
import { tapeAt, timeOn } from "./tape.ts"
import { seedOf } from "./walk.ts"

/** The series of a run; bars have several rows of each. */
const seriesIn = (rows: Expected): ReadonlySet<string> =>
  new Set(
    "error" in rows ? [] : rows.observations.map((row) => `${row.symbol} ${row.metric} of ${row.source}`)
  )

/** Three of the times, other ones for each plugin. */
const some = (id: string) =>
  [1, 2, 3].map((n) => instants[seedOf(`${id}${n}`) % instants.length]?.at ?? start)

/** Findings for a plugin whose cases are below `root`; none for one that does not run by itself. */
export const otherTimesFindings = Effect.fn("Check.otherTimesFindings")(function* (
  plugin: Plugin,
  root: string
) {
  const { covers, disabled, id } = plugin.manifest
  const loaded = yield* Effect.result(reelOf(id, root))
  if (disabled !== undefined || Result.isFailure(loaded)) return []
  const { reel, tape } = loaded.success
  const covered = new Set(targetsOf(covers).map(({ symbol }) => symbol))
  const findings: Array<Finding> = tape.targets
    .filter(({ symbol }) => !covered.has(symbol))
    .map(({ symbol }) =>
      wrong("fixtures/ok", `the catalog no longer gives it ${symbol}`, "record the case again")
    )
  const sound = seriesIn(yield* Fixtures.replay(plugin, reel.base))
  for (const instant of some(id)) {
    const now = timeOn(reel, instant)
    const rows = yield* Fixtures.replay(plugin, tapeAt(reel, now))
    const refuse = (says: string) =>
      findings.push(
        wrong(
          "demo",
          `at ${isoTime(now)} ${says}`,
          `the demo moves times that are near that of the recording; record the case with such times, or write a plan with ${program} plugin tape ${id} and correct it`
        )
      )
    if ("error" in rows) {
      refuse(`the run fails: ${rows.message}`)
      continue
    }
    const series = seriesIn(rows)
    const reasons = new Map(
      rows.refused.filter(isRefusal).map(({ metric, reason, symbol }) => [`${symbol} ${metric}`, reason])
    )
    for (const name of sound)
      if (!series.has(name)) {
        const reason = reasons.get(name.split(" of ")[0] ?? "") ?? reasons.values().next().value
        refuse(`${name} is missing${reason === undefined ? "" : `: ${reason}`}`)
      }
    for (const name of series) if (!sound.has(name)) refuse(`${name} is new`)
    for (const { as_of, metric, value } of rows.observations) {
      const { max = Infinity, min = -Infinity } = metricNamed(plugin.manifest.metrics, metric) ?? {}
      if (Date.parse(as_of) > now + clockSkew) refuse(`${metric} is of the future, ${as_of}`)
      if (!(value >= min && value <= max)) refuse(`${metric} is ${value}, outside its bounds`)
    }
  }
  return findings.slice(0, 5)
})
