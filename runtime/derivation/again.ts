/** A plugin's code of today over the stored bodies of its runs, in a thread: its code does not hold up the service. */
import type { Refusal } from "../../core/plugin/Plugin.ts"
import type { Observation } from "../../core/plugin/Value.ts"
import { makeThread } from "../../core/process/threads/thread.ts"
import type { Tape } from "../upstream/replay.ts"

/** The bodies of a run, and whose they are. */
export interface Recorded {
  readonly plugin: string
  readonly tape: Tape
}

/** What today's code gives for them. */
export type Again =
  | { readonly observations: ReadonlyArray<Observation>; readonly refused: ReadonlyArray<Refusal> }
  | { readonly error: { readonly tag: string; readonly message: string } }

/** The thread that reads runs again, one at a time; it ends with the scope. */
export const makeAgain = makeThread<Recorded, Again>(
  new URL("again.thread.ts", import.meta.url),
  "derivations"
)
