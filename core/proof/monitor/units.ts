/** Checks what one entry of the log commits to: the leaves and absences of a batch, or a document. */
import { sha256 } from "@noble/hashes/sha2.js"
import { archiveKind } from "../archive.ts"
import { checkLeavesOf } from "../batch.ts"
import { fromUtf8, Malformed, toHex } from "../bytes.ts"
import { type BatchEntry, type DocumentEntry, isBatch, type LogEntry, parseEntryBytes } from "../entry.ts"
import { feedsSubject, parseFeeds } from "../feeds.ts"
import { incidentsSubject, parseIncidents } from "../incidents.ts"
import { type Leaf, parseAbsenceList, parseLeaf, type RowLeaf } from "../leaf.ts"
import { logPath } from "../remote.ts"
import { parseRestart, restartKind, restartSubject } from "../restart.ts"
import { parseRevisions, revisionsSubject } from "../revisions.ts"
import { parseRotation, rotationSubject } from "../rotation.ts"
import { day as dayMs } from "../time.ts"
import { type Finding, findingOf } from "./finding.ts"
import type { Source } from "./source.ts"
import type { State } from "./state.ts"

/** What the entries so far say; a unit adds to it. */
export type Progress = Pick<State, "day" | "earlier" | "events" | "incidents" | "revision">

export interface Unit {
  readonly findings: ReadonlyArray<Finding>
  readonly progress: Progress
  readonly entry?: LogEntry
  /** The row leaves of a batch, in order. */
  readonly rows?: ReadonlyArray<RowLeaf>
}

/** Checks entry `place` and all that it commits to. */
export const checkUnit = async (
  source: Source,
  bytes: Uint8Array,
  place: number,
  progress: Progress
): Promise<Unit> => {
  const where = `entry ${place}`
  let entry: LogEntry
  try {
    entry = parseEntryBytes(bytes)
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    return {
      findings: [{ what: "entry", where, expected: "a valid entry", found: error.message }],
      progress
    }
  }
  const unit = isBatch(entry)
    ? await checkBatch(source, entry, progress)
    : await checkDocument(source, entry, place, progress)
  return { ...unit, entry }
}

const missing = (what: string, where: string, path: string): Finding => ({
  what,
  where,
  expected: `the file ${path}`,
  found: "no such file"
})

const checkBatch = async (source: Source, entry: BatchEntry, progress: Progress): Promise<Unit> => {
  const [day] = entry.days
  const where = `batch ${day}`
  const findings: Array<Finding> = []
  const { day: before } = progress
  const next = before === undefined ? day : new Date(Date.parse(before) + dayMs).toISOString().slice(0, 10)
  if (day !== next) {
    findings.push({
      what: "batch",
      where,
      expected: `the batch of ${next}, the day after the one before`,
      found: `the batch of ${day}`
    })
  }
  const { findings: leafFindings, leaves } = await readLeaves(source, entry, where)
  findings.push(...leafFindings)
  const rows = leaves.filter((leaf) => leaf.kind !== "absent")
  findings.push(...(await checkAbsences(source, entry, where, rows)))
  const opened = new Set(progress.incidents)
  const unknown = new Set(
    rows.flatMap(({ excluded_by }) =>
      excluded_by === undefined || opened.has(excluded_by) ? [] : [excluded_by]
    )
  )
  for (const incident of unknown) {
    findings.push({
      what: "incident",
      where,
      expected: `the opening of incident ${incident} in the log before the leaves that it excludes`,
      found: "no such event"
    })
  }
  return { findings, progress: { ...progress, day }, rows }
}

const readLeaves = async (
  source: Source,
  entry: BatchEntry,
  where: string
): Promise<{ readonly findings: ReadonlyArray<Finding>; readonly leaves: ReadonlyArray<Leaf> }> => {
  const path = `${logPath}/batches/${entry.days[0]}/leaves`
  const bytes = await source.read(path)
  if (bytes === undefined) return { findings: [missing("leaves", where, path)], leaves: [] }
  const leaves: Array<Leaf> = []
  const about = { what: "leaves", where, expected: `${entry.tree_size} leaves under root ${entry.root}` }
  const findings = findingOf(about, () => {
    const lines = fromUtf8(bytes).split("\n")
    if (lines.pop() !== "") throw new Malformed("the last line of the leaves does not end")
    for (const [at, line] of lines.entries()) {
      try {
        leaves.push(parseLeaf(line))
      } catch (error) {
        if (error instanceof Malformed) throw new Malformed(`leaf ${at}: ${error.message}`)
        throw error
      }
    }
    checkLeavesOf(entry, leaves)
  })
  return { findings, leaves }
}

const nameOf = (one: { readonly symbol: string; readonly metric: string; readonly source: string }): string =>
  `${one.symbol} ${one.metric} of ${one.source}`

const checkAbsences = async (
  source: Source,
  entry: BatchEntry,
  where: string,
  rows: ReadonlyArray<RowLeaf>
): Promise<ReadonlyArray<Finding>> => {
  const [day] = entry.days
  const path = `${logPath}/batches/${day}/absent`
  const bytes = await source.read(path)
  if (bytes === undefined) return [missing("absences", where, path)]
  const hash = toHex(sha256(bytes))
  if (hash !== entry.absent_sha256) {
    return [
      {
        what: "absences",
        where,
        expected: `a list with hash ${entry.absent_sha256}`,
        found: `one with hash ${hash}`
      }
    ]
  }
  const about = { what: "absences", where, expected: `${entry.n_absent} series without a leaf of ${day}` }
  return findingOf(about, () => {
    const list = parseAbsenceList(fromUtf8(bytes))
    if (list.length !== entry.n_absent) throw new Malformed(`${list.length} series`)
    const measured = new Set(rows.filter((row) => row.day === day).map(nameOf))
    const both = list.find((one) => measured.has(nameOf(one)))
    if (both !== undefined) throw new Malformed(`${nameOf(both)} is listed, but has a leaf of ${day}`)
  })
}

const checkDocument = async (
  source: Source,
  entry: DocumentEntry,
  place: number,
  progress: Progress
): Promise<Unit> => {
  // The entry of a signal ledger holds the hash of a row, which `verify signals` checks; that of the archive the hash of a
  // file, which `verify archive` checks.
  if (entry.kind === "signals" || entry.kind === archiveKind) return { findings: [], progress }
  const where = `${entry.kind} ${entry.subject} (entry ${place})`
  const path = `${logPath}/documents/${entry.sha256}`
  const bytes = await source.read(path)
  if (bytes === undefined) return { findings: [missing("document", where, path)], progress }
  const hash = toHex(sha256(bytes))
  if (hash !== entry.sha256) {
    const expected = `a document with hash ${entry.sha256}`
    return { findings: [{ what: "document", where, expected, found: `one with hash ${hash}` }], progress }
  }
  let after = progress
  const about = {
    what: "document",
    where,
    expected: `a document of kind ${entry.kind} that continues the one before`
  }
  const findings = findingOf(about, () => {
    after = readDocument(entry, place, fromUtf8(bytes), progress)
  })
  return { findings, progress: after }
}

const demandSubject = (entry: DocumentEntry, subject: string): void => {
  if (entry.subject !== subject)
    throw new Malformed(`the entry's subject is ${entry.subject}, but the document's is ${subject}`)
}

/** Reads a document whose hash is right; returns what is known after it. Throws `Malformed`. */
const readDocument = (entry: DocumentEntry, place: number, text: string, progress: Progress): Progress => {
  if (entry.kind === "incidents") {
    const document = parseIncidents(text)
    demandSubject(entry, incidentsSubject(document))
    const [first, last] = [document.events[0]?.n ?? 0, document.events.at(-1)?.n ?? 0]
    if (first !== progress.events + 1)
      throw new Malformed(
        `event ${first} follows event ${progress.events}: events are missing or there twice`
      )
    const opened = document.events.flatMap((one) => (one.event === "opened" ? [one.incident] : []))
    return { ...progress, events: last, incidents: [...progress.incidents, ...opened] }
  }
  if (entry.kind === "revisions") {
    const document = parseRevisions(text)
    demandSubject(entry, revisionsSubject(document))
    const [first, last] = [document.revisions[0]?.id ?? 0, document.revisions.at(-1)?.id ?? 0]
    if (first <= progress.revision)
      throw new Malformed(`revision ${first} follows revision ${progress.revision}: it was published before`)
    return { ...progress, revision: last }
  }
  if (entry.kind === restartKind) {
    const { restart } = parseRestart(text)
    demandSubject(entry, restartSubject(restart))
    if (place !== 0) throw new Malformed("a restart must be the first entry of its log")
    const { last_day } = restart.earlier
    return last_day === undefined ? progress : { ...progress, day: last_day, earlier: last_day }
  }
  if (entry.kind === "feeds") demandSubject(entry, feedsSubject(parseFeeds(text)))
  if (entry.kind === "rotation") demandSubject(entry, rotationSubject(parseRotation(text).rotation))
  return progress
}
