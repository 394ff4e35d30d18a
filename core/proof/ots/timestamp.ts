/**
 * A timestamp: a message and the paths from it to attestations. This is the tree inside an `.ots` file or a calendar's
 * response.
 */
import { compareBytes, equalBytes, fromHex } from "../bytes.ts"
import type { BitcoinNetwork } from "./bitcoin.ts"
import { apply, compareOps, type Op, sameOp } from "./op.ts"

/** A claim about a message: a block of Bitcoin, of the fixture network or of Litecoin contains it, or a calendar promises that one will. */
export type Attestation =
  | { readonly kind: BitcoinNetwork | "litecoin"; readonly height: number }
  | { readonly kind: "pending"; readonly uri: string }
  /** An unknown kind, kept and written back unchanged. */
  | { readonly kind: "unknown"; readonly tag: Uint8Array; readonly payload: Uint8Array }

export type Item = { readonly attestation: Attestation } | { readonly op: Op; readonly next: Timestamp }

export interface Timestamp {
  readonly message: Uint8Array
  /** At least one, in file order. */
  readonly items: ReadonlyArray<Item>
}

/** The 8-byte tags of the attestations. */
export const tags = {
  bitcoin: fromHex("0588960d73d71901"),
  /** First 8 bytes of SHA-256 of the network's name: a fixture never carries Bitcoin's own tag. */
  "bitcoin-regtest-fixture": fromHex("19c1320cb60a738a"),
  litecoin: fromHex("06869a0d73d71b45"),
  pending: fromHex("83dfe30d2ef90c8e")
} as const

export const tagOf = (attestation: Attestation): Uint8Array =>
  attestation.kind === "unknown" ? attestation.tag : tags[attestation.kind]

/** A timestamp that leads from `message` through `ops` to `items`. */
export const along = (
  message: Uint8Array,
  ops: ReadonlyArray<Op>,
  items: (message: Uint8Array) => ReadonlyArray<Item>
): Timestamp => {
  const [op, ...rest] = ops
  return op === undefined
    ? { message, items: items(message) }
    : { message, items: [{ op, next: along(apply(op, message), rest, items) }] }
}

/** Every attestation with its message, in item order. */
export const attested = (
  timestamp: Timestamp
): Array<{ readonly attestation: Attestation; readonly message: Uint8Array }> =>
  timestamp.items.flatMap((item) =>
    "attestation" in item
      ? [{ attestation: item.attestation, message: timestamp.message }]
      : attested(item.next)
  )

/** True for the claim that a block contains the message, be it of Bitcoin or of the fixture network. */
export const namesBlock = ({ kind }: Attestation): boolean =>
  kind === "bitcoin" || kind === "bitcoin-regtest-fixture"

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Sorts attestations by tag, then by content. */
const compareAttestations = (a: Attestation, b: Attestation): number => {
  const byTag = compareBytes(tagOf(a), tagOf(b))
  if (byTag !== 0) return byTag
  if (a.kind === "pending" && b.kind === "pending") return compareText(a.uri, b.uri)
  if (a.kind === "unknown" && b.kind === "unknown") return compareBytes(a.payload, b.payload)
  return "height" in a && "height" in b ? a.height - b.height : 0
}

const compareItems = (a: Item, b: Item): number => {
  if ("attestation" in a) return "attestation" in b ? compareAttestations(a.attestation, b.attestation) : -1
  return "attestation" in b ? 1 : compareOps(a.op, b.op)
}

/** The same timestamp in canonical order: attestations first, then operations, without duplicates. */
export const inOrder = (timestamp: Timestamp): Timestamp => merge(timestamp, { ...timestamp, items: [] })

/** Merges two timestamps of the same message, in canonical order. Throws if the messages differ. */
export const merge = (a: Timestamp, b: Timestamp): Timestamp => {
  if (!equalBytes(a.message, b.message))
    throw new RangeError("only timestamps of the same message can be merged")
  const merged: Array<Item> = []
  for (const item of [...a.items, ...b.items]) {
    const at = merged.findIndex((candidate) => sameItem(candidate, item))
    const twin = merged[at]
    if (twin === undefined) {
      merged.push("op" in item ? { op: item.op, next: inOrder(item.next) } : item)
    } else if ("op" in twin && "op" in item) {
      merged[at] = { op: twin.op, next: merge(twin.next, item.next) }
    }
  }
  return { message: a.message, items: merged.sort(compareItems) }
}

const sameItem = (a: Item, b: Item): boolean =>
  "op" in a && "op" in b ? sameOp(a.op, b.op) : !("op" in a) && !("op" in b) && compareItems(a, b) === 0

/**
 * Merges `upgrade` (a calendar's later response) wherever its message occurs. Keeps the pending attestation, because the
 * calendar did make it. Undefined if the message does not occur.
 */
export const upgraded = (timestamp: Timestamp, upgrade: Timestamp): Timestamp | undefined => {
  let occurs = false
  const walk = (at: Timestamp): Timestamp => {
    const items = at.items.map((item) => ("op" in item ? { op: item.op, next: walk(item.next) } : item))
    if (!equalBytes(at.message, upgrade.message)) return { message: at.message, items }
    occurs = true
    return merge({ message: at.message, items }, upgrade)
  }
  const whole = walk(timestamp)
  return occurs ? inOrder(whole) : undefined
}

/** Removes the attestations that `gone` matches and the paths leading only to them; undefined if none is left. */
export const without = (
  timestamp: Timestamp,
  gone: (attestation: Attestation) => boolean
): Timestamp | undefined => {
  const items = timestamp.items.flatMap((item): ReadonlyArray<Item> => {
    if ("attestation" in item) return gone(item.attestation) ? [] : [item]
    const next = without(item.next, gone)
    return next === undefined ? [] : [{ op: item.op, next }]
  })
  return items.length === 0 ? undefined : { message: timestamp.message, items }
}
