/** What a walk over the entries of a log remembers from one to the next: read again from the files where a state begins. */
import { sha256 } from "@noble/hashes/sha2.js"
import { fromUtf8, Malformed, toHex } from "../../../../../core/proof/bytes.ts"
import type { BatchEntry, LogEntry } from "../../../../../core/proof/entry.ts"
import { logPath } from "../../../../../core/proof/fetched.ts"
import type { Finding } from "../../../../../core/proof/finding.ts"
import { type AbsenceLeaf, parseAbsenceList, type RowLeaf } from "../../../../../core/proof/leaf.ts"
import type { Own } from "../../../../../core/proof/others.ts"
import { parseRevisions, type Revision } from "../../../../../core/proof/revisions.ts"
import { type Expectations, expectationsAfter, expectedDays, noExpectations } from "./absences.ts"
import type { Head } from "./head.ts"
import type { PastLook } from "./looks.ts"
import { absentPath, Past } from "./past.ts"
import type { Restated } from "./revisions.ts"
import { dayAfter, seriesKey } from "./series.ts"
import type { Source } from "./source.ts"
import { type BatchRecord, type LogRecord, noRecord, type State } from "./state.ts"

export interface Memory {
  readonly past: Past
  readonly origin: string
  /** The keys and the name of the service. */
  readonly own: Own
  /** The monitor's clock, in epoch milliseconds. */
  readonly now: number
  /** The head of this look, with the keys of its log. */
  readonly head: Pick<Head, "checkpoint" | "keys">
  /** Roots of the log by its size, as far as this walk has read it. */
  readonly roots: Map<number, Uint8Array>
  /** The looks before this one. */
  readonly looks: ReadonlyArray<PastLook>
  expectations: Expectations
  /** The revisions of the newest document. */
  revisions: ReadonlyArray<Revision>
  /** The entry before, if it was a batch: whose revisions come next. */
  batch?: {
    readonly entry: BatchEntry
    readonly rows: ReadonlyArray<RowLeaf>
    readonly before: LogRecord
  }
  /** Leaves of kind `revision` whose revision is not published yet. */
  owed: ReadonlyArray<Restated>
}

/** What the entries so far say; a unit adds to it. */
export type Progress = Pick<State, "day" | "earlier" | "events" | "incidents" | "record" | "revision">

export interface Unit {
  readonly findings: ReadonlyArray<Finding>
  readonly progress: Progress
  /** What holds and was not checked. */
  readonly notChecked?: ReadonlyArray<string>
  readonly entry?: LogEntry
  /** The row leaves of a batch, in order. */
  readonly rows?: ReadonlyArray<RowLeaf>
  /** True if the findings are about the batch before too: both must be looked at again. */
  readonly reopens?: boolean
}

/** The memory of a walk that goes on from a state. */
export const memoryOf = async (
  source: Source,
  state: State,
  { head, now, own }: Pick<Memory, "head" | "now" | "own">
): Promise<Memory> => {
  const record = state.record ?? noRecord
  const past = new Past(source, record.batches, record.first)
  return {
    past,
    origin: state.origin,
    own,
    now,
    head,
    roots: new Map(),
    looks: state.looks ?? [],
    expectations:
      state.day === undefined ? noExpectations : await expectationsOf(source, past, state, state.day),
    revisions: await revisionsOf(source, record.revisions),
    owed: []
  }
}

const expectationsOf = async (
  source: Source,
  past: Past,
  { earlier = "", record }: State,
  day: string
): Promise<Expectations> => {
  const silent = record?.silent
  let expectations: Expectations = {
    last: new Map((silent ?? []).map((one) => [seriesKey(one), one])),
    list: []
  }
  // A state of an earlier release has no list of them: they are in the batches of the last 14 days.
  const first = silent === undefined ? dayAfter(day, 1 - expectedDays) : day
  for (let at = first > earlier ? first : dayAfter(earlier); at <= day; at = dayAfter(at)) {
    const { absence, rows } = await past.leaves(at)
    const list = at === day && absence !== undefined ? await listOf(source, past, absence) : []
    expectations = expectationsAfter(expectations, at, rows, list)
  }
  return expectations
}

const listOf = async (source: Source, past: Past, { day, series_sha256 }: AbsenceLeaf) => {
  const bytes = await source.read(absentPath(day))
  if (bytes !== undefined && toHex(sha256(bytes)) === series_sha256)
    return readable(() => parseAbsenceList(fromUtf8(bytes)))
  past.findings.push({
    what: "absences",
    where: `batch ${day}`,
    expected: `the list with hash ${series_sha256} that was there before`,
    found: bytes === undefined ? "no such file" : "another list",
    reason: bytes === undefined ? "missing" : "hash"
  })
  return []
}

const revisionsOf = async (source: Source, hash: string | undefined): Promise<ReadonlyArray<Revision>> => {
  const bytes = hash === undefined ? undefined : await source.read(`${logPath}/documents/${hash}`)
  return bytes === undefined || toHex(sha256(bytes)) !== hash
    ? []
    : readable(() => parseRevisions(fromUtf8(bytes)).revisions)
}

const readable = <A>(read: () => ReadonlyArray<A>): ReadonlyArray<A> => {
  try {
    return read()
  } catch (error) {
    if (error instanceof Malformed) return []
    throw error
  }
}

/** The silent series of the newest batch. */
export const silentOf = ({ last }: Expectations, day: string) =>
  [...last.values()].filter((one) => one.day < day)

/** The record of a batch. */
export const recordOf = (entry: BatchEntry, about: ReadonlyArray<string>): BatchRecord => ({
  day: entry.days[0],
  root: entry.root,
  about
})
