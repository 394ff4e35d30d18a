/** Whether the run of a value was due: by the schedule of its day, which the log had ahead of it. */
import { Malformed } from "./bytes.ts"
import { type Check, demand, notChecked, notProved, refused } from "./check.ts"
import type { Checkpoint } from "./checkpoint.ts"
import { verifier } from "./command.ts"
import { type DocumentEntry, demandAbout, parseEntry } from "./entry.ts"
import type { RunEvidence } from "./evidence.ts"
import { firstEntry } from "./firstEntry.ts"
import { demandUnder, type LoggedDocument, type LoggedRun } from "./observed.ts"
import type { RanLeaf } from "./runLeaf.ts"
import { parseSchedule, type Schedule, scheduleKind, scheduleSubject } from "./schedule.ts"
import { minute } from "./time.ts"

const name = "schedule"

/** A service that comes back may run what is overdue before it enters the day's schedule, in milliseconds. */
export const comingBack = 15 * minute

/** The day whose schedule a run belongs to. */
export const scheduledDay = ({ began, due }: Pick<RanLeaf, "began" | "due">): string =>
  new Date(due ?? began).toISOString().slice(0, 10)

const isDue = ({ feeds }: Schedule, { due, plugin }: RanLeaf): boolean => {
  const feed = feeds.find((one) => one.plugin === plugin)
  if (feed === undefined || due === undefined) return false
  const since = Date.parse(due) - Date.parse(feed.first)
  return since >= 0 && since % (feed.every * 1000) === 0
}

/** The schedule of the run's day, if the log has it. Throws `Malformed`. */
const readSchedule = (
  { document, log }: LoggedDocument,
  { run }: LoggedRun,
  checkpoint: Checkpoint
): { readonly schedule: Schedule; readonly entry: DocumentEntry } => {
  const schedule = parseSchedule(document)
  demandUnder(log, checkpoint, "the schedule")
  const entry = parseEntry(log.entry)
  demandAbout(
    entry,
    { kind: scheduleKind, subject: scheduleSubject(schedule), simulated: schedule.simulated, text: document },
    "the schedule"
  )
  const day = scheduledDay(run)
  demand(
    schedule.day === day,
    `the schedule is of ${schedule.day}, and the run ${run.run} of ${day}`,
    "contradiction"
  )
  return { schedule, entry }
}

const judge = (
  { entry, schedule }: ReturnType<typeof readSchedule>,
  { run }: LoggedRun
): Check<typeof name> => {
  const { day, n } = schedule
  const after = Date.parse(entry.recorded_at) - Date.parse(run.began)
  if (after > 0) {
    const late = `the schedule of ${day} was entered at ${entry.recorded_at}, after the run ${run.run} had begun at ${run.began}`
    return n === 1 || after <= comingBack
      ? notChecked(
          name,
          `${late}${n === 1 ? ": it is the first of this log" : ", when the service came back"}`
        )
      : notProved(name, late, "time")
  }
  return isDue(schedule, run)
    ? {
        name,
        ok: true,
        detail: `run ${run.run} was due at ${run.due}, as the schedule of ${day} said at ${entry.recorded_at}`
      }
    : notChecked(
        name,
        `run ${run.run} is beside the schedule of ${day}; \`${verifier} monitor\` counts such runs, and says when there are too many to believe`
      )
}

/** What is said of a run without the schedule of its day. Throws `Malformed`. */
const without = (
  { first_schedule }: RunEvidence,
  { hour, index, run }: LoggedRun,
  checkpoint: Checkpoint
): Check<typeof name> => {
  const first = first_schedule === undefined ? undefined : firstEntry("schedules", first_schedule, checkpoint)
  if (hour.schedule === undefined) {
    demand(
      first === undefined || first.index > index,
      `the hour ${hour.hour} says that the log had no schedule, and it had one in entry ${first?.index}`,
      "contradiction"
    )
    return notChecked(name, `the log had none by then, as its document of the hour ${hour.hour} says`)
  }
  if (first !== undefined && Date.parse(first.entry.recorded_at) > Date.parse(run.began))
    return notChecked(name, `the first schedule of this log was entered at ${first.entry.recorded_at}`)
  return notProved(
    name,
    `the schedule of ${scheduledDay(run)} is not here, and the log had schedules by then; \`${verifier} bundle <file> --url <service>\` fetches it where the service has it`
  )
}

/** Whether the run was due. */
export const checkSchedule = (
  evidence: RunEvidence,
  logged: LoggedRun,
  checkpoint: Checkpoint
): Check<typeof name> => {
  const { run } = logged
  if (run.simulated === true) return notChecked(name, "a replay has none")
  if (run.rederives !== undefined)
    return notChecked(
      name,
      `run ${run.run} derived the run ${run.rederives} again, which no schedule asks for`
    )
  try {
    return evidence.schedule === undefined
      ? without(evidence, logged, checkpoint)
      : judge(readSchedule(evidence.schedule, logged, checkpoint), logged)
  } catch (error) {
    if (error instanceof Malformed) return refused(name, error)
    throw error
  }
}
