/** Entries of the append-only log, as canonical JSON: a batch, or the hash of another published document. */
import { fromUtf8, Malformed, utf8 } from "./bytes.ts"
import { canonical, isRecord, parseCanonical } from "./canonical.ts"
import { checkTag, type Tag } from "./leaf.ts"
import * as s from "./shape.ts"

/** A closed batch. */
export interface BatchEntry {
  readonly v: Tag<"service-batch-v1">
  /** The UTC days it closes; it may also contain late and revised rows of earlier days. */
  readonly days: ReadonlyArray<string>
  /** Anything recorded later goes into a later batch. */
  readonly cut_off: string
  readonly closed_at: string
  /** True if the batch was closed after its scheduled time; closes are never back-dated. */
  readonly late: boolean
  /** Merkle root over the leaves, hex. */
  readonly root: string
  /** Number of leaves. */
  readonly tree_size: number
  /** Leaves of kind `reading`, `late` and `revision`. */
  readonly n_readings: number
  readonly n_late: number
  readonly n_revisions: number
  /** Declared series without a reading, over all days of the batch. */
  readonly n_absent: number
  readonly simulated?: true
}

/** Any other published document. The log holds only its hash; the bytes are served separately. */
export interface DocumentEntry {
  readonly v: Tag<"service-entry-v1">
  /** The type of document in lower case: `revision`, `incident`, `brief`, ... */
  readonly kind: string
  /** SHA-256 of the document's bytes. */
  readonly sha256: string
  /** An id or a date. */
  readonly subject: string
  readonly recorded_at: string
  readonly simulated?: true
}

export type LogEntry = BatchEntry | DocumentEntry

export const batchTag = "service-batch-v1"
export const entryTag = "service-entry-v1"

const batchShape: s.Shape<BatchEntry> = {
  v: s.oneOf<Tag<"service-batch-v1">>(batchTag, `${batchTag}-demo`),
  days: s.days,
  cut_off: s.time,
  closed_at: s.time,
  late: s.flag,
  root: s.hash,
  tree_size: s.count,
  n_readings: s.count,
  n_late: s.count,
  n_revisions: s.count,
  n_absent: s.count,
  simulated: s.optional(s.yes)
}

const documentShape: s.Shape<DocumentEntry> = {
  v: s.oneOf<Tag<"service-entry-v1">>(entryTag, `${entryTag}-demo`),
  kind: s.name,
  sha256: s.hash,
  subject: s.name,
  recorded_at: s.time,
  simulated: s.optional(s.yes)
}

const isBatchTag = (value: unknown): boolean =>
  isRecord(value) && typeof value.v === "string" && value.v.startsWith(batchTag)

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
  if (entry.n_readings + entry.n_late + entry.n_revisions > entry.tree_size) {
    throw new Malformed("a batch entry counts more rows than leaves")
  }
  return entry
}

export const isBatch = (entry: LogEntry): entry is BatchEntry => "tree_size" in entry

/** The entry's bytes. Throws `Malformed` if the entry is not valid. */
export const entryBytes = (entry: LogEntry): Uint8Array => utf8(canonical(checkEntry(entry)))

/** Parses an entry, which must be canonical JSON. Throws `Malformed`. */
export const parseEntry = (text: string): LogEntry => checkEntry(parseCanonical(text))

export const parseEntryBytes = (bytes: Uint8Array): LogEntry => parseEntry(fromUtf8(bytes))
