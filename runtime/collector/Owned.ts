/** What a collector is told of a feed that its process owns. */
import type { RunState } from "./RunState.ts"

export interface Owned {
  readonly plugin: string
  /** The number of this ownership; absent where one process has the database to itself. */
  readonly epoch?: number
  /** The id of its last stored run. */
  readonly lastRun?: string
  /** Where its last owner left it. */
  readonly before?: RunState
}
