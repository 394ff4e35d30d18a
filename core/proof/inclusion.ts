/** Inclusion proofs as documents have them (RFC 9162): of a leaf in a batch, of an entry in the log. */
import { fromHex, utf8 } from "./bytes.ts"
import { leafHash, verifyInclusion } from "./merkle.ts"
import * as s from "./shape.ts"

/** Hashes in lower-case hex, lowest sibling first. */
export interface InclusionProof {
  readonly index: number
  readonly size: number
  readonly path: ReadonlyArray<string>
}

export const proofShape: s.Shape<InclusionProof> = { index: s.count, size: s.count, path: s.hashes }

/** True if the proof leads from the leaf, a text or bytes, to the root. Throws `Malformed` for a hash that is none. */
export const isIncluded = (
  leaf: string | Uint8Array,
  { index, path, size }: InclusionProof,
  root: Uint8Array
): boolean =>
  verifyInclusion({
    leaf: leafHash(typeof leaf === "string" ? utf8(leaf) : leaf),
    index,
    size,
    path: path.map((hash) => fromHex(hash, 32)),
    root
  })
