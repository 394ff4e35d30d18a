/**
 * Whether a log had entries of a kind by a time. What lacks one that the log had by then is not proved; what is older than the first one
 * lacks nothing. An inclusion proves only that an entry is there, so documents that are demanded count themselves from 1.
 */
import { demand } from "./check.ts"
import type { Checkpoint } from "./checkpoint.ts"
import { type DocumentEntry, demandAbout, parseEntry } from "./entry.ts"
import { isDemoLog } from "./keys.ts"
import { keysKind, keysSubject, parseKeysDocument } from "./keysDocument.ts"
import { demandUnder, type LoggedDocument } from "./observed.ts"
import { parseRuns, runsKind, runsSubject } from "./runs.ts"
import { parseSchedule, scheduleKind, scheduleSubject } from "./schedule.ts"

/** The day of the first release that enters keys, runs, schedules and events: no honest log has one of an earlier day, but for a demo's. */
export const loggedFrom = "2026-11-29"

/** What is older than a kind, or not. */
export interface Dated {
  /** ISO 8601 UTC. */
  readonly at: string
  /** The day that it is of; that of its time by default. */
  readonly day?: string
  readonly simulated?: true | undefined
}

/** True if the log had no entry of a kind by then. `first` is the time of the first one, where that is proved or remembered. */
export const isBeforeFirst = (
  { at, day = at.slice(0, 10), simulated }: Dated,
  first: string | undefined
): boolean =>
  first === undefined ? simulated !== true && day < loggedFrom : Date.parse(at) < Date.parse(first)

/** A kind whose documents count themselves. */
interface Counted {
  readonly kind: string
  readonly words: string
  readonly read: (text: string) => {
    readonly n: number
    readonly subject: string
    readonly simulated: boolean | undefined
  }
}

const counted = {
  keys: {
    kind: keysKind,
    words: "the first document of keys",
    read: (text) => {
      const document = parseKeysDocument(text)
      return { n: document.n, subject: keysSubject(document), simulated: isDemoLog(document.origin) }
    }
  },
  runs: {
    kind: runsKind,
    words: "the document of the first hour",
    read: (text) => {
      const document = parseRuns(text)
      return { n: document.n, subject: runsSubject(document), simulated: document.simulated }
    }
  },
  schedules: {
    kind: scheduleKind,
    words: "the first schedule",
    read: (text) => {
      const document = parseSchedule(text)
      return { n: document.n, subject: scheduleSubject(document), simulated: document.simulated }
    }
  }
} satisfies Readonly<Record<string, Counted>>

/** The first entry of a kind in the log, and its place: its document has the number 1. Throws `Malformed`. */
export const firstEntry = (
  of: keyof typeof counted,
  { document, log }: LoggedDocument,
  checkpoint: Checkpoint
): { readonly entry: DocumentEntry; readonly index: number } => {
  const { kind, read, words }: Counted = counted[of]
  const { n, simulated, subject } = read(document)
  demandUnder(log, checkpoint, words)
  const entry = parseEntry(log.entry)
  demandAbout(entry, { kind, subject, simulated, text: document }, words)
  demand(
    n === 1,
    `the document ${subject} of kind ${kind} is number ${n}, and not the first`,
    "contradiction"
  )
  return { entry, index: log.index }
}
