/** Days with an overdue close, for probes: checked in the background, read from memory. */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../clock/DataClock.ts"
import { refreshed } from "../readings/read/refreshed.ts"
import { DailyClose, isOverdue } from "./DailyClose.ts"

export class Overdue extends Context.Service<
  Overdue,
  {
    /** Oldest first, as of at most a minute ago. */
    readonly days: Effect.Effect<ReadonlyArray<string>>
    /** Checks again now. */
    readonly refresh: Effect.Effect<void, SqlError>
  }
>()("core/log/Overdue") {
  static readonly layer = Layer.effect(
    Overdue,
    Effect.gen(function* () {
      const { due } = yield* DailyClose
      let days: ReadonlyArray<string> = []
      const { refresh } = yield* refreshed(
        "overdue close check",
        "1 minute",
        Effect.gen(function* () {
          const now = yield* DataClock.now
          days = (yield* due).filter((day) => isOverdue(day, now))
        })
      )
      return Overdue.of({ days: Effect.sync(() => days), refresh })
    })
  )
}
