/** Checks what a batch commits to, and how its leaves go together with those of earlier batches and with the incidents. */

import { sha256 } from "@noble/hashes/sha2.js"
import { checkLeavesOf } from "../../../../../core/proof/batch.ts"
import { fromUtf8, Malformed, toHex } from "../../../../../core/proof/bytes.ts"
import type { BatchEntry } from "../../../../../core/proof/entry.ts"
import { leavesPath } from "../../../../../core/proof/fetched.ts"
import { type Finding, findingOf, missing } from "../../../../../core/proof/finding.ts"
import {
  type AbsentSeries,
  cutOffOf,
  type Leaf,
  parseAbsenceList,
  type RowLeaf
} from "../../../../../core/proof/leaf.ts"
import { checkList, expectationsAfter, expectedDays } from "./absences.ts"
import { checkFollows, checkReadingsHash, checkReadingsStay } from "./chains.ts"
import {
  afterLeaves,
  changedSince,
  checkCoverage,
  checkExclusion,
  checkMoved,
  type IncidentRecord,
  isOf
} from "./incidents.ts"
import { type Memory, type Progress, recordOf, silentOf, type Unit } from "./memory.ts"
import { owingAfter } from "./originsRecord.ts"
import { absentPath, type Chains, earlierDaysOf, parseLeaves } from "./past.ts"
import type { Restated } from "./revisions.ts"
import type { RunsRecord } from "./runs.ts"
import { dayAfter, firstOf, leafName, nameOf, seriesDay } from "./series.ts"
import type { Source } from "./source.ts"
import { type LogRecord, noRecord } from "./state.ts"
import { afterExplaining, unexplainedIn } from "./storedRuns.ts"

/** Checks a batch and adds it to the memory. */
export const checkBatch = async (
  source: Source,
  memory: Memory,
  entry: BatchEntry,
  progress: Progress
): Promise<Omit<Unit, "entry">> => {
  const [day] = entry.days
  const where = `batch ${day}`
  const { record = noRecord } = progress
  const { findings: leafFindings, leaves } = await readLeaves(source, entry, where)
  const rows = leaves.filter((leaf) => leaf.kind !== "absent")
  const { findings: listFindings, list } = await readAbsences(source, entry, where, rows)
  const findings = [...placeOf(entry, where, progress), ...leafFindings, ...listFindings]
  const next = { ...progress, day }
  // What cannot be read is found once; nothing is said about what it would have to contain.
  if (leafFindings.length > 0 || listFindings.length > 0) return { findings, progress: next, rows }
  const before = memory.expectations
  const after = expectationsAfter(before, day, rows, list)
  findings.push(...checkList(before, after, day, rows))
  memory.expectations = after
  const moved = await chainsOf(memory, day, rows)
  findings.push(
    ...checkChains(where, progress, rows, moved),
    ...checkIncidents(where, entry, progress, rows),
    ...(await checkChanged(memory, where, entry, progress, rows))
  )
  memory.batch = { entry, rows, before: record }
  memory.owed = [...memory.owed, ...restated(rows, moved)]
  const batch = recordOf(entry, earlierDaysOf(day, rows))
  memory.past.add(batch, leaves)
  findings.push(...memory.past.findings.splice(0))
  const runs = record.runs === undefined ? undefined : explain(record.runs, record, rows, where)
  findings.push(...(runs?.findings ?? []))
  const { cut_off, closed_at } = entry
  const isFirst = progress.day === undefined || progress.day === progress.earlier
  const after_: LogRecord = {
    ...record,
    ...(isFirst ? { first: day } : {}),
    batches: [...record.batches, batch],
    close: { cut_off, closed_at },
    silent: silentOf(after, day),
    incidents: afterLeaves(record.incidents, rows),
    ...(runs === undefined ? {} : { runs: runs.runs })
  }
  return {
    findings,
    progress: { ...next, record: { ...after_, origins: owingAfter(after_.origins, entry) } },
    rows
  }
}

/** Which values of a batch no run explains. A monitor that has not seen the log's first hour of runs cannot say. */
const explain = (
  runs: RunsRecord,
  { incidents }: LogRecord,
  rows: ReadonlyArray<RowLeaf>,
  where: string
): ReturnType<typeof afterExplaining<RunsRecord>> => {
  const { first, stored } = runs
  return first === undefined || stored === undefined
    ? { findings: [], runs }
    : afterExplaining(runs, unexplainedIn(rows, where, { first, incidents, stored }))
}

/** What is wrong with the batch's day and cut-off. */
const placeOf = (entry: BatchEntry, where: string, { day: before }: Progress): ReadonlyArray<Finding> => {
  const [day] = entry.days
  const next = before === undefined ? day : dayAfter(before)
  const cutOff = cutOffOf(day)
  return [
    ...(day === next
      ? []
      : [
          {
            what: "batch",
            where,
            expected: `the batch of ${next}, the day after the one before`,
            found: `the batch of ${day}`,
            reason: "contradiction" as const
          }
        ]),
    ...(Date.parse(entry.cut_off) === cutOff
      ? []
      : [
          {
            what: "batch",
            where,
            expected: `the cut-off ${new Date(cutOff).toISOString()}`,
            found: entry.cut_off,
            reason: "time" as const
          }
        ])
  ]
}

const readLeaves = async (
  source: Source,
  entry: BatchEntry,
  where: string
): Promise<{ readonly findings: ReadonlyArray<Finding>; readonly leaves: ReadonlyArray<Leaf> }> => {
  const path = leavesPath(entry.days[0])
  const bytes = await source.read(path)
  if (bytes === undefined) return { findings: [missing("leaves", where, path)], leaves: [] }
  let leaves: ReadonlyArray<Leaf> = []
  const about = { what: "leaves", where, expected: `${entry.tree_size} leaves under root ${entry.root}` }
  const findings = findingOf(about, () => {
    leaves = parseLeaves(bytes)
    checkLeavesOf(entry, leaves)
  })
  return { findings, leaves }
}

const readAbsences = async (
  source: Source,
  entry: BatchEntry,
  where: string,
  rows: ReadonlyArray<RowLeaf>
): Promise<{ readonly findings: ReadonlyArray<Finding>; readonly list: ReadonlyArray<AbsentSeries> }> => {
  const [day] = entry.days
  const path = absentPath(day)
  const bytes = await source.read(path)
  if (bytes === undefined) return { findings: [missing("absences", where, path)], list: [] }
  const hash = toHex(sha256(bytes))
  if (hash !== entry.absent_sha256) {
    const expected = `a list with hash ${entry.absent_sha256}`
    return {
      findings: [{ what: "absences", where, expected, found: `one with hash ${hash}`, reason: "hash" }],
      list: []
    }
  }
  let list: ReadonlyArray<AbsentSeries> = []
  const about = { what: "absences", where, expected: `${entry.n_absent} series without a leaf of ${day}` }
  const findings = findingOf(about, () => {
    list = parseAbsenceList(fromUtf8(bytes))
    if (list.length !== entry.n_absent) throw new Malformed(`${list.length} series`, "contradiction")
    const measured = new Set(rows.filter((row) => row.day === day).map(nameOf))
    const both = list.find((one) => measured.has(nameOf(one)))
    if (both !== undefined)
      throw new Malformed(`${nameOf(both)} is listed, but has a leaf of ${day}`, "contradiction")
  })
  return { findings, list }
}

/** The chains of a series and day before and after a batch. */
interface Moved {
  readonly before: Chains
  readonly after: Chains
}

/** The chains of the series and days of which an earlier batch may have a leaf. */
const chainsOf = async (
  { past }: Memory,
  day: string,
  rows: ReadonlyArray<RowLeaf>
): Promise<ReadonlyMap<string, Moved>> => {
  const chains = new Map<string, Moved>()
  const about = rows
    .filter((row) => row.day !== day || row.version > 1)
    // Those of one day need the same files.
    .sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))
  for (const [key, of] of Map.groupBy(about, seriesDay)) {
    const [first] = of
    if (first === undefined) continue
    const before = await past.chains(first, day)
    chains.set(key, { before, after: withRows(before, of) })
  }
  return chains
}

const withRows = (chains: Chains, rows: ReadonlyArray<RowLeaf>): Chains =>
  new Map([...chains, ...rows.map((row) => [row.excluded_by ?? 0, row] as const)])

/** The findings of checks of single leaves, each of which throws `Malformed`. */
const ofLeaves = (
  what: string,
  where: string,
  expected: string,
  rows: ReadonlyArray<RowLeaf>,
  check: (row: RowLeaf, at: number) => void
): ReadonlyArray<Finding> =>
  firstOf(
    rows.flatMap((row, at) =>
      findingOf({ what, where: `${where}, ${leafName(row)}`, expected }, () => check(row, at))
    )
  )

const isOneChain = (a: RowLeaf | undefined, b: RowLeaf): boolean =>
  a !== undefined && seriesDay(a) === seriesDay(b) && a.excluded_by === b.excluded_by

const checkChains = (
  where: string,
  { earlier }: Progress,
  rows: ReadonlyArray<RowLeaf>,
  moved: ReadonlyMap<string, Moved>
): ReadonlyArray<Finding> => [
  ...ofLeaves(
    "version",
    where,
    "the next version of its chain, in a later batch than the one before",
    rows,
    (row, at) => {
      if (earlier !== undefined && row.day <= earlier)
        throw new Malformed(`a leaf of a day of the earlier log, whose last day is ${earlier}`, "time")
      const other = rows[at - 1]
      if (other?.symbol === row.symbol && isOneChain(other, row))
        throw new Malformed(`version ${other.version} is in the same batch`, "contradiction")
      const chains = moved.get(seriesDay(row))
      if (chains === undefined) return
      const before = chains.before.get(row.excluded_by ?? 0)
      checkFollows(row, before)
      checkReadingsStay(row, before, chains.after)
    }
  ),
  ...ofLeaves("readings", where, "a hash over the readings that it counts", rows, checkReadingsHash)
]

const restated = (rows: ReadonlyArray<RowLeaf>, moved: ReadonlyMap<string, Moved>): ReadonlyArray<Restated> =>
  rows
    .filter(({ kind }) => kind === "revision")
    .map((leaf) => {
      const chains = moved.get(seriesDay(leaf))
      return { leaf, before: chains?.before.get(leaf.excluded_by ?? 0), chains: chains?.after ?? new Map() }
    })

const checkIncidents = (
  where: string,
  entry: BatchEntry,
  { incidents, record = noRecord }: Progress,
  rows: ReadonlyArray<RowLeaf>
): ReadonlyArray<Finding> => {
  const opened = new Set(incidents)
  const records = new Map(record.incidents.map((one) => [one.id, one]))
  const excluded = rows.filter(({ excluded_by }) => excluded_by !== undefined)
  const unknown = new Set(
    excluded.flatMap(({ excluded_by }) =>
      excluded_by === undefined || opened.has(excluded_by) ? [] : [excluded_by]
    )
  )
  const open = Map.groupBy(
    record.incidents.filter(({ closed, kind }) => kind === "manual" && closed === undefined),
    ({ metric, symbol }) => `${symbol}\n${metric}`
  )
  return [
    ...[...unknown].map((incident) => ({
      what: "incident",
      where,
      expected: `the opening of incident ${incident} in the log before the leaves that it excludes`,
      found: "no such event",
      reason: "missing" as const
    })),
    ...ofLeaves("incident", where, "an open incident that covers the leaf", excluded, (row) => {
      const incident = records.get(row.excluded_by ?? 0)
      if (incident !== undefined) checkExclusion(row, entry, incident)
    }),
    ...(open.size === 0
      ? []
      : ofLeaves("incident", where, "that an incident excludes it", rows, (row) => {
          const of = open.get(`${row.symbol}\n${row.metric}`)
          if (of !== undefined && row.excluded_by === undefined && row.n_observations > 0)
            checkCoverage(row, entry, of)
        }))
  ]
}

const later = (a: string, b: string): string => (a > b ? a : b)

/** Whether the incidents that changed since the batch before moved the readings of the last days. */
const checkChanged = async (
  { past }: Memory,
  where: string,
  entry: BatchEntry,
  { earlier, record = noRecord }: Progress,
  rows: ReadonlyArray<RowLeaf>
): Promise<ReadonlyArray<Finding>> => {
  const [day] = entry.days
  if (record.close === undefined) return []
  const findings: Array<Finding> = []
  const oldest = later(dayAfter(day, 1 - expectedDays), earlier === undefined ? "" : dayAfter(earlier))
  for (const incident of changedSince(record.incidents, record.close, entry)) {
    const first = later(incident.from.slice(0, 10), oldest)
    const end = (incident.to ?? day).slice(0, 10)
    for (let at = first; at < day && at <= end; at = dayAfter(at)) {
      const newest = await newestLeaves(past, incident, at, day, rows)
      findings.push(
        ...ofLeaves(
          "incident",
          where,
          "a new version of what an incident covers, once it was opened or closed",
          newest,
          (row) => checkMoved(row, incident)
        )
      )
    }
  }
  return firstOf(findings)
}

/** The newest leaves of an incident's series on a day, after a batch. */
const newestLeaves = async (
  past: Memory["past"],
  incident: IncidentRecord,
  day: string,
  batch: string,
  rows: ReadonlyArray<RowLeaf>
): Promise<ReadonlyArray<RowLeaf>> => {
  const isIts = (row: RowLeaf) => row.day === day && isOf(incident, row)
  const there = (await past.leaves(day)).rows.filter(isIts)
  const now = rows.filter(isIts)
  const newest: Array<RowLeaf> = []
  for (const [key, [first]] of Map.groupBy([...there, ...now], seriesDay)) {
    if (first === undefined) continue
    const chains = await past.chains(first, batch)
    newest.push(
      ...withRows(
        chains,
        now.filter((row) => seriesDay(row) === key)
      ).values()
    )
  }
  return newest
}
