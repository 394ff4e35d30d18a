/** Entries that come every hour or day, whose heads the next one dates. */
import { isBatch, type LogEntry } from "./entry.ts"
import { originKind } from "./origin.ts"
import { runsKind } from "./runs.ts"
import { scheduleKind } from "./schedule.ts"

/** True for an entry of runs, of where values are from, or of schedules: a head over nothing else is stamped with the next one, and not by itself. */
export const isGathered = (entry: LogEntry): boolean =>
  !isBatch(entry) && (entry.kind === originKind || entry.kind === runsKind || entry.kind === scheduleKind)
