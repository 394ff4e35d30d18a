/** Entries that come every hour, whose heads the next one dates. */
import { isBatch, type LogEntry } from "./entry.ts"
import { runsKind } from "./runs.ts"
import { scheduleKind } from "./schedule.ts"

/** True for an entry of runs or schedules: a head over nothing else is stamped with the next one, and not by itself. */
export const isGathered = (entry: LogEntry): boolean =>
  !isBatch(entry) && (entry.kind === runsKind || entry.kind === scheduleKind)
