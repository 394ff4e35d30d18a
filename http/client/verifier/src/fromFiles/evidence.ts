/** What the log has beside a bundle, made of its files alone: the run that gave the value, its hour, what changed the row, the keys. */

import type { Bundle, Bundle4 } from "../../../../../core/proof/bundle.ts"
import { fromHex, toHex, utf8 } from "../../../../../core/proof/bytes.ts"
import { isBatch, parseEntry } from "../../../../../core/proof/entry.ts"
import { type EvidenceDocument, evidenceTag } from "../../../../../core/proof/evidence.ts"
import { leavesPath } from "../../../../../core/proof/fetched.ts"
import { parseIncidents } from "../../../../../core/proof/incidents.ts"
import { keysKind } from "../../../../../core/proof/keysDocument.ts"
import { parseLeaf, type RowLeaf } from "../../../../../core/proof/leaf.ts"
import { buildTree, hashLength, inclusionProof, treeOf } from "../../../../../core/proof/merkle.ts"
import type { Cause, Observed, RunProof } from "../../../../../core/proof/observed.ts"
import { BatchRows, type Origin, originKind, parseOrigins } from "../../../../../core/proof/origin.ts"
import { parseRunLeaf } from "../../../../../core/proof/runLeaf.ts"
import { runsKind } from "../../../../../core/proof/runs.ts"
import { scheduleKind } from "../../../../../core/proof/schedule.ts"
import { needsRun } from "../../../../../core/proof/verifyRun.ts"
import { scheduledDay } from "../../../../../core/proof/verifySchedule.ts"
import { runsPath } from "../monitor/hours.ts"
import { parseLeaves } from "../monitor/past.ts"
import type { Source } from "../monitor/source.ts"
import { documentAt, extensionOf, type FiledLog, fileOf, placesOf, readFiledLog } from "./log.ts"

/** Hours before that of a run in which the run is looked for whose answers it derived again. */
const hoursBack = 800

/** The run at a place of an hour, as its file has it. */
const runAt = async (
  log: FiledLog,
  hour: string,
  index: number,
  size: number
): Promise<RunProof | undefined> => {
  const [place] = placesOf(log, runsKind, hour)
  const lines = (await fileOf(log.source, runsPath(hour))).split("\n").slice(0, -1)
  const leaf = lines[index]
  if (place === undefined || place >= size || leaf === undefined) return undefined
  const path = inclusionProof(treeOf(lines.map((line) => utf8(line))), index).map(toHex)
  return { leaf, index, size: lines.length, path, ...(await documentAt(log, place, size)) }
}

/** Where the row of a leaf is among those of its run. */
const rowIn = ({ rows }: Origin, batch: BatchRows, place: number): Observed["row"] => {
  const hashes = rows.map((row) => batch.hashOf(row))
  const leaves = new Uint8Array(hashes.length * hashLength)
  for (const [n, hash] of hashes.entries()) leaves.set(fromHex(hash, hashLength), n * hashLength)
  const index = rows.indexOf(place)
  return { index, path: inclusionProof(buildTree(leaves), index).map(toHex) }
}

/** The run that another one derived again. */
const rederivedOf = async (log: FiledLog, run: string, before: string, size: number) => {
  const hours = placesOf(log, runsKind)
    .flatMap((place) => {
      const entry = log.entries[place]
      return entry !== undefined && !isBatch(entry) && entry.subject <= before ? [entry.subject] : []
    })
    .slice(-hoursBack)
    .reverse()
  for (const hour of hours) {
    const lines = (await fileOf(log.source, runsPath(hour))).split("\n")
    const index = lines.findIndex((line) => line.includes(`"run":${JSON.stringify(run)}`))
    if (index >= 0) return runAt(log, hour, index, size)
  }
  return undefined
}

/** The incident that changed a row when it was recorded: which other run did is in no file. */
const causeOf = async (
  log: FiledLog,
  { recorded_at }: RowLeaf,
  enteredAt: string,
  size: number
): Promise<Cause | undefined> => {
  if (Date.parse(recorded_at) <= Date.parse(enteredAt)) return undefined
  for (const place of placesOf(log, "incidents")) {
    if (place >= size) break
    const incidents = await documentAt(log, place, size)
    const isOf = parseIncidents(incidents.document).events.some(
      ({ at }) => Date.parse(at) === Date.parse(recorded_at)
    )
    if (isOf) return { incidents }
  }
  return undefined
}

/** The run that gave a leaf of a batch, in the log of `size` entries. */
const observedOf = async (
  log: FiledLog,
  day: string,
  place: number,
  leaf: RowLeaf,
  size: number
): Promise<Observed | undefined> => {
  const [entry] = placesOf(log, originKind, day)
  if (entry === undefined) return undefined
  const { document } = await documentAt(log, entry, log.tree.size)
  const bytes = await fileOf(log.source, leavesPath(day))
  const batch = new BatchRows(parseLeaves(utf8(bytes)))
  const first = batch.firstOf(place)
  if (first === undefined) return undefined
  for (const origin of parseOrigins(document)) {
    if (!origin.rows.includes(first)) continue
    const proof = await runAt(log, origin.hour, origin.index, size)
    if (proof === undefined) continue
    const run = parseRunLeaf(proof.leaf)
    const hourEntry = parseEntry(proof.log.entry)
    if (run.outcome === "skipped" || isBatch(hourEntry)) continue
    const again =
      run.rederives === undefined ? undefined : await rederivedOf(log, run.rederives, origin.hour, size)
    const cause = await causeOf(log, leaf, hourEntry.recorded_at, size)
    return {
      ...proof,
      row: rowIn(origin, batch, first),
      ...(again === undefined ? {} : { rederived: again }),
      ...(cause === undefined ? {} : { cause })
    }
  }
  return undefined
}

/** The schedule of the day of a run; else the first one of the log, if it has any under that head. */
const scheduleOf = async (log: FiledLog, { leaf }: RunProof, size: number) => {
  const run = parseRunLeaf(leaf)
  if (run.outcome === "skipped" || run.simulated === true) return {}
  const [own] = placesOf(log, scheduleKind, scheduledDay(run))
  if (own !== undefined && own < size) return { schedule: await documentAt(log, own, size) }
  const [first] = placesOf(log, scheduleKind)
  return first === undefined || first >= size ? {} : { first_schedule: await documentAt(log, first, size) }
}

/** The first document of keys, where the log has one that came after the bundle's head. */
const firstKeysOf = async (log: FiledLog, size: number) => {
  const [first] = placesOf(log, keysKind)
  if (first === undefined || first < size) return {}
  const head = { checkpoint: log.note, consistency: extensionOf(log, size) }
  return { first_keys: { head, ...(await documentAt(log, first, log.tree.size)) } }
}

/** The run of a value under the bundle's head, or under the newest one where its hour was entered later; else the first hour of runs. */
const runOf = async (log: FiledLog, { batch, leaf, log: { size } }: Bundle | Bundle4) => {
  const value = parseLeaf(leaf)
  const entry = parseEntry(batch.entry)
  if (!needsRun(value) || !isBatch(entry)) return {}
  const [day] = entry.days
  const observed = await observedOf(log, day, batch.index, value, size)
  if (observed !== undefined) return { observed, ...(await scheduleOf(log, observed, size)) }
  const later = await observedOf(log, day, batch.index, value, log.tree.size)
  if (later !== undefined)
    return {
      observed: later,
      head: { checkpoint: log.note, consistency: extensionOf(log, size) },
      ...(await scheduleOf(log, later, log.tree.size))
    }
  const [first] = placesOf(log, runsKind)
  return first === undefined || first >= size ? {} : { first_runs: await documentAt(log, first, size) }
}

/**
 * What a mirror, a folder or a service has beside a bundle, from the files of the log. Whoever verifies the bundle checks all of it.
 * Throws `CouldNotLook` where a file is missing, `Malformed` where one cannot be read.
 */
export const evidenceOfFiles = async (
  source: Source,
  bundle: Bundle | Bundle4
): Promise<EvidenceDocument> => {
  const log = await readFiledLog(source)
  const { size } = bundle.log
  if (size > log.tree.size) return { v: evidenceTag }
  const keys = placesOf(log, keysKind).findLast((place) => place < size)
  const logged = keys === undefined ? undefined : await documentAt(log, keys, size)
  return {
    v: evidenceTag,
    ...(logged === undefined
      ? await firstKeysOf(log, size)
      : { logged_keys: { ...logged.log, document: logged.document } }),
    ...(await runOf(log, bundle))
  }
}
