/**
 * Whether the log knows the run that gave a value, and whether that run can have given it: rules of the leaf, the run and the hour that
 * tells of it. A hash or a document that contradicts itself fails; where a rule is not met, the value is not proved.
 */
import { Malformed } from "./bytes.ts"
import { type Check, demand, notChecked, notProved, reading, refused } from "./check.ts"
import type { Checkpoint } from "./checkpoint.ts"
import { verifier } from "./command.ts"
import { drawingNote, readDrawingHead } from "./drawingHead.ts"
import { type BatchEntry, type DocumentEntry, demandAbout, parseEntry } from "./entry.ts"
import type { RunEvidence } from "./evidence.ts"
import { firstEntry, isBeforeFirst, loggedFrom } from "./firstEntry.ts"
import { incidentsSubject, parseIncidents } from "./incidents.ts"
import { clockTolerance, type Leaf, type RowLeaf } from "./leaf.ts"
import {
  type Cause,
  demandUnder,
  type LoggedDocument,
  type LoggedRun,
  type Observed,
  otherRunOf,
  type RunProof,
  runUnder,
  runWithRow
} from "./observed.ts"
import { hourBegins, type RanLeaf } from "./runLeaf.ts"
import { isLateRuns, lotOf, type Runs } from "./runs.ts"
import { hour as hourMs } from "./time.ts"
import type { Signed } from "./verifyAgreed.ts"
import { checkSchedule } from "./verifySchedule.ts"

/** How far the clock of an exchange may be from that of its run, in milliseconds. */
const tolerance = 2000

/** Longest time by which a value may be true after its run, in milliseconds: of two clocks, each may be wrong by so much. */
const ahead = 2 * clockTolerance

/** What a value's run is held to. */
export interface RunContext {
  readonly checkpoint: Checkpoint
  /** The keys of the bundle's checkpoint. */
  readonly signed: Signed | undefined
  readonly leaf: Leaf | undefined
  /** The entry of the leaf's batch, and its place in the log. */
  readonly batch: BatchEntry | undefined
  readonly batchIndex: number
  /** The hour of the first document of runs, as the reader remembers it of this log. */
  readonly runsFrom?: string | undefined
  /** The bundle has a body that the value stands in: then nothing needs to be derived. */
  readonly hasBody: boolean
}

/** What is known of a run and of the hour that told of it. */
export interface HourRun {
  readonly run: RanLeaf
  readonly hour: Pick<Runs, "hour" | "simulated">
  readonly entry: Pick<DocumentEntry, "recorded_at">
}

/** True for a leaf that states a reading: what an absence or a withdrawn day says, no run gave. */
export const needsRun = (leaf: Leaf): leaf is RowLeaf => leaf.kind !== "absent" && leaf.n_observations > 0

/** True if the log told of the run later than within ten minutes of its end. A simulated one never is late. */
const isLate = ({ entry, hour, run }: LoggedRun): boolean =>
  run.late === true || (hour.simulated !== true && isLateRuns(hour.hour, Date.parse(entry.recorded_at)))

/** Throws `Malformed` if the document says otherwise than its entry when it was made. */
const demandLateness = ({ entry, hour }: LoggedRun): void =>
  demand(
    hour.simulated === true || hour.late === isLateRuns(hour.hour, Date.parse(entry.recorded_at)),
    `the hour ${hour.hour} was entered at ${entry.recorded_at}, and its document says that it was ${hour.late ? "" : "not "}late`,
    "time"
  )

/** Why a run cannot have given any value, by itself and its hour; undefined if nothing speaks against it. */
const doubtOfRun = ({ entry, hour, run }: HourRun): string | undefined => {
  if (run.outcome !== "stored") return `its outcome is ${run.outcome}: none of its rows was stored`
  const end = hourBegins(hour.hour) + hourMs
  return Date.parse(entry.recorded_at) < end - (hour.simulated === true ? 0 : clockTolerance)
    ? `its hour ${hour.hour} was entered at ${entry.recorded_at}, before it was over`
    : undefined
}

/** Why the exchanges of a run are not its own; `again` is the run that it names as the one whose exchanges these are. */
const doubtOfExchanges = (run: RanLeaf, again: RanLeaf | undefined): string | undefined => {
  const from = run.rederives === undefined ? run : again
  if (from === undefined) return `it derives the run ${run.rederives} again, of which nothing is here`
  if (from !== run && (from.run !== run.rederives || from.plugin !== run.plugin))
    return `it derives the run ${run.rederives} again, and what is here is the run ${from.run}`
  const [first, last] = [Date.parse(from.began) - tolerance, Date.parse(from.ended) + tolerance]
  const outside = run.exchanges.find(({ at }) => Date.parse(at) < first || Date.parse(at) > last)
  if (outside !== undefined)
    return `an answer is of ${outside.at}, and the run ${from.run} took place from ${from.began} to ${from.ended}`
  const other =
    from === run
      ? undefined
      : run.exchanges.find(({ at, sha256 }) =>
          from.exchanges.every((one) => one.at !== at || one.sha256 !== sha256)
        )
  return other === undefined ? undefined : `the run ${from.run} has no answer of ${other.at} with that body`
}

/** Why the hour cannot have been entered after the batch of the value. */
const doubtOfOrder = (logged: LoggedRun, { batch, batchIndex }: RunContext): string | undefined => {
  const { hour, index } = logged
  const isAfter = batch !== undefined && index > batchIndex && hour.simulated !== true && !isLate(logged)
  return isAfter && isLateRuns(hour.hour, Date.parse(batch.closed_at))
    ? `its hour ${hour.hour} was over when the batch was closed at ${batch.closed_at}, and was entered after it`
    : undefined
}

/** True if the row was changed after the hour of its run was entered: something else must say by what. */
export const isChangedLater = ({ recorded_at }: RowLeaf, { entry }: Pick<HourRun, "entry">): boolean =>
  Date.parse(recorded_at) > Date.parse(entry.recorded_at)

/** Why the value cannot have been recorded when its leaf says, whatever changed its row later. */
const doubtOfBegin = ({ recorded_at }: RowLeaf, { run }: Pick<HourRun, "run">): string | undefined =>
  Date.parse(run.began) - tolerance > Date.parse(recorded_at)
    ? `it began at ${run.began}, after the value was recorded at ${recorded_at}`
    : undefined

/** True if the row of the leaf may have been changed by this run. */
export const mayBeOf = (value: RowLeaf, { entry, run }: Pick<HourRun, "entry" | "run">): boolean =>
  doubtOfBegin(value, { run }) === undefined && !isChangedLater(value, { entry })

/** Why the value cannot have been recorded when its leaf says, as far as one run speaks of it. */
const doubtOfTime = (value: RowLeaf, hourRun: HourRun): string | undefined =>
  doubtOfBegin(value, hourRun) ??
  (isChangedLater(value, hourRun)
    ? `the row was changed at ${value.recorded_at}, and nothing says by what: the hour of its run was entered at ${hourRun.entry.recorded_at}`
    : undefined)

/** Why the value cannot have been true when its leaf says. */
const doubtOfAsOf = ({ as_of }: RowLeaf, { run }: Pick<HourRun, "run">): string | undefined =>
  Date.parse(as_of) > Date.parse(run.ended) + ahead
    ? `it ended at ${run.ended}, before the value was true at ${as_of}`
    : undefined

/** Why a run whose row is the value's cannot have given it, as far as the run and its hour say; what changed the row later is not asked. */
export const doubtOfRow = (value: RowLeaf, hourRun: HourRun): string | undefined =>
  doubtOfRun(hourRun) ??
  (hourRun.run.rederives === undefined ? doubtOfExchanges(hourRun.run, undefined) : undefined) ??
  doubtOfAsOf(value, hourRun) ??
  doubtOfBegin(value, hourRun)

/** The incident that changed the value's row when it was recorded. Throws `Malformed`. */
const incidentOf = (
  { document, log }: LoggedDocument,
  { checkpoint }: RunContext,
  value: RowLeaf
): number | undefined => {
  const read = parseIncidents(document)
  demandUnder(log, checkpoint, "the incidents")
  demandAbout(
    parseEntry(log.entry),
    { kind: "incidents", subject: incidentsSubject(read), simulated: read.simulated, text: document },
    "the document of incidents"
  )
  demand(
    read.simulated === value.simulated,
    "the incidents and the value disagree on whether they are simulated",
    "contradiction"
  )
  const day = Date.parse(value.day)
  return read.events.find(
    ({ at, from, metric, source, symbol, to }) =>
      Date.parse(at) === Date.parse(value.recorded_at) &&
      symbol === value.symbol &&
      metric === value.metric &&
      (source === undefined || source === value.source) &&
      from.slice(0, 10) <= value.day &&
      (to === undefined || Date.parse(to) >= day)
  )?.incident
}

/** What changed a row that was recorded later than its run was told of; undefined where nothing here says so. Throws `Malformed`. */
const causeOf = (
  { incidents, run }: Cause,
  context: RunContext,
  value: RowLeaf,
  plugin: string
): string | undefined => {
  const incident = incidents === undefined ? undefined : incidentOf(incidents, context, value)
  if (incident !== undefined) return `incident ${incident}`
  if (run === undefined) return undefined
  const other = otherRunOf(run, context.checkpoint, value)
  demandLateness(other)
  const fits =
    other.run.plugin === plugin &&
    other.run.simulated === value.simulated &&
    doubtOfRun(other) === undefined &&
    doubtOfTime(value, other) === undefined
  return fits ? `run ${other.run.run}` : undefined
}

/** What a run that holds says, or why it does not prove the value. Throws `Malformed`. */
const judge = (
  observed: Observed,
  context: RunContext,
  value: RowLeaf
): { readonly logged: LoggedRun; readonly doubt: string | undefined; readonly cause: string | undefined } => {
  const { checkpoint } = context
  const logged = runWithRow(observed, checkpoint, value)
  const { run } = logged
  demandLateness(logged)
  lotOf(logged.hour, run)
  const again = observed.rederived === undefined ? undefined : runUnder(observed.rederived, checkpoint).run
  const cause = observed.cause === undefined ? undefined : causeOf(observed.cause, context, value, run.plugin)
  const time = doubtOfTime(value, logged)
  const isLater = isChangedLater(value, logged)
  const doubt =
    doubtOfRun(logged) ??
    doubtOfExchanges(run, again) ??
    doubtOfOrder(logged, context) ??
    doubtOfAsOf(value, logged) ??
    (isLater && cause !== undefined ? undefined : time)
  return { logged, doubt, cause: isLater ? cause : undefined }
}

const name = "run"

type RunCheck = typeof name | "the value follows from the body" | "the last of its day" | "drawn" | "schedule"

/** What checks that the batch of a day leaves out nothing that a run of it read. */
export const derivesTheDay = (day: string): string =>
  `\`${verifier} derivations ${day} --mirror <folder>\` checks it, in a checkout with what the runs of the day read`

/** Whether the lot of a run's notary is there, and what is not checked of it. */
const checkLot = (
  { hour, index, run }: LoggedRun,
  { signed }: RunContext
): ReadonlyArray<Check<RunCheck>> => {
  const { exchanges, lot, rederives } = run
  if (lot === undefined)
    return rederives === undefined && exchanges.some(({ notes }) => notes.length > 0)
      ? [
          notProved(
            "drawn",
            `notaries state answers of the run ${run.run}, and it does not say how they were drawn`
          )
        ]
      : []
  const from = lotOf(hour, run)
  if (from === undefined)
    return [notProved("drawn", `the run ${run.run} does not say which notaries its own was drawn from`)]
  const note = drawingNote(hour, run)
  if (note === undefined)
    return [
      notProved(
        "drawn",
        `the hour ${hour.hour} does not give the head ${lot.head}, by which the notary was drawn`
      )
    ]
  const by = reading(
    "drawn",
    () => (signed === undefined ? undefined : readDrawingHead(note, signed.document, index)),
    () => ""
  )
  return [
    by.value === undefined
      ? signed === undefined
        ? notChecked("drawn", "the signature of the bundle's checkpoint does not hold", "unavailable")
        : by.check
      : notChecked(
          "drawn",
          `from ${from.length} by the signed head of ${by.value.size} entries; that it is of this log \`${verifier} monitor\` checks, and nobody that it was the newest`
        )
  ]
}

/** What follows from the run of a value and is checked by other means: each with what checks it. */
const besides = (
  evidence: RunEvidence,
  { day }: RowLeaf,
  logged: LoggedRun,
  context: RunContext
): ReadonlyArray<Check<RunCheck>> => [
  ...(context.hasBody
    ? []
    : [
        notChecked(
          "the value follows from the body",
          `\`${verifier} derivation ${logged.run.run}\` checks it, in a checkout with what the run read`
        )
      ]),
  notChecked("the last of its day", derivesTheDay(day)),
  checkSchedule(evidence, logged, context.checkpoint),
  ...checkLot(logged, context)
]

/** The hour of the first document of runs of the log. Throws `Malformed`. */
export const firstHourOf = (first: LoggedDocument, checkpoint: Checkpoint): string =>
  firstEntry("runs", first, checkpoint).entry.subject

/** True if the value was recorded before the log had runs, whose first hour is `first` where it is known. */
export const isBeforeRuns = (
  { day, recorded_at: at, simulated }: RowLeaf,
  first: string | undefined
): boolean => isBeforeFirst({ at, day, simulated }, first === undefined ? undefined : `${first}:00:00Z`)

/** True for a run whose rows an earlier release removed: from `loggedFrom` on they stay. Throws `Malformed`. */
const isUnstored = (unstored: RunProof, checkpoint: Checkpoint, value: RowLeaf): boolean => {
  const logged = runUnder(unstored, checkpoint)
  demandLateness(logged)
  return (
    // A demo has the rows of all its runs.
    value.simulated !== true &&
    logged.run.simulated !== true &&
    logged.run.ended.slice(0, 10) < loggedFrom &&
    doubtOfRun(logged) === undefined &&
    doubtOfTime(value, logged) === undefined
  )
}

/** What is said of a value without its run. Throws `Malformed`. */
const withoutRun = (
  { first_runs, unstored }: RunEvidence,
  { checkpoint, runsFrom }: RunContext,
  value: RowLeaf
): Check<typeof name> => {
  const first = first_runs === undefined ? runsFrom : firstHourOf(first_runs, checkpoint)
  if (isBeforeRuns(value, first))
    return notChecked(
      name,
      `made before runs were logged${first === undefined ? "" : `: the first hour of this log is ${first}`}`,
      "unavailable"
    )
  if (unstored !== undefined && isUnstored(unstored, checkpoint, value))
    return notChecked(name, "its rows are no longer stored", "unavailable")
  return notProved(
    name,
    `no run is known that gave this value; \`${verifier} bundle <file> --url <service>\` fetches it where the service has it`
  )
}

/** Whether a run that the log tells of gave the value, and what is not checked of it. Nothing of a day that no run gave. */
export const checkRun = (evidence: RunEvidence, context: RunContext): ReadonlyArray<Check<RunCheck>> => {
  const { leaf } = context
  if (leaf === undefined) return [notChecked(name, "the leaf cannot be read", "unavailable")]
  if (!needsRun(leaf)) return []
  try {
    if (evidence.observed === undefined) return [withoutRun(evidence, context, leaf)]
    const { cause, doubt, logged } = judge(evidence.observed, context, leaf)
    const { entry, hour, index, run } = logged
    if (doubt !== undefined)
      return [notProved(name, `run ${run.run} does not prove this value: ${doubt}`, "contradiction")]
    const lateness = isLate(logged)
      ? `, only at ${entry.recorded_at}`
      : hour.simulated === true
        ? ""
        : ", within ten minutes of its end by the operator's clock"
    return [
      {
        name,
        ok: true,
        detail: `run ${run.run} gave this value with the code ${run.code_hash.slice(0, 12)}…; the log says so in entry ${index}, of the hour ${hour.hour}${lateness}${cause === undefined ? "" : `; its row was changed at ${leaf.recorded_at} by ${cause}`}`
      },
      ...besides(evidence, leaf, logged, context)
    ]
  } catch (error) {
    if (error instanceof Malformed) return [refused(name, error)]
    throw error
  }
}
