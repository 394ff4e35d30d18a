/** What `/readyz` says of a process that lost its lock. */
import { Effect, Layer } from "effect"
import { ProcessState } from "../../core/data/ProcessState.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { ServiceLock } from "./ServiceLock.ts"

export const lockState = Layer.effect(
  ProcessState,
  Effect.map(ServiceLock, ({ lostSince }) => ({
    isStopping: () => false,
    warnings: Effect.sync(() => {
      const since = lostSince()
      return since === undefined
        ? []
        : [
            {
              code: "lock_lost" as const,
              message: `This process has collected nothing since ${isoTime(since)}, when it lost its lock on the database.`
            }
          ]
    })
  }))
)
