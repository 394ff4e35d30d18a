/** Replays a plugin in other time zones: text without a zone means another time on another machine. */
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { Effect, Option } from "effect"
import * as Plugins from "../../collector/plugins.ts"
import * as Fixtures from "../fixtures.ts"
import { difference, replayedAt } from "./cases.ts"
import { type Finding, wrong } from "./Finding.ts"

/** Ahead of and behind UTC, so that a machine in either of them differs from the other. */
const zones = ["Asia/Tokyo", "America/Los_Angeles"] as const

/** The work while this process is in the time zone. Node reads the variable anew when it is set. */
const inZone = <A, E, R>(zone: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      // Not `Config`: the zone is set here, for the plugin's code.
      const before = process.env["TZ"]
      process.env["TZ"] = zone
      return before
    }),
    () => work,
    (before) =>
      Effect.sync(() => {
        // Node goes on in the zone if the variable is only deleted.
        process.env["TZ"] = before ?? ""
        if (before === undefined) delete process.env["TZ"]
      })
  )

/** The case ok gives the same rows in every zone. The plugin is imported there again, for times that its modules compute. */
export const zoneFindings = Effect.fnUntraced(function* (name: string, plugins: URL, fixtures: string) {
  const loaded = yield* Effect.option(Fixtures.load(join(fixtures, name, "ok")))
  if (Option.isNone(loaded)) return []
  const { tape } = loaded.value
  const [here, there] = yield* Effect.forEach(zones, (zone) =>
    inZone(
      zone,
      Effect.option(
        Effect.flatMap(Plugins.read(name, plugins, zone), (plugin) => replayedAt(plugin, tape, tape.now))
      )
    )
  )
  if (here === undefined || there === undefined || Option.isNone(here) || Option.isNone(there)) return []
  const findings: Array<Finding> = []
  if (!isDeepStrictEqual(here.value, there.value)) {
    findings.push(
      wrong(
        "fixtures/ok",
        `in the time zone ${zones[1]} it gives other rows than in ${zones[0]}: ${difference(here.value, there.value)}`,
        "read times with moment of #plugin/fields, or with parseTime of core/plugin/Value.ts; never with new Date(text) or Date.parse of text without a zone, nor with getHours or setHours"
      )
    )
  }
  return findings
})
