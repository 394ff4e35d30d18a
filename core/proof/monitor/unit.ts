/** What the check of one entry gives. */
import type { LogEntry } from "../entry.ts"
import type { RowLeaf } from "../leaf.ts"
import type { Finding } from "./finding.ts"
import type { State } from "./state.ts"

/** What the entries so far say; a unit adds to it. */
export type Progress = Pick<State, "day" | "earlier" | "events" | "incidents" | "record" | "revision">

export interface Unit {
  readonly findings: ReadonlyArray<Finding>
  readonly progress: Progress
  readonly entry?: LogEntry
  /** The row leaves of a batch, in order. */
  readonly rows?: ReadonlyArray<RowLeaf>
  /** True if the findings are about the batch before too: both must be looked at again. */
  readonly reopens?: boolean
}
