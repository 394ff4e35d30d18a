/** What happens at the moments of the demo's past: days close, and an operator acts. */
import { Clock, Effect, Queue, References } from "effect"
import * as DataClock from "../../core/data/DataClock.ts"
import { Incidents } from "../../core/data/ingest/Incidents.ts"
import { inBackground } from "../../core/data/loop.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Demo } from "./Demo.ts"
import { standing } from "./produce.ts"
import { cutOffOf, days, incident } from "./story.ts"

/** Told of each closed day: its place among all of them. */
export type OnClosed = (day: string, n: number, of: number) => Effect.Effect<void>

/** Makes the moments of the past happen as the demo reaches them; each sees the data clock stand at its time. */
export const happen = Effect.fn("Demo.happen")(function* (onClosed: OnClosed) {
  const { moments } = yield* Demo
  const incidents = yield* Incidents
  const dailyClose = yield* DailyClose

  // A demo that was killed in its past plays it again: an incident of the first time is not opened twice.
  const known = Effect.map(incidents.list(false, 1000), (all) =>
    all.find(({ reason }) => reason === incident.reason)
  )
  const open = Effect.gen(function* () {
    if ((yield* known) === undefined) yield* incidents.open(incident.range, incident.reason)
  })
  const close = Effect.gen(function* () {
    const opened = yield* known
    if (opened !== undefined && opened.closed_at === null) yield* incidents.close(opened.id, incident.note)
  })
  /** Time stands still for it, so that each demo records the same. */
  const acting = <E>(act: Effect.Effect<void, E>, at: number) =>
    Effect.flatMap(Clock.Clock, (outside) =>
      act.pipe(
        Effect.provideService(Clock.Clock, standing(outside, at)),
        Effect.provideService(DataClock.offset, 0)
      )
    ).pipe(Effect.orDie)
  const seal = (day: string, n: number) => Effect.andThen(dailyClose.run, onClosed(day, n, days.length))

  const happenings: ReadonlyMap<number, Effect.Effect<void>> = new Map([
    [incident.opened, acting(open, incident.opened)],
    [incident.closed, acting(close, incident.closed)],
    ...days.map((day, n) => [cutOffOf(day), Effect.orDie(seal(day, n + 1))] as const)
  ])

  yield* inBackground(
    "the demo's past",
    { afterFailure: "1 second" },
    Effect.gen(function* () {
      const { at, reached } = yield* Queue.take(moments)
      const wall = yield* Clock.currentTimeMillis
      yield* (happenings.get(at) ?? Effect.void).pipe(
        Effect.provideService(DataClock.offset, at - wall),
        // `onClosed` tells of the days.
        Effect.provideService(References.MinimumLogLevel, "Warn"),
        Effect.ensuring(Effect.sync(reached))
      )
    })
  )
})
