/** Verifies that the log has a document under a head beside a bundle, which extends the bundle's: it was made after the batch was closed. */
import { demand } from "./check.ts"
import type { Checkpoint } from "./checkpoint.ts"
import { demandAbout, parseEntry } from "./entry.ts"
import type { LaterHead } from "./evidence.ts"
import { type InclusionProof, isIncluded, proofShape } from "./inclusion.ts"
import * as s from "./shape.ts"
import { laterHeadOf, type Signed } from "./verifyAgreed.ts"

export interface LaterDocument {
  /** As canonical text. */
  readonly document: string
  readonly log: InclusionProof & LaterHead & { readonly entry: string }
}

export const laterDocumentShape: s.Shape<LaterDocument> = {
  document: s.text,
  log: s.nested("the document's place in the log", {
    ...proofShape,
    entry: s.text,
    checkpoint: s.text,
    consistency: s.hashes
  })
}

/** What its entry says of it, and how messages name it. */
export interface AboutDocument {
  readonly kind: string
  readonly subject: string
  readonly simulated: boolean | undefined
  readonly words: string
}

/** Throws `Malformed` unless the entry is about the document, and under a head that is signed as the bundle's is, and extends it. */
export const demandLater = (
  { document, log }: LaterDocument,
  { words, ...about }: AboutDocument,
  checkpoint: Checkpoint,
  signed: Signed
): void => {
  demandAbout(parseEntry(log.entry), { ...about, text: document }, words)
  const head = laterHeadOf(log, checkpoint, signed, words)
  demand(
    log.size === head.size && isIncluded(log.entry, log, head.root),
    `the inclusion proof does not lead from the entry of ${words} to its checkpoint's root`,
    "hash"
  )
}
