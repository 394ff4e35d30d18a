/**
 * The rows of the signal ledger: one canonical JSON text (RFC 8785) for each measured event. A row names the hash of
 * the row before, so a ledger is a chain: nothing in it can be changed, moved, added or taken out but at its end.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { Malformed, toHex, utf8 } from "./bytes.ts"
import { canonical, isRecord } from "./canonical.ts"
import { checkTag, type Tag } from "./leaf.ts"
import * as s from "./shape.ts"

export const signalKinds = ["supply_move", "freshness_change", "incident", "revision", "anchor"] as const
export type SignalKind = (typeof signalKinds)[number]

/** A row as it is hashed. What does not apply to its kind, or is not known, is left out. */
export interface Signal {
  readonly v: Tag<"service-signal-v1">
  /** Place in the ledger, from 1, without gaps. */
  readonly n: number
  /** Hash of row n - 1; `genesis` for row 1. */
  readonly prev_hash: string
  readonly kind: SignalKind
  readonly symbol?: string
  readonly metric?: string
  readonly source?: string
  /** The value before, its exact text beside it; or a state in words alone. */
  readonly before_value?: number
  readonly before_text?: string
  readonly after_value?: number
  readonly after_text?: string
  /** Of the two values; `state` where they are words. */
  readonly unit: string
  /** What the change had to reach to be an event. */
  readonly bound?: number
  readonly bound_unit?: string
  /** When what the row says became true. */
  readonly as_of: string
  readonly verify_url: string
  /** When the row entered the ledger: later than `as_of`, by much for a late fact. */
  readonly recorded_at: string
  readonly note?: string
  /** Only in the demo, and always there. */
  readonly simulated?: true
}

/** A row as it is served. */
export interface HashedSignal extends Signal {
  /** SHA-256 of the row's text, which does not hold this member. */
  readonly hash: string
}

export const signalTag = "service-signal-v1"
/** `prev_hash` of row 1. */
export const genesis = "0".repeat(64)

const shape: s.Shape<Signal> = {
  v: s.oneOf<Tag<"service-signal-v1">>(signalTag, `${signalTag}-demo`),
  n: s.ordinal,
  prev_hash: s.hash,
  kind: s.oneOf(...signalKinds),
  symbol: s.optional(s.name),
  metric: s.optional(s.name),
  source: s.optional(s.name),
  before_value: s.optional(s.number),
  before_text: s.optional(s.name),
  after_value: s.optional(s.number),
  after_text: s.optional(s.name),
  unit: s.name,
  bound: s.optional(s.number),
  bound_unit: s.optional(s.name),
  as_of: s.time,
  verify_url: s.name,
  recorded_at: s.time,
  note: s.optional(s.name),
  simulated: s.optional(s.yes)
}

const checkSignal = (value: unknown): Signal => {
  const row = s.readShape("a signal", value, shape)
  checkTag(row, signalTag)
  if ((row.n === 1) !== (row.prev_hash === genesis)) {
    throw new Malformed("row 1, and no other, follows the genesis hash")
  }
  return row
}

/** The row's text. Throws `Malformed` for a row that its reader would refuse. */
export const signalText = (row: Signal): string => canonical(checkSignal(row))

/** The hash that the next row names: SHA-256 of the text, in hex. */
export const signalHash = (text: string): string => toHex(sha256(utf8(text)))

/** Reads a row as it is served, and holds that its hash is of its content. Throws `Malformed`. */
export const readSignal = (value: unknown): HashedSignal => {
  if (!isRecord(value)) throw new Malformed("a signal must be an object")
  const { hash, ...rest } = value
  const row = checkSignal(rest)
  if (!s.hash.is(hash)) throw new Malformed("a signal has no `hash`: 64 digits of lower-case hex")
  const computed = signalHash(canonical(row))
  if (hash !== computed) throw new Malformed(`the hash of its content is ${computed}, not ${hash}`)
  return { ...row, hash }
}
