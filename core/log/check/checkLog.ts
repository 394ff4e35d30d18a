/** `plumbline log check`: whether what the database serves is what the log commits to. */
import { Effect, Random } from "effect"
import { isBatch } from "../../proof/entry.ts"
import type { Difference } from "../../proof/finding.ts"
import { storedFact, storeFact } from "../../sql/keyValue.ts"
import { checkArchive } from "./archive.ts"
import { checkBatch } from "./batches.ts"
import { checkDocuments } from "./documents.ts"
import { checkEntries, type Placed } from "./entries.ts"
import { checkLatest } from "./latest.ts"
import { checkReadings } from "./readings.ts"

export interface Checked {
  readonly findings: ReadonlyArray<Difference>
  readonly size: number
  readonly batches: number
  readonly documents: number
}

/** Number of the first entries that were checked without a finding. */
const factOfChecked = "log_checked"

/** Batches and documents from before that are checked again. */
const olderBatches = 3
const olderDocuments = 20

/**
 * Checks every entry and latest row, and what is new since the last check with a random sample of what is older; everything if
 * `full`. What was found is new again in the next check.
 */
export const checkLog = Effect.fn("log.checkLog")(function* (full: boolean) {
  const done = full ? 0 : Number((yield* storedFact(factOfChecked)) ?? 0)
  const { findings: ofEntries, placed, size } = yield* checkEntries()
  const findings: Array<Difference> = [...ofEntries]
  const [batches, documents] = [
    yield* chosen(placed, done, olderBatches, ({ entry }) => isBatch(entry)),
    yield* chosen(placed, done, olderDocuments, ({ entry }) => !isBatch(entry))
  ]
  findings.push(...(yield* checkDocuments(documents)), ...(yield* checkArchive(placed)))
  for (const { entry } of batches) {
    if (isBatch(entry)) findings.push(...(yield* checkBatch(entry, checkReadings)))
  }
  findings.push(...(yield* checkLatest()))
  if (findings.length === 0) {
    yield* storeFact(factOfChecked, String(size))
  }
  return { findings, size, batches: batches.length, documents: documents.length } satisfies Checked
})

/** The entries of a kind that are new, and some of the older ones, so that nobody knows which. */
const chosen = Effect.fnUntraced(function* (
  placed: ReadonlyArray<Placed>,
  done: number,
  sample: number,
  is: (placed: Placed) => boolean
) {
  const all = placed.filter(is)
  const older = yield* Random.shuffle(all.filter(({ place }) => place < done))
  return [...older.slice(0, sample), ...all.filter(({ place }) => place >= done)]
})
