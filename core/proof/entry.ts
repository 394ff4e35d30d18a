/** Entries of the append-only log, as canonical JSON: a batch, or the hash of another published document. */
import { sha256 } from "@noble/hashes/sha2.js"
import { fromUtf8, Malformed, toHex, utf8 } from "./bytes.ts"
import { canonical, isRecord, parseCanonical } from "./canonical.ts"
import { checkTag, type Tag } from "./leaf.ts"
import * as s from "./shape.ts"
import { day as dayMs, hour as hourMs } from "./time.ts"

/** A closed batch. */
export interface BatchEntry {
  readonly v: Tag<"service-batch-v2">
  /** The one UTC day it closes; it also contains late and revised rows of earlier days. */
  readonly days: readonly [string]
  /** What was recorded later is `late`. Never before the end of the day. */
  readonly cut_off: string
  /** Never before `cut_off`, and never back-dated. */
  readonly closed_at: string
  /** True exactly if the batch was closed more than an hour after `cut_off`. */
  readonly late: boolean
  /** Merkle root over the leaves, hex. */
  readonly root: string
  /** Number of leaves: the rows, and one absence leaf. */
  readonly tree_size: number
  /** Leaves of kind `reading`, `late` and `revision`. */
  readonly n_readings: number
  readonly n_late: number
  readonly n_revisions: number
  /** Expected series without a reading of the day. */
  readonly n_absent: number
  /** SHA-256 of the list of these series, as in the absence leaf. */
  readonly absent_sha256: string
  readonly simulated?: true
}

/** Any other published document. The log holds only its hash; the bytes are served separately. */
export interface DocumentEntry {
  readonly v: Tag<"service-entry-v2">
  /**
   * The type of document in lower case: `archive`, `brief`, `chain-finality`, `chain-looks`, `events`, `feeds`, `incidents`, `keys`,
   * `origin`, `restart`, `revisions`, `rotation`, `runs`, `sales`, `schedule`, `signals`.
   */
  readonly kind: string
  /** SHA-256 of the document's bytes. */
  readonly sha256: string
  /** What it is about: a range of ids, an hour, a date, a row's number or a key's kid. */
  readonly subject: string
  readonly recorded_at: string
  readonly simulated?: true
}

export type LogEntry = BatchEntry | DocumentEntry

export const batchTag = "service-batch-v2"
export const entryTag = "service-entry-v2"

const oneDay: s.Member<readonly [string]> = {
  is: (value): value is readonly [string] => Array.isArray(value) && value.length === 1 && s.day.is(value[0]),
  says: "a list of exactly one day YYYY-MM-DD",
  optional: false
}

const batchShape: s.Shape<BatchEntry> = {
  v: s.oneOf<Tag<"service-batch-v2">>(batchTag, `${batchTag}-demo`),
  days: oneDay,
  cut_off: s.time,
  closed_at: s.time,
  late: s.flag,
  root: s.hash,
  tree_size: s.count,
  n_readings: s.count,
  n_late: s.count,
  n_revisions: s.count,
  n_absent: s.count,
  absent_sha256: s.hash,
  simulated: s.optional(s.trueOrAbsent)
}

const documentShape: s.Shape<DocumentEntry> = {
  v: s.oneOf<Tag<"service-entry-v2">>(entryTag, `${entryTag}-demo`),
  kind: s.name,
  sha256: s.hash,
  subject: s.name,
  recorded_at: s.time,
  simulated: s.optional(s.trueOrAbsent)
}

const isBatchTag = (value: unknown): boolean =>
  isRecord(value) && typeof value.v === "string" && value.v.startsWith("service-batch-v")

const checkEntry = (value: unknown): LogEntry => {
  if (!isBatchTag(value)) {
    const entry = s.readShape("a log entry", value, documentShape)
    checkTag(entry, entryTag)
    if (!/^[a-z][a-z0-9_-]*$/.test(entry.kind))
      throw new Malformed(`a log entry's kind must be lower case, not ${JSON.stringify(entry.kind)}`)
    return entry
  }
  const entry = s.readShape("a batch entry", value, batchShape)
  checkTag(entry, batchTag)
  const [day] = entry.days
  const [end, cutOff, closed] = [
    Date.parse(day) + dayMs,
    Date.parse(entry.cut_off),
    Date.parse(entry.closed_at)
  ]
  if (cutOff < end) throw new Malformed(`the cut-off ${entry.cut_off} is before the end of the day ${day}`)
  if (closed < cutOff)
    throw new Malformed(`the batch was closed at ${entry.closed_at}, before its cut-off ${entry.cut_off}`)
  if (entry.late !== isLate(cutOff, closed))
    throw new Malformed(
      "a batch entry must have `late` exactly if it was closed more than an hour after its cut-off"
    )
  if (entry.n_readings + entry.n_late + entry.n_revisions + 1 !== entry.tree_size) {
    throw new Malformed(
      "a batch entry must count every leaf: its readings, late rows, revisions and one absence leaf"
    )
  }
  return entry
}

/** True if a close at `closed` is late for its cut-off, both in epoch milliseconds. */
export const isLate = (cutOff: number, closed: number): boolean => closed > cutOff + hourMs

export const isBatch = (entry: LogEntry): entry is BatchEntry => "tree_size" in entry

/**
 * Throws `Malformed`, naming the document in `words`, unless the entry is about it: of its kind and subject, simulated exactly if it
 * is, and with the hash of its bytes.
 */
export const demandAbout: (
  entry: LogEntry,
  document: Pick<DocumentEntry, "kind" | "subject"> & {
    readonly text: string
    readonly simulated: boolean | undefined
  },
  words: string
) => asserts entry is DocumentEntry = (entry, { kind, simulated, subject, text }, words) => {
  const isAbout =
    !isBatch(entry) &&
    entry.kind === kind &&
    entry.subject === subject &&
    (entry.simulated === true) === (simulated === true) &&
    entry.sha256 === toHex(sha256(utf8(text)))
  if (!isAbout) throw new Malformed(`the log entry is not about ${words}`, "contradiction")
}

/** The entry's bytes. Throws `Malformed` if the entry is not valid. */
export const entryBytes = (entry: LogEntry): Uint8Array => utf8(canonical(checkEntry(entry)))

/** Parses an entry, which must be canonical JSON. Throws `Malformed`. */
export const parseEntry = (text: string): LogEntry => checkEntry(parseCanonical(text))

export const parseEntryBytes = (bytes: Uint8Array): LogEntry => parseEntry(fromUtf8(bytes))
