/** Checks one entry of the log and what it commits to: the leaves and absences of a batch, or a document. */
import { sha256 } from "@noble/hashes/sha2.js"
import { agreementKind } from "../../../../../core/proof/agreement.ts"
import { archiveKind } from "../../../../../core/proof/archive.ts"
import { fromUtf8, Malformed, toHex } from "../../../../../core/proof/bytes.ts"
import { chainLooksKind, chainLooksSubject, parseChainLooks } from "../../../../../core/proof/chainLooks.ts"
import {
  type DocumentEntry,
  isBatch,
  type LogEntry,
  parseEntryBytes
} from "../../../../../core/proof/entry.ts"
import { eventsKind } from "../../../../../core/proof/eventsDocument.ts"
import { feedsSubject, parseFeeds } from "../../../../../core/proof/feeds.ts"
import { logPath } from "../../../../../core/proof/fetched.ts"
import { finalityKind, finalitySubject, parseFinality } from "../../../../../core/proof/finality/document.ts"
import { type Finding, findingOf, missing, unread } from "../../../../../core/proof/finding.ts"
import { type IncidentEvents, incidentsSubject, parseIncidents } from "../../../../../core/proof/incidents.ts"
import { keysKind } from "../../../../../core/proof/keysDocument.ts"
import { clockTolerance } from "../../../../../core/proof/leaf.ts"
import { originKind } from "../../../../../core/proof/origin.ts"
import {
  parsePermissionsDocument,
  permissionsKind,
  permissionsSubject
} from "../../../../../core/proof/permissions.ts"
import { parseRestart, restartKind, restartSubject } from "../../../../../core/proof/restart.ts"
import { parseRevisions, revisionsSubject } from "../../../../../core/proof/revisions.ts"
import { parseRotation, rotationSubject } from "../../../../../core/proof/rotation.ts"
import { runsKind } from "../../../../../core/proof/runs.ts"
import { salesKind } from "../../../../../core/proof/sales.ts"
import { scheduleKind } from "../../../../../core/proof/schedule.ts"
import { day as dayMs } from "../../../../../core/proof/time.ts"
import { afterAgreement, checkAgreement } from "./agreements.ts"
import { checkBatch } from "./batches.ts"
import { checkDraws } from "./draws.ts"
import { afterEvent, newestOf } from "./incidents.ts"
import { demandUnseen } from "./looks.ts"
import type { Memory, Progress, Unit } from "./memory.ts"
import { checkOrigin } from "./origins.ts"
import {
  afterArchive,
  afterBrief,
  afterEvents,
  afterKeys,
  afterRotation,
  afterSales,
  afterSignals
} from "./publications.ts"
import { checkRestated, unpublished } from "./restated.ts"
import { checkSequence } from "./revisions.ts"
import { checkRuns, noRuns, readSchedule } from "./runs.ts"
import type { Source } from "./source.ts"
import { type LogRecord, noRecord } from "./state.ts"
import { afterExplaining } from "./storedRuns.ts"

/** Checks entry `place` and all that it commits to, and adds it to the memory. */
export const checkUnit = async (
  source: Source,
  memory: Memory,
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
      findings: [unread({ what: "entry", where, expected: "a valid entry" }, error)],
      progress
    }
  }
  const ofEntry = entryFindings(memory, entry, place, progress)
  if (isBatch(entry)) {
    const owed = unpublished(memory)
    const unit = await checkBatch(source, memory, entry, progress)
    return {
      ...unit,
      entry,
      reopens: owed.length > 0,
      findings: [...ofEntry, ...owed, ...unit.findings],
      progress: at(unit.progress, entry)
    }
  }
  const owed = entry.kind === "revisions" ? [] : unpublished(memory)
  const unit = await checkDocument(source, memory, entry, place, progress)
  delete memory.batch
  const reopens = owed.length > 0 || (entry.kind === "revisions" && unit.findings.length > 0)
  return {
    ...unit,
    entry,
    reopens,
    findings: [...ofEntry, ...owed, ...unit.findings],
    progress: at(unit.progress, entry)
  }
}

const timeOf = (entry: LogEntry): string => (isBatch(entry) ? entry.closed_at : entry.recorded_at)

/** What is known after an entry: its time, if it is the newest. */
const at = (progress: Progress, entry: LogEntry): Progress => {
  const { record = noRecord } = progress
  const time = timeOf(entry)
  const isNewest = record.at === undefined || Date.parse(record.at) < Date.parse(time)
  return { ...progress, record: isNewest ? { ...record, at: time } : record }
}

const entryFindings = (
  { looks, now, origin }: Memory,
  entry: LogEntry,
  place: number,
  { record = noRecord }: Progress
): ReadonlyArray<Finding> => {
  const about = {
    what: "entry",
    where: `entry ${place}`,
    expected: "an entry of this log, later than the one before and than the last look"
  }
  return findingOf(about, () => {
    const isDemo = origin.endsWith("/demo")
    if ((entry.simulated === true) !== isDemo)
      throw new Malformed(
        isDemo ? `the log ${origin} is a demo's, the entry is not` : "the entry is a demo's, the log is not",
        "contradiction"
      )
    const time = timeOf(entry)
    // A demo plays a day in a moment, and says that it was closed on time.
    const tolerance = isDemo ? dayMs : clockTolerance
    if (record.at !== undefined && Date.parse(time) < Date.parse(record.at) - tolerance)
      throw new Malformed(`its time is ${time}, and an earlier entry's ${record.at}`, "time")
    // The clock of a demo is that of its recordings, and the monitor's own may be in another time zone than it thinks.
    if (!isDemo && Date.parse(time) > now + dayMs)
      throw new Malformed(
        `its time is ${time}, which is to come: it is ${new Date(now).toISOString()}`,
        "time"
      )
    if (!isDemo) demandUnseen(looks, place, time)
  })
}

const checkDocument = async (
  source: Source,
  memory: Memory,
  entry: DocumentEntry,
  place: number,
  progress: Progress
): Promise<Unit> => {
  const where = `${entry.kind} ${entry.subject} (entry ${place})`
  const path = `${logPath}/documents/${entry.sha256}`
  // An archive's file is served elsewhere, and `verify archive` checks it.
  const bytes = entry.kind === archiveKind ? undefined : await source.read(path)
  // Copies of earlier releases lack the rows of the signal ledger.
  const isNeeded = entry.kind !== archiveKind && entry.kind !== "signals"
  if (bytes === undefined && isNeeded) return { findings: [missing("document", where, path)], progress }
  const hash = bytes === undefined ? entry.sha256 : toHex(sha256(bytes))
  if (hash !== entry.sha256) {
    const expected = `a document with hash ${entry.sha256}`
    return {
      findings: [{ what: "document", where, expected, found: `one with hash ${hash}`, reason: "hash" }],
      progress
    }
  }
  let after = progress
  const about = {
    what: "document",
    where,
    expected: `a document of kind ${entry.kind} that continues the ones before`
  }
  const findings = findingOf(about, () => {
    const text = bytes === undefined ? undefined : fromUtf8(bytes)
    after = readDocument(memory, entry, place, text, progress)
  })
  if (bytes === undefined || findings.length > 0) return { findings, progress: after }
  if (entry.kind === runsKind) {
    const { record = noRecord } = after
    // The clock of a demo is that of its recordings.
    const now = memory.origin.endsWith("/demo") ? Date.parse(entry.recorded_at) : memory.now
    const of = await checkRuns(source, record.runs ?? noRuns, entry, fromUtf8(bytes), {
      now,
      own: memory.own,
      where
    })
    const explained = afterExplaining(of.record)
    const before = record.runs?.draws
    const draws =
      of.hour === undefined ? [] : await checkDraws(source, memory, of.hour, { before, place, where })
    return {
      findings: [...of.findings, ...draws, ...explained.findings],
      progress: { ...after, record: { ...record, runs: explained.runs } }
    }
  }
  if (entry.kind === agreementKind)
    return { findings: await checkAgreement(source, memory.past, fromUtf8(bytes), where), progress: after }
  if (entry.kind === originKind) {
    const of = await checkOrigin(source, memory, after.record ?? noRecord, entry, fromUtf8(bytes), where)
    return { ...of, progress: { ...after, record: of.record } }
  }
  if (entry.kind !== "revisions") return { findings, progress: after }
  const { revisions } = parseRevisions(fromUtf8(bytes))
  return { findings: await checkRestated(memory, where, revisions, progress), progress: after }
}

const demandSubject = (entry: DocumentEntry, subject: string): void => {
  if (entry.subject !== subject)
    throw new Malformed(
      `the entry's subject is ${entry.subject}, but the document's is ${subject}`,
      "contradiction"
    )
}

const demandSimulated = (entry: DocumentEntry, document: { readonly simulated?: true }): void => {
  if (entry.simulated !== document.simulated)
    throw new Malformed("the document and its entry disagree on whether they are simulated", "contradiction")
}

const demandClosed = (day: string, closed: string | undefined): void => {
  if (closed === undefined || day > closed)
    throw new Malformed(`its day ${day} is not closed: the newest batch is of ${closed ?? "no day"}`, "time")
}

/** Reads a document whose hash is right; returns what is known after it. Throws `Malformed`. */
const readDocument = (
  memory: Memory,
  entry: DocumentEntry,
  place: number,
  text: string | undefined,
  progress: Progress
): Progress => {
  const { record = noRecord } = progress
  const knowing = (after: LogRecord): Progress => ({ ...progress, record: after })
  if (entry.kind === archiveKind) return knowing(afterArchive(record, entry, progress.day))
  if (entry.kind === "signals") return knowing(afterSignals(record, entry, text))
  if (text === undefined) return progress
  switch (entry.kind) {
    case "incidents":
      return readIncidents(entry, parseIncidents(text), progress)
    case "revisions": {
      const document = parseRevisions(text)
      demandSubject(entry, revisionsSubject(document))
      demandSimulated(entry, document)
      const [first, last] = [document.revisions[0]?.id ?? 0, document.revisions.at(-1)?.id ?? 0]
      if (first <= progress.revision)
        throw new Malformed(
          `revision ${first} follows revision ${progress.revision}: it was published before`,
          "contradiction"
        )
      checkSequence(document.revisions, entry.recorded_at)
      return { ...knowing({ ...record, revisions: entry.sha256 }), revision: last }
    }
    case "feeds": {
      const document = parseFeeds(text)
      demandSubject(entry, feedsSubject(document))
      demandSimulated(entry, document)
      const [first, last] = [document.feeds[0]?.n ?? 0, document.feeds.at(-1)?.n ?? 0]
      if (record.feeds !== undefined && first !== record.feeds + 1)
        throw new Malformed(
          `change ${first} follows change ${record.feeds}: changes are missing or there twice`,
          "contradiction"
        )
      return knowing({ ...record, feeds: last })
    }
    case permissionsKind: {
      const document = parsePermissionsDocument(text)
      demandSubject(entry, permissionsSubject(document))
      demandSimulated(entry, document)
      const { n } = document
      if (record.permissions !== undefined && n !== record.permissions + 1)
        throw new Malformed(
          `document ${n} follows document ${record.permissions}: documents are missing or there twice`,
          "contradiction"
        )
      return knowing({ ...record, permissions: n })
    }
    case scheduleKind:
      return knowing({ ...record, runs: readSchedule(record.runs ?? noRuns, entry, text) })
    case agreementKind:
      return knowing(afterAgreement(record, entry, text, { closed: progress.day, own: memory.own }))
    case chainLooksKind: {
      const document = parseChainLooks(text)
      demandSubject(entry, chainLooksSubject(document))
      demandSimulated(entry, document)
      demandClosed(document.day, progress.day)
      return progress
    }
    case finalityKind: {
      const document = parseFinality(text)
      demandSubject(entry, finalitySubject(document))
      demandSimulated(entry, document)
      demandClosed(document.day, progress.day)
      return progress
    }
    case salesKind:
      return knowing(afterSales(record, entry, text))
    case "brief":
      return knowing(afterBrief(record, entry, text))
    case "rotation": {
      const { rotation } = parseRotation(text)
      demandSubject(entry, rotationSubject(rotation))
      demandSimulated(entry, rotation)
      return knowing(afterRotation(record, text, rotation, memory.origin))
    }
    case eventsKind:
      return knowing(afterEvents(record, entry, text))
    case keysKind:
      return knowing(afterKeys(record, entry, text, memory.origin))
    case restartKind: {
      const { restart } = parseRestart(text)
      demandSubject(entry, restartSubject(restart))
      demandSimulated(entry, restart)
      if (place !== 0) throw new Malformed("a restart must be the first entry of its log", "contradiction")
      if (restart.origin !== memory.origin)
        throw new Malformed(`it begins the log ${restart.origin}`, "origin")
      const { last_day } = restart.earlier
      return last_day === undefined ? progress : { ...progress, day: last_day, earlier: last_day }
    }
    default:
      return progress
  }
}

const readIncidents = (entry: DocumentEntry, document: IncidentEvents, progress: Progress): Progress => {
  demandSubject(entry, incidentsSubject(document))
  demandSimulated(entry, document)
  const { record = noRecord } = progress
  const [first, last] = [document.events[0]?.n ?? 0, document.events.at(-1)?.n ?? 0]
  if (first !== progress.events + 1)
    throw new Malformed(
      `event ${first} follows event ${progress.events}: events are missing or there twice`,
      "contradiction"
    )
  const ids = new Set(progress.incidents)
  let records = record.incidents
  for (const event of document.events) {
    if (Date.parse(event.at) > Date.parse(entry.recorded_at) + clockTolerance)
      throw new Malformed(`event ${event.n} is of ${event.at}, after its document`, "time")
    records = afterEvent(records, ids, event)
    if (event.event === "opened") ids.add(event.incident)
  }
  return {
    ...progress,
    events: last,
    incidents: [...ids],
    record: { ...record, incidents: newestOf(records) }
  }
}
