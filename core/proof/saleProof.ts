/** The proof that the log commits to a sale: one JSON file with everything needed to verify it offline. */
import { anchorMember } from "./anchor.ts"
import type { Bundle } from "./bundle.ts"
import { fromHex } from "./bytes.ts"
import { type Check, demand, reading } from "./check.ts"
import { type DocumentEntry, demandAbout, parseEntry } from "./entry.ts"
import { type InclusionProof, isIncluded, proofShape } from "./inclusion.ts"
import { parseJson } from "./json.ts"
import { parseSales, type SalesDocument, salesKind } from "./sales.ts"
import * as s from "./shape.ts"
import type { Trust } from "./trust.ts"
import { verifyAnchor } from "./verifyAnchor.ts"
import { verifyHead } from "./verifyHead.ts"

export interface SaleProof extends Pick<Bundle, "log" | "anchor" | "keys"> {
  readonly v: "service-sale-proof-v1"
  /** As the buyer got it, hex. */
  readonly commitment: string
  /** The commitment in the tree of its day. */
  readonly tree: InclusionProof
  /** The document of the day's sales, and its log entry (canonical texts). */
  readonly document: string
  readonly entry: string
}

export const saleProofTag = "service-sale-proof-v1"

const shape: s.Shape<SaleProof> = {
  v: s.oneOf(saleProofTag),
  commitment: s.hash,
  tree: s.nested("tree", proofShape),
  document: s.text,
  entry: s.text,
  log: s.nested("log", { ...proofShape, checkpoint: s.text, cosignatures: s.optional(s.listOf(s.text)) }),
  anchor: anchorMember,
  keys: s.anything
}

/** Parses the proof. Throws `Malformed` naming the wrong member. */
export const parseSaleProof = (json: string): SaleProof =>
  s.readShape("the proof of a sale", parseJson(json), shape)

/** The document and its entry, which must belong together. Throws `Malformed`. */
const readDocument = (
  proof: SaleProof
): { readonly document: SalesDocument; readonly entry: DocumentEntry } => {
  const document = parseSales(proof.document)
  const entry = parseEntry(proof.entry)
  demandAbout(
    entry,
    { kind: salesKind, subject: document.day, simulated: document.simulated, text: proof.document },
    "the document of sales"
  )
  return { document, entry }
}

/** Checks that a signed head of the log commits to the sale with this commitment. */
export const verifySaleProof = (
  proof: SaleProof,
  commitment: string,
  trust: Trust & { readonly kept?: string | undefined; readonly keys?: unknown }
): ReadonlyArray<Check> => {
  const sales = reading(
    "sales of the day",
    () => {
      const { document, entry } = readDocument(proof)
      demand(proof.commitment === commitment, "the proof is of another sale's commitment", "contradiction")
      demand(
        proof.tree.size === document.tree_size,
        `the day has ${document.tree_size} commitments, but the proof is for a tree of ${proof.tree.size}`,
        "contradiction"
      )
      demand(
        isIncluded(fromHex(commitment, 32), proof.tree, fromHex(document.root, 32)),
        `the inclusion proof does not lead from the commitment to the root of ${document.day}`,
        "hash"
      )
      return { document, entry }
    },
    ({ document }) => `the document of ${document.day} commits to this sale`
  )
  const entry = sales.value?.entry
  const { check: anchored, outcome } = verifyAnchor(
    proof.anchor,
    proof.log.checkpoint,
    entry?.recorded_at,
    trust
  )
  const { checks } = verifyHead("sales in log", { ...proof.log, entry: proof.entry }, entry, {
    ...trust,
    keys: trust.keys ?? proof.keys,
    outcome
  })
  return [sales.check, ...checks, anchored]
}
