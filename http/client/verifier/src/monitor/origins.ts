/** Checks the origins of days: with them every leaf of a batch is of a row of a run that the log told of. */
import { equalBytes, Malformed, utf8 } from "../../../../../core/proof/bytes.ts"
import { demand } from "../../../../../core/proof/check.ts"
import type { DocumentEntry } from "../../../../../core/proof/entry.ts"
import { logPath } from "../../../../../core/proof/fetched.ts"
import { type Finding, findingOf, missing } from "../../../../../core/proof/finding.ts"
import { loggedFrom } from "../../../../../core/proof/firstEntry.ts"
import { parseOrigins } from "../../../../../core/proof/origin.ts"
import { hourBegins } from "../../../../../core/proof/runLeaf.ts"
import { hour as hourMs } from "../../../../../core/proof/time.ts"
import { Hours } from "./hours.ts"
import { LeafRuns } from "./leafRuns.ts"
import type { Memory } from "./memory.ts"
import { type OwingDay, originsAfter } from "./originsRecord.ts"
import { leafName } from "./series.ts"
import type { Source } from "./source.ts"
import type { LogRecord } from "./state.ts"

/** How long after its batch a day may have no origin, in milliseconds: a service waits for the last runs of the day. */
const within = 36 * hourMs

/** Where the origin of a day is served, beside the leaves. */
const originPath = (day: string): string => `${logPath}/batches/${day}/origin`

interface CheckedOrigin {
  readonly findings: ReadonlyArray<Finding>
  /** What holds and was not checked. */
  readonly notChecked: ReadonlyArray<string>
  readonly record: LogRecord
}

/** What is said of an hour that is not remembered: it is none of the log, unless the memory does not go back so far. */
const unknownHour = (
  hour: string,
  { runs }: LogRecord,
  about: Omit<Finding, "found" | "reason">
): Finding => {
  const oldest = runs?.hours?.[0]?.hour
  const isOlder = oldest === undefined || hour < oldest
  return isOlder && (runs?.first === undefined || hour >= runs.first)
    ? {
        ...about,
        found: `the hour ${hour} is older than what is remembered of this log`,
        reason: "unavailable",
        unproved: true
      }
    : { ...about, found: `the log has no runs of the hour ${hour}`, reason: "missing" }
}

const compare = async (
  { past, source }: { readonly past: Memory["past"]; readonly source: Source },
  record: LogRecord,
  { simulated, subject: day }: DocumentEntry,
  text: string,
  about: Omit<Finding, "found" | "reason">
): Promise<Pick<CheckedOrigin, "findings" | "notChecked">> => {
  const beside = await source.read(originPath(day))
  if (beside === undefined)
    return { findings: [missing("origin", about.where, originPath(day))], notChecked: [] }
  demand(equalBytes(beside, utf8(text)), `${originPath(day)} is not the document of the log`, "hash")
  const { rows } = await past.leaves(day)
  const read = past.findings.splice(0)
  if (read.length > 0) return { findings: read, notChecked: [] }
  const hours = new Hours(source, record.runs?.hours ?? [])
  const leafRuns = new LeafRuns(rows)
  for (const origin of parseOrigins(text)) {
    const hour = await hours.read(origin.hour)
    if (hour === undefined) return { findings: [unknownHour(origin.hour, record, about)], notChecked: [] }
    leafRuns.add(origin, hour, simulated)
  }
  const { lacking, older } = await leafRuns.lacking(hours, record.incidents, record.runs?.first)
  const [first] = lacking
  const more = lacking.length > 1 ? `; and ${lacking.length - 1} more like this` : ""
  return {
    findings:
      first === undefined
        ? []
        : [
            {
              what: "run",
              where: `batch ${day}, ${leafName(first.leaf)}`,
              expected: "a run that gave it",
              found: `${first.why}${more}`,
              reason: first.reason
            }
          ],
    notChecked:
      older === 0 ? [] : [`run: ${older} values of the batch of ${day} were made before runs were logged`]
  }
}

/** Checks an origin whose hash is right, against the leaves of its batch and the runs of its hours. */
export const checkOrigin = async (
  source: Source,
  { past }: Memory,
  record: LogRecord,
  entry: DocumentEntry,
  text: string,
  where: string
): Promise<CheckedOrigin> => {
  const day = entry.subject
  const about = {
    what: "origin",
    where,
    expected: "the runs that gave the leaves of the batch, as the log has them"
  }
  const { origins } = record
  const isOwing =
    origins === undefined
      ? record.batches.some((one) => one.day === day)
      : origins.owing.some((one) => one.day === day)
  const after: LogRecord = {
    ...record,
    origins: originsAfter(origins, day)
  }
  try {
    demand(isOwing, "the log has no batch of this day before it, or an origin of it already", "contradiction")
    return { ...(await compare({ past, source }, record, entry, text, about)), record: after }
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    const findings = findingOf(about, () => {
      throw error
    })
    return { findings, notChecked: [], record: after }
  }
}

/** What is said of days that have no origin. */
interface WithoutOrigin {
  readonly findings: ReadonlyArray<Finding>
  readonly unproved: ReadonlyArray<string>
  readonly notChecked: ReadonlyArray<string>
  readonly record: LogRecord
}

/** True if nobody could make an origin of the batch: it was closed before runs were logged, by a release before origins. */
const isClosedBefore = ({ closed_at, day }: OwingDay, { runs }: LogRecord, isDemo: boolean): boolean =>
  runs?.first === undefined
    ? !isDemo && day < loggedFrom
    : Date.parse(closed_at) < hourBegins(runs.first) + hourMs

const span = (days: ReadonlyArray<OwingDay>): string => {
  const [first, last] = [days[0]?.day, days.at(-1)?.day]
  return first === last ? `the batch of ${first}` : `${days.length} batches from ${first} to ${last}`
}

/** The days that have no origin at `now`, though it could be there. Those that never will have one are forgotten once they are said. */
export const withoutOrigin = (record: LogRecord, now: number, isDemo: boolean): WithoutOrigin => {
  const { origins } = record
  if (origins === undefined) return { findings: [], unproved: [], notChecked: [], record }
  const { first, owing } = origins
  const overdue = owing.filter(({ closed_at }) => Date.parse(closed_at) + within < now)
  const late = overdue.filter(({ day }) => first !== undefined && day > first)
  const others = overdue.filter((one) => !late.includes(one))
  const before = others.filter((one) => isClosedBefore(one, record, isDemo))
  const never = others.filter((one) => !before.includes(one))
  const [oldest] = late
  return {
    findings:
      oldest === undefined
        ? []
        : [
            {
              what: "promise",
              where: `origin of ${oldest.day}`,
              expected: `the runs that gave its values, by ${new Date(Date.parse(oldest.closed_at) + within).toISOString()}`,
              found: late.length === 1 ? "no such entry" : `none of ${span(late)}`,
              reason: "missing"
            }
          ],
    unproved:
      never.length === 0
        ? []
        : [`run: ${span(never)}: the day has no origin file, so no run is known of its values`],
    notChecked: before.length === 0 ? [] : [`run: ${span(before)}: the day has no origin file`],
    record: { ...record, origins: { ...origins, owing: owing.filter((one) => !before.includes(one)) } }
  }
}
