/** Holds what a run reports to what its manifest allows; the plugin thread is not trusted. */
import { Effect, Schema } from "effect"
import { targetsOf } from "../../../catalog/Catalog.ts"
import { type Manifest, refusalOf, symbolsOf } from "../../../plugin/Manifest.ts"
import type { Refusal } from "../../../plugin/Plugin.ts"
import { byName, Observation } from "../../../plugin/Value.ts"
import type { RunResult } from "../Run.ts"

const isObservation = Schema.is(Observation)

/**
 * Whether a row differs from one that was allowed in its value and its time alone, and both are of their types. A run has
 * many readings of a series one after the other; asking the schema and the manifest about each takes ten times as long.
 */
const isAlike = (allowed: Observation | undefined, row: Observation): boolean =>
  allowed !== undefined &&
  row.symbol === allowed.symbol &&
  row.metric === allowed.metric &&
  row.source === allowed.source &&
  row.unit === allowed.unit &&
  row.verify_url === allowed.verify_url &&
  Number.isFinite(row.value) &&
  typeof row.as_of === "string" &&
  !("value_text" in row) &&
  !("read_url" in row)

/** The run with only the rows its manifest allows, in the order of `byName`. */
export const checked = Effect.fnUntraced(function* (run: RunResult, manifest: Manifest) {
  const symbols = symbolsOf(manifest, targetsOf(manifest.covers))
  const observations: Array<Observation> = []
  const refused: Array<Refusal> = []
  for (const row of run.observations) {
    if (isAlike(observations.at(-1), row)) {
      observations.push(row)
      continue
    }
    const reason = isObservation(row) ? refusalOf(manifest, symbols, row) : "not a valid row"
    if (reason === undefined) observations.push(row)
    else refused.push({ symbol: String(row.symbol), metric: String(row.metric), reason })
  }
  if (refused.length > 0) {
    yield* Effect.logError("dropped rows that the manifest does not allow", {
      plugin: run.plugin,
      run: run.id,
      rows: refused.length,
      first: refused[0]
    })
  }
  return { ...run, observations: observations.sort(byName), refused: [...run.refused, ...refused] }
})
