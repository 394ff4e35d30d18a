/** What a monitor found: something that the log, or what is served beside it, contradicts. */
import { Malformed, Newer } from "./bytes.ts"
import type { Reason } from "./reason.ts"

/** Something that is not as it must be, in words. */
export interface Difference {
  /** The kind of thing: `head`, `entry`, `tile`, `batch`, `absences`, `document`, `history`, ... */
  readonly what: string
  /** Which one, so that it can be looked at. */
  readonly where: string
  readonly expected: string
  readonly found: string
}

export interface Finding extends Difference {
  /** Why, for programs. */
  readonly reason: Reason
  /** It proves nothing and contradicts nothing, as what a newer release made: `not proved`, and no finding. */
  readonly unproved?: true
}

/** What was found where something could not be read. */
export const unread = (about: Pick<Finding, "what" | "where" | "expected">, error: Malformed): Finding => ({
  ...about,
  found: error.message,
  reason: error.reason,
  ...(error instanceof Newer ? { unproved: true } : {})
})

/** Runs a check that throws `Malformed`; returns what it found. */
export const findingOf = (
  about: Pick<Finding, "what" | "where" | "expected">,
  work: () => void
): ReadonlyArray<Finding> => {
  try {
    work()
    return []
  } catch (error) {
    if (error instanceof Malformed) return [unread(about, error)]
    throw error
  }
}

/** A file that is not there. */
export const missing = (what: string, where: string, path: string): Finding => ({
  what,
  where,
  expected: `the file ${path}`,
  found: "no such file",
  reason: "missing"
})
