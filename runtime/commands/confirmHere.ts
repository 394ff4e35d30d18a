/** The part of `plumbline confirm` that reaches the upstream: it runs where the command was given. */
import { Console, Effect } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { UsageError } from "../cli/usage.ts"
import { capturedIn } from "../contributor/captured.ts"
import * as Fixtures from "../contributor/fixtures.ts"
import { keep, look } from "../contributor/probe/probe.ts"
import * as Report from "../contributor/probe/report.ts"
import { table } from "../contributor/rows.ts"
import { Settings } from "../settings/Settings.ts"
import { Egress } from "../upstream/Egress.ts"
import { parseMap } from "../upstream/map.ts"
import { contained } from "./contained.ts"
import { lastKnown } from "./lastKnown.ts"

/** Probes a plugin and prints the report. Returns what keeps its answers as the captured case of the service's data. */
export const lookAt = Effect.fnUntraced(function* (name: string) {
  const plugin = yield* contained(name)
  const { dataDir } = yield* Settings
  // Not `Config`: the plugin decides which variables are read.
  const environment = process.env
  const map = yield* parseMap(environment["UPSTREAM_MAP"] ?? "")
  const reaching = Effect.provide([Egress.layer({ map }), SecureRandom.layerWebCrypto])
  const stored = yield* lastKnown
  const { probed, rows, tape } = yield* look(plugin, {
    fixtures: Fixtures.root,
    environment,
    ranges: stored?.ranges ?? new Map(),
    contracts: stored?.contracts ?? []
  }).pipe(reaching)
  yield* Console.log(Report.markdown([probed]))
  if (rows !== undefined) yield* Console.log(table(rows))
  if (tape === undefined || probed.outcome === "failed" || probed.outcome === "needs_key") {
    return yield* new UsageError({
      message: `there is nothing to confirm: ${probed.error?.message ?? "the run gave no rows"}`
    })
  }
  const folder = capturedIn(dataDir)
  return keep(plugin, tape, folder).pipe(
    reaching,
    Effect.andThen(Console.log(`the answers are kept in ${folder}/${name}/captured.json`))
  )
})
