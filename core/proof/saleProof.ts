/** The proof that the log commits to a sale: one JSON file with everything needed to verify it offline. */
import { sha256 } from "@noble/hashes/sha2.js"
import { anchorMember, type Bundle } from "./bundle.ts"
import { fromHex, toHex, utf8 } from "./bytes.ts"
import { type Check, check, demand, notProved, reading } from "./check.ts"
import { parseCheckpointText, parseNote } from "./checkpoint.ts"
import { type DocumentEntry, isBatch, parseEntry } from "./entry.ts"
import { type InclusionProof, isIncluded, proofShape } from "./inclusion.ts"
import { parseJson } from "./json.ts"
import { parseKeyDocument } from "./keys.ts"
import { parseSales, type SalesDocument, salesKind } from "./sales.ts"
import * as s from "./shape.ts"
import { signerChecks, type Trust } from "./trust.ts"
import { verifyAnchor } from "./verifyAnchor.ts"
import { pinsOf, signersOf } from "./verifyCheckpoint.ts"

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
  demand(
    !isBatch(entry) &&
      entry.kind === salesKind &&
      entry.subject === document.day &&
      entry.simulated === document.simulated &&
      entry.sha256 === toHex(sha256(utf8(proof.document))),
    "the log entry is not about the document of sales"
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
      demand(proof.commitment === commitment, "the proof is of another sale's commitment")
      demand(
        proof.tree.size === document.tree_size,
        `the day has ${document.tree_size} commitments, but the proof is for a tree of ${proof.tree.size}`
      )
      demand(
        isIncluded(fromHex(commitment, 32), proof.tree, fromHex(document.root, 32)),
        `the inclusion proof does not lead from the commitment to the root of ${document.day}`
      )
      return { document, entry }
    },
    ({ document }) => `the document of ${document.day} commits to this sale`
  )
  const { note, outcome, anchored } = anchorOf(proof, sales.value?.entry, trust)
  const head = check("sales in log", () => {
    const checkpoint = parseCheckpointText(parseNote(note).text)
    demand(
      checkpoint.size === proof.log.size,
      `the checkpoint covers ${checkpoint.size} entries, but the proof is for a log of ${proof.log.size}`
    )
    demand(
      isIncluded(proof.entry, proof.log, checkpoint.root),
      "the inclusion proof does not lead from the entry to the checkpoint's root"
    )
    return `entry ${proof.log.index} of ${checkpoint.size} of ${checkpoint.origin}`
  })
  const signed = reading(
    "checkpoint signature",
    () => {
      const document = parseKeyDocument(trust.keys ?? proof.keys)
      const simulated = sales.value === undefined ? undefined : sales.value.entry.simulated === true
      return { document, signers: signersOf(note, document, simulated) }
    },
    ({ signers }) => `signed with key ${signers.map(({ kid }) => kid).join(" and ")}`
  )
  return [
    sales.check,
    head,
    signed.check,
    ...(signed.value === undefined
      ? [notProved("key in use", "the key that signed the checkpoint is unknown")]
      : signerChecks(
          {
            note,
            cosignatures: proof.log.cosignatures ?? [],
            outcome,
            notOlderThan: sales.value?.entry.recorded_at
          },
          signed.value.signers,
          signed.value.document,
          { ...trust, pins: pinsOf(trust.pins, trust.kept, signed.value.document) }
        )),
    anchored
  ]
}

const anchorOf = (proof: SaleProof, entry: DocumentEntry | undefined, trust: Trust) => {
  const note = proof.log.checkpoint
  const { check: anchored, outcome } = verifyAnchor(proof.anchor, note, entry?.recorded_at, trust)
  return { note, outcome, anchored }
}
