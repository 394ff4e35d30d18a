/** What `/readyz` and open connections must know of the process itself. The room that composes the service provides it. */
import { Context, Effect } from "effect"
import type { Warning } from "../wire/log/readiness.ts"

export const ProcessState = Context.Reference<{
  /** True from the moment the process was told to stop: it takes no new work, and finishes what it has. */
  readonly isStopping: () => boolean
  /** Completes at that moment. */
  readonly stopping: Effect.Effect<void>
  /** Shared work that nobody does, and why. */
  readonly warnings: Effect.Effect<ReadonlyArray<Warning>>
}>("core/process/ProcessState", {
  defaultValue: () => ({ isStopping: () => false, stopping: Effect.never, warnings: Effect.succeed([]) })
})
