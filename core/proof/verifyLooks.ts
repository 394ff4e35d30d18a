/** Verifies what a bundle has of operators' words on a block: the day's document of looks, and its place in the log. */
import { type ChainLooks, chainLooksKind, chainLooksSubject, parseChainLooks } from "./chainLooks.ts"
import { demand } from "./check.ts"
import type { Checkpoint } from "./checkpoint.ts"
import { demandAbout, parseEntry } from "./entry.ts"
import { type InclusionProof, isIncluded, proofShape } from "./inclusion.ts"
import * as s from "./shape.ts"
import { laterHeadOf, type Signed } from "./verifyAgreed.ts"

/** The document, and its entry under a head that extends the bundle's: operators are asked after the batch is closed. */
export interface LoggedLooks {
  /** As canonical text. */
  readonly document: string
  readonly log: InclusionProof & {
    readonly entry: string
    /** The signed head of that size. */
    readonly checkpoint: string
    /** The consistency proof (RFC 9162) of the bundle's checkpoint with it; empty if they have one size. */
    readonly consistency: ReadonlyArray<string>
  }
}

export const loggedLooksShape: s.Shape<LoggedLooks> = {
  document: s.text,
  log: s.nested("the looks' place in the log", {
    ...proofShape,
    entry: s.text,
    checkpoint: s.text,
    consistency: s.hashes
  })
}

/** The document, once the log has it. Throws `Malformed`. */
export const looksUnder = (
  { document: text, log }: LoggedLooks,
  checkpoint: Checkpoint,
  signed: Signed
): ChainLooks => {
  const document = parseChainLooks(text)
  demandAbout(
    parseEntry(log.entry),
    {
      kind: chainLooksKind,
      subject: chainLooksSubject(document),
      simulated: document.simulated,
      text
    },
    "the document of looks"
  )
  const head = laterHeadOf(log, checkpoint, signed, "the looks")
  demand(
    log.size === head.size && isIncluded(log.entry, log, head.root),
    "the inclusion proof does not lead from the entry of the looks to its checkpoint's root",
    "hash"
  )
  return document
}
