/**
 * Rows of the signal ledger: one canonical JSON document (RFC 8785) per measured event. Each row contains the hash of the
 * previous one, so rows can only be added or removed at the end without breaking the chain.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { Malformed, toHex, utf8 } from "./bytes.ts"
import { canonical, isRecord, parseCanonical } from "./canonical.ts"
import { checkTag, type Tag } from "./leaf.ts"
import * as s from "./shape.ts"

const signalKinds = ["supply_move", "freshness_change", "incident", "revision", "anchor"] as const
export type SignalKind = (typeof signalKinds)[number]

/** A row as it is hashed. Members that do not apply or are unknown are left out. */
export interface Signal {
  readonly v: Tag<"service-signal-v1">
  /** Position in the ledger, from 1, without gaps. */
  readonly n: number
  /** Hash of row n - 1; `genesis` for row 1. */
  readonly prev_hash: string
  readonly kind: SignalKind
  readonly symbol?: string
  readonly metric?: string
  readonly source?: string
  /** A value with its exact text, or just a state in words. */
  readonly before_value?: number
  readonly before_text?: string
  readonly after_value?: number
  readonly after_text?: string
  /** Unit of both values; `state` if they are words. */
  readonly unit: string
  /** Size of change that counts as an event. */
  readonly bound?: number
  readonly bound_unit?: string
  /** When the event became true. */
  readonly as_of: string
  readonly verify_url: string
  /** When the row entered the ledger; may be much later than `as_of`. */
  readonly recorded_at: string
  readonly note?: string
  /** Present exactly in the demo. */
  readonly simulated?: true
}

/** A row as it is served. */
export interface HashedSignal extends Signal {
  /** SHA-256 of the row's text without this member. */
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
  note: s.optional(s.nonEmpty),
  simulated: s.optional(s.trueOrAbsent)
}

const checkSignal = (value: unknown): Signal => {
  const row = s.readShape("a signal", value, shape)
  checkTag(row, signalTag)
  if ((row.n === 1) !== (row.prev_hash === genesis)) {
    throw new Malformed("row 1 and no other must have the genesis hash as its `prev_hash`")
  }
  return row
}

/** The row's text. Throws `Malformed` if the row is not valid. */
export const signalText = (row: Signal): string => canonical(checkSignal(row))

/** Parses a row's text, which must be canonical JSON. Throws `Malformed`. */
export const parseSignalText = (text: string): Signal => checkSignal(parseCanonical(text))

/** The row's hash, which the next row contains: SHA-256 of the text, in hex. */
export const signalHash = (text: string): string => toHex(sha256(utf8(text)))

/** True of a row that is served without values, as the terms of its source ask: its `hash` is of the whole row. */
export const isWithheld = (value: unknown): boolean => isRecord(value) && value.withheld === "rights"

/**
 * Parses a served row and checks that its hash matches its content, which one without values cannot show: the row after it has that
 * hash. Throws `Malformed`.
 */
export const readSignal = (value: unknown): HashedSignal => {
  if (!isRecord(value)) throw new Malformed("a signal must be an object")
  const { hash, ...rest } = value
  const { withheld: _, ...own } = rest
  const row = checkSignal(isWithheld(value) ? own : rest)
  if (!s.hash.is(hash)) throw new Malformed("a signal's `hash` must be 64 lower-case hex digits")
  if (isWithheld(value)) return { ...row, hash }
  const computed = signalHash(canonical(row))
  if (hash !== computed) throw new Malformed(`the content hashes to ${computed}, not ${hash}`, "hash")
  return { ...row, hash }
}
