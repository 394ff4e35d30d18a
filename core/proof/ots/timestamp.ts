/**
 * A timestamp: a message, and the ways that lead from it to attestations. The tree behind an `.ots` file and behind a
 * calendar's answer.
 */
import { compareBytes, equalBytes, fromHex } from "../bytes.ts"
import { apply, compareOps, type Op, sameOp } from "./op.ts"

/** What someone says of a message: Bitcoin or Litecoin holds it in a block, or a calendar promises it will. */
export type Attestation =
  | { readonly kind: "bitcoin" | "litecoin"; readonly height: number }
  | { readonly kind: "pending"; readonly uri: string }
  /** A kind that we do not know; kept and written back as it came. */
  | { readonly kind: "unknown"; readonly tag: Uint8Array; readonly payload: Uint8Array }

export type Item = { readonly attestation: Attestation } | { readonly op: Op; readonly next: Timestamp }

export interface Timestamp {
  readonly message: Uint8Array
  /** At least one; in the order of the file they came from. */
  readonly items: ReadonlyArray<Item>
}

/** The 8-byte tags of the attestations. */
export const tags = {
  bitcoin: fromHex("0588960d73d71901"),
  litecoin: fromHex("06869a0d73d71b45"),
  pending: fromHex("83dfe30d2ef90c8e")
} as const

export const tagOf = (attestation: Attestation): Uint8Array =>
  attestation.kind === "unknown" ? attestation.tag : tags[attestation.kind]

/** A timestamp that goes from `message` through `ops` and ends in `items`. */
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

/** Every attestation with the message that it is about, in the order of the items. */
export const attested = (
  timestamp: Timestamp
): Array<{ readonly attestation: Attestation; readonly message: Uint8Array }> =>
  timestamp.items.flatMap((item) =>
    "attestation" in item
      ? [{ attestation: item.attestation, message: timestamp.message }]
      : attested(item.next)
  )

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Order of attestations: by tag, then by what they say. */
export const compareAttestations = (a: Attestation, b: Attestation): number => {
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

/** The same timestamp in the one order of the format: attestations first, then operations, without repetitions. */
export const inOrder = (timestamp: Timestamp): Timestamp => merge(timestamp, { ...timestamp, items: [] })

/** Both timestamps of one message as one, in the order of the format. Throws when the messages differ. */
export const merge = (a: Timestamp, b: Timestamp): Timestamp => {
  if (!equalBytes(a.message, b.message)) throw new RangeError("only timestamps of one message can be merged")
  const merged: Array<Item> = []
  for (const item of [...a.items, ...b.items]) {
    const at = merged.findIndex((known) => sameItem(known, item))
    const known = merged[at]
    if (known === undefined) {
      merged.push("op" in item ? { op: item.op, next: inOrder(item.next) } : item)
    } else if ("op" in known && "op" in item) {
      merged[at] = { op: known.op, next: merge(known.next, item.next) }
    }
  }
  return { message: a.message, items: merged.sort(compareItems) }
}

const sameItem = (a: Item, b: Item): boolean =>
  "op" in a && "op" in b ? sameOp(a.op, b.op) : !("op" in a) && !("op" in b) && compareItems(a, b) === 0

/**
 * The timestamp with `upgrade` (a calendar's later answer) joined to each place where its message stands. The pending
 * attestation stays beside it: it is still what the calendar said. Undefined when the message stands nowhere.
 */
export const upgraded = (timestamp: Timestamp, upgrade: Timestamp): Timestamp | undefined => {
  let found = false
  const walk = (at: Timestamp): Timestamp => {
    const items = at.items.map((item) => ("op" in item ? { op: item.op, next: walk(item.next) } : item))
    if (!equalBytes(at.message, upgrade.message)) return { message: at.message, items }
    found = true
    return merge({ message: at.message, items }, upgrade)
  }
  const whole = walk(timestamp)
  return found ? inOrder(whole) : undefined
}

/** The timestamp without the attestations that `gone` names, and the ways that led to them alone; undefined when none is left. */
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
