/** Checks the documents of runs and the schedules of a log: their leaves, their order in time, and what is missing. */
import { fromUtf8, Malformed } from "../../../../../core/proof/bytes.ts"
import { parseVkey } from "../../../../../core/proof/checkpoint.ts"
import { type Awaited, judged, type Missed, withRuns, withSchedule } from "../../../../../core/proof/dues.ts"
import type { DocumentEntry } from "../../../../../core/proof/entry.ts"
import { type Finding, findingOf, missing } from "../../../../../core/proof/finding.ts"
import { clockTolerance } from "../../../../../core/proof/leaf.ts"
import { demandOther, type Own } from "../../../../../core/proof/others.ts"
import {
  hourBegins,
  isAnswerToSchedule,
  parseRunLeaves,
  type RanLeaf,
  type RunLeaf
} from "../../../../../core/proof/runLeaf.ts"
import {
  checkRunsOf,
  hourOf,
  isLateRuns,
  parseRuns,
  type Runs,
  runsSubject
} from "../../../../../core/proof/runs.ts"
import { parseSchedule, type Schedule, scheduleSubject } from "../../../../../core/proof/schedule.ts"
import * as s from "../../../../../core/proof/shape.ts"
import { day as dayMs, hour as hourMs } from "../../../../../core/proof/time.ts"
import { type DayCount, dayCountShape, withCount, withCounted } from "./extraRuns.ts"
import { type HourRecord, hourShape, runsPath, withHour } from "./hours.ts"
import { afterSchedule, demandScheduled, type ScheduleRecord, scheduleRecordShape } from "./schedules.ts"
import type { Source } from "./source.ts"
import {
  type Stored,
  storedShape,
  type Unexplained,
  unexplainedShape,
  withStored,
  withTimes
} from "./storedRuns.ts"

/** What is remembered of runs from one document to the next. */
export interface RunsRecord {
  /** True if every entry of the log was seen: without a schedule here there is none. */
  readonly whole?: true
  /** The hour of the newest document, and its number. */
  readonly hour?: string
  readonly n?: number
  /** How many documents had draws, where that is known. */
  readonly draws?: number
  readonly schedule?: ScheduleRecord
  /** What is due and not judged yet, by feed: times in epoch milliseconds. */
  readonly awaited: ReadonlyArray<{
    readonly plugin: string
    readonly spans: ReadonlyArray<{ readonly first: number; readonly every: number; readonly end: number }>
    readonly ran: ReadonlyArray<number>
  }>
  /** Ids of the newest runs that were late. */
  readonly late: ReadonlyArray<string>
  /** The hour of the first document of the log, where it was seen. */
  readonly first?: string
  /** The newest documents. */
  readonly hours?: ReadonlyArray<HourRecord>
  /** The runs beside the newest schedules. */
  readonly counts?: ReadonlyArray<DayCount>
  /** When runs stored something. */
  readonly stored?: ReadonlyArray<Stored>
  /** Values of checked batches that no run explains so far. */
  readonly unexplained?: ReadonlyArray<Unexplained>
}

export const runsShape: s.Shape<RunsRecord> = {
  whole: s.optional(s.trueOrAbsent),
  hour: s.optional(s.hour),
  n: s.optional(s.ordinal),
  draws: s.optional(s.count),
  schedule: s.optional(s.nested("a schedule", scheduleRecordShape)),
  awaited: s.listOf(
    s.nested("what is due", {
      plugin: s.name,
      spans: s.listOf(s.nested("times", { first: s.number, every: s.ordinal, end: s.number })),
      ran: s.listOf(s.number)
    })
  ),
  late: s.listOf(s.name),
  first: s.optional(s.hour),
  hours: s.optional(s.listOf(s.nested("an hour", hourShape))),
  counts: s.optional(s.listOf(s.nested("the runs of a day", dayCountShape))),
  stored: s.optional(s.listOf(s.nested("times of runs", storedShape))),
  unexplained: s.optional(s.listOf(s.nested("a value without a run", unexplainedShape)))
}

/** What is known where nobody wrote it down. */
export const noRuns: RunsRecord = { awaited: [], late: [] }

/** Late runs that are remembered. */
const mostLate = 1000

/** Earlier hours that late runs of a document are looked for in. */
const mostHours = 48

/** Leaves are served for so long at least; later only the root of an hour may be left. Milliseconds. */
const servedFor = 90 * dayMs

const awaitedOf = ({ awaited }: RunsRecord): Awaited =>
  new Map(awaited.map(({ plugin, ...feed }) => [plugin, feed]))

const listOf = (awaited: Awaited): RunsRecord["awaited"] =>
  [...awaited].map(([plugin, feed]) => ({ plugin, ...feed }))

/** What is known after the document of an hour. */
const afterHour = (
  record: RunsRecord,
  { hour, n, n_draws, n_skipped, root, tree_size }: Runs,
  { recorded_at }: DocumentEntry
): RunsRecord => ({
  ...record,
  hour,
  n,
  ...(n === 1 ? { first: hour } : {}),
  ...(n_draws === undefined ? {} : { draws: n_draws }),
  hours: withHour(record.hours, {
    hour,
    root,
    at: recorded_at,
    ...(n_skipped === tree_size ? { idle: true as const } : {})
  })
})

/** What explains values is known from the first hour of a log on, or not at all. */
const storedAfter = (
  { stored: before }: RunsRecord,
  { n }: Runs,
  stored: ReadonlyArray<Stored>
): Pick<RunsRecord, "stored"> => (before === undefined && n !== 1 ? {} : { stored })

const timeOf = (ms: number): string => new Date(ms).toISOString()

/** Throws `Malformed` unless a document is the one after number `before`; what nobody has seen from its beginning may begin anywhere. */
const demandNumber = ({ whole }: RunsRecord, before: number | undefined, n: number): void => {
  if ((whole === true || before !== undefined) && n !== (before ?? 0) + 1)
    throw new Malformed(
      `document ${n} follows document ${before ?? 0}: one is missing or there twice`,
      "contradiction"
    )
}

/** What is known after a schedule. Throws `Malformed` if it contradicts its entry or the ones before. */
const withNextSchedule = (record: RunsRecord, entry: DocumentEntry, document: Schedule): RunsRecord => {
  const schedule = afterSchedule(record.schedule, record.hours ?? [], entry, document)
  demandNumber(record, record.schedule?.n, document.n)
  return {
    ...record,
    schedule,
    counts: withCount(record.counts, document, entry.recorded_at),
    awaited: listOf(withSchedule(awaitedOf(record), document))
  }
}

/** The subject of an entry and the document that it commits to must agree. Throws `Malformed`. */
const demandHour = (record: RunsRecord, entry: DocumentEntry, document: Runs): void => {
  const { hour, late, schedule, simulated } = document
  if (entry.subject !== runsSubject(document))
    throw new Malformed(
      `the entry's subject is ${entry.subject}, but the document's is ${hour}`,
      "contradiction"
    )
  if (record.hour !== undefined && hour <= record.hour)
    throw new Malformed(`the document of the hour ${hour} follows that of ${record.hour}`, "contradiction")
  demandNumber(record, record.n, document.n)
  const recorded = Date.parse(entry.recorded_at)
  if (recorded < hourBegins(hour) + hourMs - (simulated === true ? 0 : clockTolerance))
    throw new Malformed(`it was entered at ${entry.recorded_at}, before the hour ${hour} was over`, "time")
  if (simulated !== true && late !== isLateRuns(hour, recorded))
    throw new Malformed(
      `it was entered at ${entry.recorded_at}: \`late\` must be true exactly after 10 minutes`,
      "time"
    )
  const isKnown = record.whole === true || record.schedule !== undefined
  if (isKnown && schedule !== record.schedule?.sha256)
    throw new Malformed(
      `its schedule is ${schedule ?? "none"}, and the newest one before it ${record.schedule?.sha256 ?? "none"}`,
      "contradiction"
    )
}

const ranAt = (leaf: RunLeaf): number =>
  Date.parse(leaf.outcome === "skipped" ? leaf.due : (leaf.due ?? leaf.began))

/** Runs that were due and of which nothing is said, one text for each feed. */
const saysMissed = (missed: ReadonlyArray<Missed>): ReadonlyArray<string> =>
  [...Map.groupBy(missed, ({ plugin }) => plugin)].map(([plugin, all]) => {
    const [first, last] = [timeOf(all[0]?.due ?? 0), timeOf(all.at(-1)?.due ?? 0)]
    return all.length === 1
      ? `no run of ${plugin} that was due at ${first}`
      : `none of ${all.length} runs of ${plugin} that were due from ${first} to ${last}`
  })

/** The ids of the runs that the documents of their own hours have, of these late ones. */
const earlierIds = async (source: Source, hours: ReadonlyArray<string>): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>()
  for (const hour of hours) {
    const bytes = await source.read(runsPath(hour))
    const lines = bytes === undefined ? [] : fromUtf8(bytes).split("\n")
    // They were checked with their own document.
    for (const line of lines) ids.add(/"run":"([^"]*)"/.exec(line)?.[1] ?? "")
  }
  return ids
}

const isLate = (leaf: RunLeaf): leaf is RanLeaf => leaf.outcome !== "skipped" && leaf.late === true

/** Checks the leaves of a document that continues the record. `earlier` are runs of documents before it. */
const afterLeaves = (
  record: RunsRecord,
  entry: DocumentEntry,
  document: Runs,
  leaves: ReadonlyArray<RunLeaf>,
  earlier: ReadonlySet<string>
): RunsRecord => {
  checkRunsOf(document, leaves)
  const begins = hourBegins(document.hour)
  for (const leaf of leaves) {
    if (leaf.outcome === "skipped") {
      const last = record.hour === undefined ? Number.NEGATIVE_INFINITY : hourBegins(record.hour)
      if (Date.parse(leaf.until) <= last)
        throw new Malformed(
          `the run of ${leaf.plugin} that was due at ${leaf.due} is told of after the document of ${record.hour}`,
          "contradiction"
        )
    } else if (earlier.has(leaf.run))
      throw new Malformed(`the run ${leaf.run} is in an earlier document`, "contradiction")
    else demandScheduled(record.schedule, leaf)
  }
  const counts = record.counts?.map((count) => withCounted(count, leaves))
  const awaited = withRuns(
    awaitedOf(record),
    leaves.filter(isAnswerToSchedule).map((leaf) => ({ plugin: leaf.plugin, at: ranAt(leaf) }))
  )
  const { awaited: left, missed } = judged(awaited, begins)
  const [first, ...others] = saysMissed(missed)
  if (first !== undefined)
    throw new Malformed(
      [first, ...others.slice(0, 9)].join("; ") + (others.length > 9 ? "; and others" : ""),
      "missing"
    )
  return {
    ...afterHour(record, document, entry),
    awaited: listOf(left),
    ...(counts === undefined ? {} : { counts }),
    ...storedAfter(record, document, withStored(record.stored ?? [], leaves, entry.recorded_at)),
    late: [...record.late, ...leaves.filter(isLate).map(({ run }) => run)].slice(-mostLate)
  }
}

interface CheckedRuns {
  readonly findings: ReadonlyArray<Finding>
  readonly record: RunsRecord
  /** What was read; absent where it could not be. */
  readonly hour?: { readonly document: Runs; readonly leaves: ReadonlyArray<RunLeaf> }
}

/** Checks a document of runs, whose hash is right, with its leaves. `now` is the reader's time. */
export const checkRuns = async (
  source: Source,
  record: RunsRecord,
  entry: DocumentEntry,
  text: string,
  { now, own, where }: { readonly now: number; readonly own: Own; readonly where: string }
): Promise<CheckedRuns> => {
  const about = {
    what: "runs",
    where,
    expected: "the runs of an hour after those before, all that were due among them"
  }
  let document: Runs | undefined
  const ofDocument = findingOf(about, () => {
    document = parseRuns(text)
    if (entry.simulated !== document.simulated)
      throw new Malformed(
        "the document and its entry disagree on whether they are simulated",
        "contradiction"
      )
    demandHour(record, entry, document)
    for (const key of [...document.notaries, ...(document.drawn_from ?? []).flat()])
      demandOther("notary", parseVkey(key), own)
  })
  if (document === undefined || ofDocument.length > 0) return { findings: ofDocument, record }
  const { hour } = document
  const path = runsPath(hour)
  const bytes = await source.read(path)
  if (bytes === undefined) {
    const isOld = now - Date.parse(entry.recorded_at) > servedFor
    // What is judged by the leaves cannot be said any more.
    const any = { from: hourBegins(hour), to: Date.parse(entry.recorded_at) }
    const stored = storedAfter(record, document, withTimes(record.stored ?? [], [any]))
    return isOld
      ? { findings: [], record: { ...afterHour(record, document, entry), awaited: [], ...stored } }
      : { findings: [missing("runs", where, path)], record }
  }
  const runsDocument = document
  let leaves: ReadonlyArray<RunLeaf> = []
  let after = record
  const unreadable = findingOf(about, () => {
    leaves = parseRunLeaves(fromUtf8(bytes))
  })
  if (unreadable.length > 0) return { findings: unreadable, record }
  const hours = [...new Set(leaves.filter(isLate).map(({ ended }) => hourOf(ended)))].slice(-mostHours)
  const earlier = new Set([...record.late, ...(await earlierIds(source, hours))])
  const findings = findingOf(about, () => {
    after = afterLeaves(record, entry, runsDocument, leaves, earlier)
  })
  return { findings, record: after, hour: { document: runsDocument, leaves } }
}

/** Reads a schedule whose hash is right. Throws `Malformed`. */
export const readSchedule = (record: RunsRecord, entry: DocumentEntry, text: string): RunsRecord => {
  const document = parseSchedule(text)
  if (entry.subject !== scheduleSubject(document))
    throw new Malformed(
      `the entry's subject is ${entry.subject}, but the document's is ${document.day}`,
      "contradiction"
    )
  if (entry.simulated !== document.simulated)
    throw new Malformed("the document and its entry disagree on whether they are simulated", "contradiction")
  return withNextSchedule(record, entry, document)
}
