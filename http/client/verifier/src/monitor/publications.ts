/** The entries of archive files, of the signal ledger, of the briefs and of the sales, and of the rotations of the log's key. */
import { fileName, periods } from "../../../../../core/proof/archive.ts"
import { Malformed } from "../../../../../core/proof/bytes.ts"
import { isRecord, parseCanonical } from "../../../../../core/proof/canonical.ts"
import type { DocumentEntry } from "../../../../../core/proof/entry.ts"
import { eventsSubject, parseEvents } from "../../../../../core/proof/eventsDocument.ts"
import { demandContinues, keysSubject, parseKeysDocument } from "../../../../../core/proof/keysDocument.ts"
import { clockTolerance, tagged } from "../../../../../core/proof/leaf.ts"
import { parseRotation, type Rotation } from "../../../../../core/proof/rotation.ts"
import { parseSales } from "../../../../../core/proof/sales.ts"
import * as s from "../../../../../core/proof/shape.ts"
import { parseSignalText } from "../../../../../core/proof/signal.ts"
import { day as dayMs } from "../../../../../core/proof/time.ts"
import type { LogRecord } from "./state.ts"

const nameForm = /^(daily|monthly|yearly)\/(\d{4})(?:\/(\d{2}))?(?:\/(\d{2}))?\.parquet$/

/** The first and the last day of an archive file of this name. Throws `Malformed` if it is none. */
const daysOf = (name: string): readonly [first: string, last: string] => {
  const [, , year = "", month = "01", date = "01"] = nameForm.exec(name) ?? []
  const first = `${year}-${month}-${date}`
  const period = s.day.is(first) ? periods.find((one) => fileName(one, first) === name) : undefined
  if (period === undefined) throw new Malformed("the subject is not the name of an archive file")
  if (period === "day") return [first, first]
  const end = period === "month" ? Date.UTC(Number(year), Number(month), 0) : Date.UTC(Number(year), 12, 0)
  return [first, new Date(end).toISOString().slice(0, 10)]
}

/** What is known after the entry of an archive file. `closed` is the day of the newest batch. Throws `Malformed`. */
export const afterArchive = (
  record: LogRecord,
  { subject }: DocumentEntry,
  closed: string | undefined
): LogRecord => {
  if (record.archived.includes(subject))
    throw new Malformed(
      "a file of this name is in the log already, and a published file is never made again",
      "contradiction"
    )
  const [first, last] = daysOf(subject)
  if (closed === undefined || last > closed)
    throw new Malformed(
      `its last day ${last} is not closed: the newest batch is of ${closed ?? "no day"}`,
      "time"
    )
  if (record.first !== undefined && last < record.first)
    throw new Malformed(
      `its days from ${first} to ${last} are before the log's first batch, of ${record.first}`,
      "time"
    )
  return { ...record, archived: [...record.archived, subject] }
}

/** What is known after the entry of a ledger's row, whose text is not served by every copy. Throws `Malformed`. */
export const afterSignals = (
  record: LogRecord,
  entry: DocumentEntry,
  text: string | undefined
): LogRecord => {
  const n = /^[1-9]\d{0,14}$/.test(entry.subject) ? Number(entry.subject) : undefined
  if (n === undefined) throw new Malformed("the subject is not the number of a row")
  if (n <= record.signals)
    throw new Malformed(
      `row ${n} follows row ${record.signals}: the ledger goes back, or was rewritten`,
      "contradiction"
    )
  if (text === undefined) return { ...record, signals: n }
  const row = parseSignalText(text)
  if (row.n !== n)
    throw new Malformed(`the entry's subject is ${n}, but the row's n is ${row.n}`, "contradiction")
  if (Date.parse(row.recorded_at) > Date.parse(entry.recorded_at) + clockTolerance)
    throw new Malformed(`row ${n} was recorded at ${row.recorded_at}, after its entry`, "time")
  return { ...record, signals: n }
}

/** What is known after a document of events. Throws `Malformed`. */
export const afterEvents = (record: LogRecord, entry: DocumentEntry, text: string): LogRecord => {
  const document = parseEvents(text)
  const { day, first, last } = document
  if (entry.subject !== eventsSubject(document))
    throw new Malformed(
      `the entry's subject is ${entry.subject}, but the document's day is ${day}`,
      "contradiction"
    )
  if (entry.simulated !== document.simulated)
    throw new Malformed("the document and its entry disagree on whether they are simulated", "contradiction")
  if (Date.parse(entry.recorded_at) < Date.parse(day) + dayMs)
    throw new Malformed(`its day ${day} is not over at ${entry.recorded_at}`, "time")
  const before = record.feed
  if (before !== undefined && day <= before.day)
    throw new Malformed(
      `the events of ${day} follow those of ${before.day}: a day is there twice, or late`,
      "contradiction"
    )
  if (before !== undefined && first !== before.last + 1)
    throw new Malformed(
      `event ${first} follows event ${before.last}: events are missing or there twice`,
      "contradiction"
    )
  return { ...record, feed: { day, last } }
}

const briefTag = "service-brief-v2"

/** What is known after the entry of a brief. Throws `Malformed`. */
export const afterBrief = (record: LogRecord, entry: DocumentEntry, text: string): LogRecord => {
  const brief = parseCanonical(text)
  const tag = tagged(briefTag, entry.simulated === true)
  if (isRecord(brief)) s.refuseNewer("the brief", brief.v, [briefTag, `${briefTag}-demo`])
  if (!isRecord(brief) || brief.v !== tag) throw new Malformed(`the brief's tag is not ${tag}`)
  if (!s.day.is(entry.subject) || brief.date !== entry.subject)
    throw new Malformed(
      `the entry's subject is ${entry.subject}, but the brief's date is ${String(brief.date)}`,
      "contradiction"
    )
  if (record.briefs.includes(entry.subject))
    throw new Malformed("a brief of this date is in the log already", "contradiction")
  return { ...record, briefs: [...record.briefs, entry.subject] }
}

/** What is known after the document of a day's sales. Throws `Malformed`. */
export const afterSales = (record: LogRecord, entry: DocumentEntry, text: string): LogRecord => {
  const document = parseSales(text)
  const { day } = document
  if (entry.subject !== day)
    throw new Malformed(
      `the entry's subject is ${entry.subject}, but the document's is ${day}`,
      "contradiction"
    )
  if (entry.simulated !== document.simulated)
    throw new Malformed("the document and its entry disagree on whether they are simulated", "contradiction")
  if (Date.parse(entry.recorded_at) < Date.parse(day) + dayMs - clockTolerance)
    throw new Malformed(`it was recorded at ${entry.recorded_at}, before the day ${day} was over`, "time")
  if (record.sales !== undefined && day <= record.sales)
    throw new Malformed(
      `the day ${day} follows the day ${record.sales}: a day has one document, in order`,
      "contradiction"
    )
  return { ...record, sales: day }
}

/** What is known after a rotation, whose note is `note`. Throws `Malformed`. */
export const afterRotation = (
  record: LogRecord,
  note: string,
  rotation: Rotation,
  origin: string
): LogRecord => {
  if (rotation.origin !== origin) throw new Malformed(`it is of the log ${rotation.origin}`, "origin")
  if (record.key !== undefined && record.key !== rotation.old)
    throw new Malformed(`the log's key was ${record.key}, and it rotates ${rotation.old}`, "key")
  const { rotations } = record
  return {
    ...record,
    key: rotation.new,
    ...(rotations === undefined ? {} : { rotations: [...rotations, note] })
  }
}

/** What is known after a document of keys. Throws `Malformed`. */
export const afterKeys = (
  record: LogRecord,
  { subject }: DocumentEntry,
  text: string,
  origin: string
): LogRecord => {
  const document = parseKeysDocument(text)
  if (subject !== keysSubject(document))
    throw new Malformed(
      `the entry's subject is ${subject}, but the document's number is ${document.n}`,
      "contradiction"
    )
  if (document.origin !== origin) throw new Malformed(`it is of the log ${document.origin}`, "origin")
  const before = record.keys === undefined ? undefined : parseKeysDocument(record.keys)
  const logged = record.rotations
  // Whoever knows the rotations has read the log from its first entry on.
  const last = before?.n ?? (logged === undefined ? undefined : 0)
  if (last !== undefined && document.n !== last + 1)
    throw new Malformed(`document ${document.n} of the keys follows document ${last}`, "contradiction")
  if (before !== undefined) demandContinues(before, document)
  if (logged !== undefined) {
    const lacks = logged.find((note) => !document.rotations.includes(note))
    if (lacks !== undefined)
      throw new Malformed(
        `the rotation to ${parseRotation(lacks).rotation.new} is in the log, and not in it`,
        "contradiction"
      )
    const adds = document.rotations.find((note) => !logged.includes(note))
    if (adds !== undefined)
      throw new Malformed(
        `the rotation to ${parseRotation(adds).rotation.new} is in it, and not in the log`,
        "contradiction"
      )
  }
  return { ...record, keys: text, rotations: document.rotations }
}
