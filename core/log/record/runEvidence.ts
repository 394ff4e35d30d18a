/**
 * What the log has of the run that gave a value: the run with the notes that its exchanges name, what changed the row later, the run
 * whose answers it derived again; or why there is no run. All of it under one head.
 */
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { parseEntry } from "../../proof/entry.ts"
import type { RunEvidence } from "../../proof/evidence.ts"
import type { RowLeaf } from "../../proof/leaf.ts"
import type { Cause, Observed } from "../../proof/observed.ts"
import { parseRunLeaf } from "../../proof/runLeaf.ts"
import { parseRuns } from "../../proof/runs.ts"
import { parseSchedule, scheduleKind } from "../../proof/schedule.ts"
import { scheduledDay } from "../../proof/verifySchedule.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { ObservedValue } from "../../wire/log/observed.ts"
import type { ServedHead } from "../heads.ts"
import { documentRows, headOver, loggedDocument, loggedUnder, storedDocument } from "./loggedDocument.ts"
import { notarisedRuns } from "./notarisedRuns.ts"
import { observedRun } from "./observed.ts"
import { observedValue, otherRowOf, unstoredRun } from "./observedValue.ts"

const runRows = rowsOf({ run: Schema.String, as_of: Schema.Date })
const scheduleRows = rowsOf(storedDocument)

/** The document of incidents that has an incident of the series which was opened or closed at that time. */
const incidentsAt = Effect.fnUntraced(function* (
  { metric, recorded_at, source, symbol }: RowLeaf,
  size: number
) {
  const sql = yield* SqlClient.SqlClient
  const at = new Date(recorded_at)
  const [entry] = yield* sql`
    select d.body as document, e.log_index as place, l.text as entry
    from incident i join incident_event e on e.incident = i.id
      join document d on d.sha256 = e.document join log_entry l on l.place = e.log_index
    where i.symbol = ${symbol} and i.metric = ${metric} and (i.source is null or i.source = ${source})
      and e.log_index < ${size}
      and case e.event when 'opened' then i.opened_at else i.closed_at end = ${at}
    order by e.id limit 1`.pipe(documentRows)
  return entry === undefined ? undefined : yield* loggedDocument(entry, size)
})

/** The run that recorded another reading of the day at that time. */
const runAt = Effect.fnUntraced(function* (series: number, leaf: RowLeaf, size: number) {
  const sql = yield* SqlClient.SqlClient
  const [reading] = yield* sql`
    select run, as_of from observation
    where series = ${series} and recorded_at = ${new Date(leaf.recorded_at)}
      and as_of >= ${leaf.day}::date::timestamp at time zone 'UTC'
      and as_of < (${leaf.day}::date + 1)::timestamp at time zone 'UTC'
    order by as_of desc, version desc limit 1`.pipe(runRows)
  if (reading === undefined) return undefined
  const row = yield* otherRowOf(reading.run, leaf, reading.as_of)
  const run = row === undefined ? undefined : yield* observedRun(reading.run, size)
  return row === undefined || run === undefined ? undefined : { ...run, ...row }
})

/** What changed the row of a value after the hour of its run was entered. */
const causeOf = Effect.fnUntraced(function* (
  series: number,
  leaf: RowLeaf,
  { log }: ObservedValue,
  size: number
) {
  const entry = parseEntry(log.entry)
  if ("recorded_at" in entry && Date.parse(leaf.recorded_at) <= Date.parse(entry.recorded_at))
    return undefined
  const incidents = yield* incidentsAt(leaf, size)
  if (incidents !== undefined) return { incidents } satisfies Cause
  const run = yield* runAt(series, leaf, size)
  return run === undefined ? undefined : ({ run } satisfies Cause)
})

/** The run as evidence has it. */
const whole = Effect.fnUntraced(function* (
  series: number,
  leaf: RowLeaf,
  value: ObservedValue,
  size: number
) {
  const { run, ...observed } = value
  const { again, notes } = yield* notarisedRuns(run, observed, size)
  const cause = yield* causeOf(series, leaf, value, size)
  const read = parseRunLeaf(observed.leaf)
  const rederived =
    read.outcome === "skipped" || read.rederives === undefined
      ? undefined
      : yield* observedRun(read.rederives, size)
  return {
    ...observed,
    ...(again.length === 0 ? {} : { again }),
    ...(notes.length === 0 ? {} : { notes }),
    ...(rederived === undefined ? {} : { rederived }),
    ...(cause === undefined ? {} : { cause })
  } satisfies Observed
})

/** The first document of runs, if the log has it under that head. */
const firstRuns = Effect.fnUntraced(function* (size: number) {
  const sql = yield* SqlClient.SqlClient
  const [first] = yield* sql`
    select d.body as document, h.log_index as place, e.text as entry
    from runs_hour h join document d on d.sha256 = h.document join log_entry e on e.place = h.log_index
    where h.log_index < ${size} order by h.hour limit 1`.pipe(documentRows)
  return first === undefined || parseRuns(first.document).n !== 1
    ? undefined
    : yield* loggedDocument(first, size)
})

/** The schedule of the day of a run; else the first one of the log, if it has any under that head. */
const scheduleOf = Effect.fnUntraced(function* (leaf: string, head: ServedHead, size: number) {
  const run = parseRunLeaf(leaf)
  if (run.outcome === "skipped" || run.simulated === true) return {} satisfies RunEvidence
  const sql = yield* SqlClient.SqlClient
  const day = scheduledDay(run)
  const [document] = yield* sql`
    select sha256, kind, subject, body, recorded_at from document where kind = ${scheduleKind}
    order by (subject = ${day}) desc, subject limit 1`.pipe(scheduleRows)
  const logged = document === undefined ? undefined : yield* loggedUnder(document, head, size)
  if (document === undefined || logged === undefined) return {} satisfies RunEvidence
  const { day: of, n } = parseSchedule(document.body)
  if (of === day) return { schedule: logged } satisfies RunEvidence
  return (n === 1 ? { first_schedule: logged } : {}) satisfies RunEvidence
})

/**
 * The run of a value beside a bundle of `size` entries, or beside the first head that has its hour: it may have been entered after the
 * batch. Nothing of a day that no run gave.
 */
export const runEvidence = Effect.fn("Log.runEvidence")(function* (
  series: number,
  leaf: RowLeaf,
  head: ServedHead,
  size: number
) {
  if (leaf.n_observations === 0) return {} satisfies RunEvidence
  const under = yield* observedValue(series, leaf, size)
  if (Option.isSome(under))
    return {
      observed: yield* whole(series, leaf, under.value, size),
      ...(yield* scheduleOf(under.value.leaf, head, size))
    } satisfies RunEvidence
  const newest = yield* observedValue(series, leaf, head.size)
  const over = Option.isNone(newest) ? undefined : yield* headOver(newest.value.log.index, head, size)
  const later = over === undefined ? Option.none() : yield* observedValue(series, leaf, over.size)
  if (over !== undefined && Option.isSome(later))
    return {
      head: over.head,
      observed: yield* whole(series, leaf, later.value, over.size),
      ...(yield* scheduleOf(later.value.leaf, head, over.size))
    } satisfies RunEvidence
  const first_runs = yield* firstRuns(size)
  const unstored = yield* unstoredRun(series, leaf, size)
  return {
    ...(first_runs === undefined ? {} : { first_runs }),
    ...(unstored === undefined ? {} : { unstored })
  } satisfies RunEvidence
})
