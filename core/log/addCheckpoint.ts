/** The body of `add-checkpoint` (C2SP tlog-witness): an older size, the proof from there, and the new checkpoint. */
import { fromBase64, Malformed, toBase64 } from "../proof/bytes.ts"

export interface AddCheckpoint {
  /** Size of the checkpoint that the witness cosigned last, 0 for none. */
  readonly oldSize: number
  /** The consistency proof from there. */
  readonly path: ReadonlyArray<Uint8Array>
  /** The checkpoint with its signature lines. */
  readonly note: string
}

/** The most hashes a request may have. */
const longestPath = 63

export const addCheckpointText = ({ note, oldSize, path }: AddCheckpoint): string =>
  [`old ${oldSize}`, ...path.map(toBase64), "", note].join("\n")

/** Parses a body strictly, except for the note. Throws `Malformed`. */
export const parseAddCheckpoint = (text: string): AddCheckpoint => {
  const split = text.indexOf("\n\n")
  if (split < 0) throw new Malformed("an empty line must separate the proof from the checkpoint")
  const [first = "", ...hashes] = text.slice(0, split).split("\n")
  const size = /^old (0|[1-9]\d{0,15})$/.exec(first)?.[1]
  if (size === undefined || !Number.isSafeInteger(Number(size))) {
    throw new Malformed("the first line must be `old <size>`, the size in decimal")
  }
  if (hashes.length > longestPath) {
    throw new Malformed(`a consistency proof must have at most ${longestPath} hashes, not ${hashes.length}`)
  }
  return {
    oldSize: Number(size),
    path: hashes.map((line) => fromBase64(line, 32)),
    note: text.slice(split + 2)
  }
}
