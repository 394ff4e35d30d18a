/**
 * The document of a day's sales: log entries of kind `sales` commit to it. It holds the root of a Merkle tree over salted
 * commitments, one for each sale and others that belong to none, so that it names no sale, no payload and no exact number.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { concat, fromHex, Malformed, toHex, utf8 } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import { checkTag, type Tag } from "./leaf.ts"
import * as s from "./shape.ts"

export interface SalesDocument {
  readonly v: Tag<"service-sales-v1">
  /** The UTC day of the sales, and of earlier ones that no document had. */
  readonly day: string
  /** Merkle root (RFC 9162) over the commitments in ascending order, hex. */
  readonly root: string
  /** A power of two from 16 on: at least one sale, and at most so many. */
  readonly tree_size: number
  readonly simulated?: true
}

export const salesKind = "sales"
export const salesTag = "service-sales-v1"

/** A tree is never smaller: of days with fewer sales nobody can tell how many there were. */
const leastCommitments = 16

/** Leaves of a tree over so many sales. */
export const commitmentsFor = (sales: number): number =>
  Math.max(leastCommitments, 2 ** Math.ceil(Math.log2(Math.max(1, sales))))

const shape: s.Shape<SalesDocument> = {
  v: s.oneOf<Tag<"service-sales-v1">>(salesTag, `${salesTag}-demo`),
  day: s.day,
  root: s.hash,
  tree_size: s.ordinal,
  simulated: s.optional(s.trueOrAbsent)
}

const check = (value: unknown): SalesDocument => {
  const document = s.readShape("a document of sales", value, shape)
  checkTag(document, salesTag)
  if (document.tree_size !== commitmentsFor(document.tree_size))
    throw new Malformed(
      `a document of sales must have a tree_size that is a power of two from ${leastCommitments} on, not ${document.tree_size}`
    )
  return document
}

/** The document's text. Throws `Malformed` if it is not valid. */
export const salesText = (document: SalesDocument): string => canonical(check(document))

/** Parses the document, which must be canonical JSON. Throws `Malformed`. */
export const parseSales = (text: string): SalesDocument => check(parseCanonical(text))

const domain = utf8("plumbline-sale-v1\n")

/**
 * The commitment to a sale, hex: SHA-256 over `plumbline-sale-v1`, a newline, the 32 bytes of the salt and the 32 bytes of the
 * payload's SHA-256. Whoever lacks the salt cannot tell what was sold. Throws `Malformed`.
 */
export const commitmentOf = (salt: string, payloadSha256: string): string =>
  toHex(sha256(concat(domain, fromHex(salt, 32), fromHex(payloadSha256, 32))))
