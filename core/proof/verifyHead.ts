/** Verifies that an entry is in the log: its path to a head, who signed that head, and which witnesses saw it. */
import { type Check, check, demand, notProved, reading } from "./check.ts"
import { parseCheckpointText, parseNote } from "./checkpoint.ts"
import type { DocumentEntry } from "./entry.ts"
import { type InclusionProof, isIncluded } from "./inclusion.ts"
import { parseKeyDocument } from "./keys.ts"
import type { TimestampVerdict } from "./ots/verify.ts"
import { signerChecks, type Trust } from "./trust.ts"
import { pinsOf, signersOf } from "./verifyCheckpoint.ts"

/** An entry (canonical text) with its path to a head of the log, a signed note. */
export interface EntryUnderHead extends InclusionProof {
  readonly entry: string
  readonly checkpoint: string
  readonly cosignatures?: ReadonlyArray<string>
}

export interface HeadOptions extends Trust {
  /** A checkpoint kept earlier: its signers are trusted if no key is given. */
  readonly kept?: string | undefined
  /** The public-key document. */
  readonly keys: unknown
  /** What the timestamp of the head proves. */
  readonly outcome?: TimestampVerdict | undefined
}

/**
 * Checks that the entry is under the head, under the name `what`, and the head's signature. `entry` is what the caller read of it,
 * undefined if that failed. Gives the kids of the keys that signed.
 */
export const verifyHead = (
  what: string,
  logged: EntryUnderHead,
  entry: Pick<DocumentEntry, "recorded_at" | "simulated"> | undefined,
  { keys, outcome, ...trust }: HeadOptions
): { readonly checks: ReadonlyArray<Check>; readonly signers: ReadonlyArray<string> } => {
  const { checkpoint: note, cosignatures = [] } = logged
  const under = check(what, () => {
    const checkpoint = parseCheckpointText(parseNote(note).text)
    demand(
      checkpoint.size === logged.size,
      `the checkpoint covers ${checkpoint.size} entries, but the proof is for a log of ${logged.size}`,
      "contradiction"
    )
    demand(
      isIncluded(logged.entry, logged, checkpoint.root),
      "the inclusion proof does not lead from the entry to the checkpoint's root",
      "hash"
    )
    return `entry ${logged.index} of ${checkpoint.size} of ${checkpoint.origin}`
  })
  const signed = reading(
    "checkpoint signature",
    () => {
      const document = parseKeyDocument(keys)
      const simulated = entry === undefined ? undefined : entry.simulated === true
      return { document, signers: signersOf(note, document, simulated) }
    },
    ({ signers }) => `signed with key ${signers.map(({ kid }) => kid).join(" and ")}`
  )
  if (signed.value === undefined)
    return {
      checks: [
        under,
        signed.check,
        notProved("key in use", "the key that signed the checkpoint is unknown", "unavailable")
      ],
      signers: []
    }
  const { document, signers } = signed.value
  return {
    checks: [
      under,
      signed.check,
      ...signerChecks({ note, cosignatures, outcome, notOlderThan: entry?.recorded_at }, signers, document, {
        ...trust,
        pins: pinsOf(trust.pins, trust.kept, document)
      })
    ],
    signers: signers.map(({ kid }) => kid)
  }
}
