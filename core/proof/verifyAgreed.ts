/** Verifies what the evidence beside a bundle says of other operators: the comparison, its place in the log, and the head that it is under. */
import { sha256 } from "@noble/hashes/sha2.js"
import type { Agreed } from "./agreed.ts"
import { agreementKind, agreementSubject, checkComparisonOf, parseAgreement } from "./agreement.ts"
import { checkComparison, parseAgreementLeaf, seenBy } from "./agreementLeaf.ts"
import { fromHex, toHex, utf8 } from "./bytes.ts"
import { type Check, check, demand, notChecked } from "./check.ts"
import { type Checkpoint, parseCheckpointText, parseNote } from "./checkpoint.ts"
import { isBatch, parseEntry } from "./entry.ts"
import type { LaterHead } from "./evidence.ts"
import { isIncluded } from "./inclusion.ts"
import type { KeyDocument, LogServiceKey } from "./keys.ts"
import type { Leaf } from "./leaf.ts"
import { verifyConsistency } from "./merkle.ts"
import { demandOther, ownOf } from "./others.ts"
import { signersOf } from "./verifyCheckpoint.ts"

/** The keys of a bundle's checkpoint. */
export interface Signed {
  readonly document: KeyDocument
  readonly signers: ReadonlyArray<LogServiceKey>
}

/** A head of `what` beside a bundle. Throws `Malformed` unless it is signed as the bundle's is, and extends it. */
export const laterHeadOf = (
  { checkpoint: note, consistency }: LaterHead,
  checkpoint: Checkpoint,
  signed: Signed,
  what: string
): Checkpoint => {
  const head = parseCheckpointText(parseNote(note).text)
  const kids = signersOf(note, signed.document).map(({ kid }) => kid)
  demand(
    signed.signers.some(({ kid }) => kids.includes(kid)),
    `no key that signed the bundle's checkpoint signed the head of ${what}`,
    "signature"
  )
  demand(
    verifyConsistency({
      firstSize: checkpoint.size,
      firstRoot: checkpoint.root,
      secondSize: head.size,
      secondRoot: head.root,
      path: consistency.map((hash) => fromHex(hash, 32))
    }),
    `the head of ${what} does not extend the bundle's checkpoint`,
    "hash"
  )
  return head
}

/** Checks how many other operators have the value, by what the log says. */
export const checkAgreed = (
  agreed: Agreed,
  checkpoint: Checkpoint,
  signed: Signed | undefined,
  value: Leaf | undefined
): Check<"other operators"> => {
  const name = "other operators"
  if (value === undefined) return notChecked(name, "the leaf cannot be read", "unavailable")
  if (signed === undefined)
    return notChecked(name, "the signature of the bundle's checkpoint does not hold", "unavailable")
  return check(name, () => {
    const document = parseAgreement(agreed.document)
    const leaf = parseAgreementLeaf(agreed.leaf)
    demand(value.kind !== "absent", "a day without a reading has no value to compare", "contradiction")
    const own = ownOf(signed.document)
    for (const { key, origin } of document.observers) demandOther("observer", { name: origin, kid: key }, own)
    checkComparisonOf(document, leaf)
    checkComparison(leaf, value)
    demand(
      document.tree_size === agreed.size && isIncluded(agreed.leaf, agreed, fromHex(document.root, 32)),
      `the inclusion proof does not lead from the comparison to the day's root ${document.root} of ${document.tree_size} leaves`,
      "hash"
    )
    const entry = parseEntry(agreed.log.entry)
    demand(
      !isBatch(entry) &&
        entry.kind === agreementKind &&
        entry.subject === agreementSubject(document) &&
        entry.simulated === document.simulated &&
        entry.sha256 === toHex(sha256(utf8(agreed.document))),
      "the agreement's log entry is not about its document",
      "contradiction"
    )
    const head = laterHeadOf(agreed.log, checkpoint, signed, "the agreement")
    demand(
      agreed.log.size === head.size && isIncluded(agreed.log.entry, agreed.log, head.root),
      "the inclusion proof does not lead from the agreement's entry to its checkpoint's root",
      "hash"
    )
    const { n_agree, n_observers } = seenBy(leaf)
    const others = n_observers === 1 ? "1 other operator" : `${n_observers} other operators`
    return n_observers === 0
      ? `none of ${document.observers.length} observers had a value to compare, as this log says in entry ${agreed.log.index}`
      : `${n_agree} of ${others} saw the same, as this log says in entry ${agreed.log.index}; their leaves are under the roots that it names`
  })
}
