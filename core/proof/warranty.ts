/**
 * The warranty of a sale: what the seller pays back if a sold value is revised or excluded afterwards, and the Merkle tree of
 * the values that it covers. Whoever has the data of the sale can compute the tree again. It is signed as a statement of its own,
 * beside the offer and the receipt: those have the members that were released, and no others.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { Malformed, toHex, utf8 } from "./bytes.ts"
import { canonical } from "./canonical.ts"
import { checkTag, type Tag, tagged } from "./leaf.ts"
import { buildTree, hashLeaves, hashLength, leafHash, root, type Sha256 } from "./merkle.ts"
import * as s from "./shape.ts"
import { readSigned, withSignature } from "./signedMembers.ts"
import { type SoldRow, soldRows } from "./soldRows.ts"
import { day, hour } from "./time.ts"

/** What is promised of a sale before it is made. Amounts are in USD. */
export interface WarrantyPromise {
  /** A revision or an incident counts that the record has within so many days of the sale. */
  readonly days: number
  /** A value counts that was at most so old at the sale. */
  readonly greatest_age_hours: number
  /** So many percent of the price are paid back, once for each sale. */
  readonly share_percent: number
  readonly most_per_sale_usd: number
  /** Of all sales, on one UTC day. */
  readonly most_per_day_usd: number
  /** Of all sales, ever. */
  readonly most_in_total_usd: number
  /** The whole promise in words. */
  readonly says: string
}

/** The promise as a sale was made with it; `says` has the rest of it. */
export interface SaleWarranty extends Pick<WarrantyPromise, "days" | "greatest_age_hours" | "says"> {
  /** `days` after the sale, which is as long before as the ages of its values were counted at. */
  readonly until: string
  /** What is paid back of this sale, USD. */
  readonly pays_usd: number
  readonly rows: {
    /** How many values it covers. */
    readonly size: number
    /** Root of their tree (RFC 9162), hex. */
    readonly root: string
  }
}

export const warrantyTag = "service-warranty-v1"

/** What is signed of the warranty of a sale. */
export interface WarrantyStatement extends SaleWarranty {
  readonly v: Tag<typeof warrantyTag>
  /** The sale, and the hash of its data, as its receipt has them. */
  readonly purchase_id: string
  readonly payload_sha256: string
  /** Present exactly in the demo. */
  readonly simulated?: true
}

const statement: s.Shape<WarrantyStatement> = {
  v: s.oneOf<Tag<typeof warrantyTag>>(warrantyTag, `${warrantyTag}-demo`),
  purchase_id: s.name,
  payload_sha256: s.hash,
  days: s.ordinal,
  greatest_age_hours: s.ordinal,
  says: s.nonEmpty,
  until: s.time,
  pays_usd: s.number,
  rows: s.nested("rows of a warranty", { size: s.ordinal, root: s.hash }),
  simulated: s.optional(s.trueOrAbsent)
}

/** A hundred years: a warranty of more days, or of older values, is one whose unit was another. */
const longestDays = 36_500

const checkStatement = (value: unknown): WarrantyStatement => {
  const warranty = s.readShape("a warranty", value, statement)
  checkTag(warranty, warrantyTag)
  if (warranty.pays_usd <= 0) throw new Malformed("a warranty: `pays_usd` must be above 0")
  if (warranty.days > longestDays || warranty.greatest_age_hours > 24 * longestDays)
    throw new Malformed(
      `a warranty: \`days\` and \`greatest_age_hours\` must be of at most ${longestDays} days`
    )
  return warranty
}

/** The warranty as the buyer gets it. */
export const signWarranty = (warranty: WarrantyStatement, key: Parameters<typeof withSignature>[1]) =>
  withSignature(checkStatement(warranty), key)

/** The warranty in a sale, taken apart. Throws `Malformed`. */
export const readWarranty = (value: unknown) => {
  const { document: warranty, ...signed } = readSigned("a warranty", value, checkStatement)
  return { warranty, ...signed }
}

const promiseTag = "service-warranty-offer-v1"

/** What is signed of the warranty of an offer, before anything is sold. */
export interface WarrantyOffer extends WarrantyPromise {
  readonly v: Tag<typeof promiseTag>
  /** What is offered. */
  readonly resource_url: string
  /** Like that of the offer. */
  readonly valid_until: string
  /** Present exactly in the demo. */
  readonly simulated?: true
}

/** The promise as served next to an offer. */
export const signWarrantyOffer = (
  { simulated, ...offer }: Omit<WarrantyOffer, "v" | "simulated"> & { readonly simulated: boolean },
  key: Parameters<typeof withSignature>[1]
) =>
  withSignature<WarrantyOffer>(
    { v: tagged(promiseTag, simulated), ...offer, ...(simulated ? { simulated: true } : {}) },
    key
  )

/** A value as a leaf of the tree names it. */
export type WarrantedValue = Pick<SoldRow, "symbol" | "metric" | "source" | "value"> & {
  /** Of the reading, epoch milliseconds. */
  readonly as_of: number
}

/** The entry of a value in the tree: the canonical JSON of these members, the time with milliseconds. */
const entryText = ({ as_of, metric, source, symbol, value }: WarrantedValue): string =>
  canonical({ symbol, metric, source, as_of: new Date(as_of).toISOString(), value })

/** The leaf hash of a value. */
export const warrantedLeaf = (value: WarrantedValue, sha: Sha256 = sha256): Uint8Array =>
  leafHash(utf8(entryText(value)), sha)

/** A tree has at most so many values: the first of the data. */
export const mostWarranted = 5000

/** The values with an `as_of` of their own that were at most so old at the sale, each once, in the order of the data. */
const warrantedEntries = (
  data: unknown,
  soldAt: number,
  greatestAgeHours: number
): ReadonlyArray<Uint8Array> => {
  const entries = new Set<string>()
  for (const { as_of, orNewer, ...row } of soldRows(data)) {
    // The `as_of` of a row of figures is the oldest of theirs, so it is of none of them for certain.
    if (as_of === undefined || orNewer === true) continue
    const at = Date.parse(as_of)
    if (at < soldAt - greatestAgeHours * hour) continue
    entries.add(entryText({ ...row, as_of: at }))
    if (entries.size === mostWarranted) break
  }
  return [...entries].map(utf8)
}

/** The leaf hashes of the covered values, one after the other, and the root of their tree; undefined if there are none. */
export const warrantedTree = (
  data: unknown,
  { greatest_age_hours, soldAt }: Pick<WarrantyPromise, "greatest_age_hours"> & { readonly soldAt: number },
  sha: Sha256 = sha256
): { readonly size: number; readonly hashes: Uint8Array; readonly root: string } | undefined => {
  const entries = warrantedEntries(data, soldAt, greatest_age_hours)
  if (entries.length === 0) return undefined
  const hashes = hashLeaves(entries, sha)
  return { size: hashes.length / hashLength, hashes, root: toHex(root(buildTree(hashes, sha), sha)) }
}

/** When the sale was made that has this warranty, epoch milliseconds. */
export const soldAtOf = ({ days, until }: Pick<SaleWarranty, "days" | "until">): number =>
  Date.parse(until) - days * day
