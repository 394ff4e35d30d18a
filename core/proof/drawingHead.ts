/** The head of the log by which the notary of a run was drawn: a signed note that the run's hour gives, and the run names by its hash. */
import { sha256 } from "@noble/hashes/sha2.js"
import { toHex, utf8 } from "./bytes.ts"
import { demand } from "./check.ts"
import { type Checkpoint, parseCheckpointText, parseNote } from "./checkpoint.ts"
import type { KeyDocument } from "./keys.ts"
import type { RanLeaf } from "./runLeaf.ts"
import type { Runs } from "./runs.ts"
import { signersOf } from "./verifyCheckpoint.ts"

/** The note that a run was drawn by, as its hour gives it; undefined where it does not. */
export const drawingNote = (
  { drawn_by = [] }: Pick<Runs, "drawn_by">,
  { lot }: Pick<RanLeaf, "lot">
): string | undefined => drawn_by.find((note) => toHex(sha256(utf8(note))) === lot?.head)

/**
 * The head that a note is, if a key of the log signed it and it is not newer than the hour's entry, at `place`. The caller looks whether
 * the log extends it. Throws `Malformed`.
 */
export const readDrawingHead = (note: string, keys: KeyDocument, place: number): Checkpoint => {
  const head = parseCheckpointText(parseNote(note).text)
  signersOf(note, keys)
  demand(
    head.size <= place,
    `a notary was drawn by a head of ${head.size} entries, before the log had more than ${place}`,
    "time"
  )
  return head
}
