/** The rules that `npm test` and `npm run check` run over all plugins, over one of a contributor. */
import { Effect } from "effect"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import { check, type Places } from "../../runtime/contributor/check/check.ts"
import { relationFindings } from "../../runtime/contributor/check/evidence.ts"
import type { Finding } from "../../runtime/contributor/check/Finding.ts"
import { oddFindings, ways } from "../../runtime/contributor/check/odd.ts"
import { sourceFindings } from "../../runtime/contributor/check/source.ts"
import { sourcesOf } from "../../runtime/contributor/check/sources.ts"
import { toolFindings } from "../../runtime/contributor/check/tools.ts"
import { fieldFindings } from "../../runtime/contributor/check/unmeant.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { otherTimesFindings } from "../../runtime/tape/otherTimes.ts"
import type { Tape } from "../../runtime/upstream/replay.ts"

/** What is wrong, a line each. */
export const wrongIn = (findings: ReadonlyArray<Finding>) =>
  findings.filter(({ level }) => level === "wrong").map(({ says, where }) => `${where}: ${says}`)

/** What the rules say that the tests of `test/plugins`, `test/demo` and `npm run check` run over all plugins. */
export const byTests = Effect.fnUntraced(function* ({
  id,
  places,
  plugin,
  tape
}: {
  readonly id: string
  readonly places: Places
  readonly plugin: Plugin
  readonly tape: Tape
}) {
  const folder = new URL(`${id}/`, places.plugins)
  const rows = yield* Fixtures.replay(plugin, tape)
  return wrongIn([
    ...(yield* toolFindings(folder)),
    ...sourceFindings(yield* sourcesOf(folder)),
    ...relationFindings(plugin.manifest),
    ...(yield* fieldFindings(plugin, tape, places.fixtures)),
    ...(yield* Effect.forEach(ways, (way) => oddFindings(plugin, tape, rows, way))).flat(),
    ...(yield* otherTimesFindings(plugin, places.fixtures)),
    ...(yield* check(id, places, { broken: false }))
  ])
})
