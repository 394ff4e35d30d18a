/** What happens at the moments of the demo's past: days close, and an operator acts. */
import { Clock, Effect, Queue, References } from "effect"
import * as DataClock from "../../core/clock/DataClock.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { LogKey } from "../../core/log/Log.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { inBackground } from "../../core/process/loop.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Demo } from "./Demo.ts"
import { stoppedClock } from "./produce.ts"
import { cutOffOf, days, incident, rotated } from "./script.ts"

/** Told of each closed day: its place among all of them. */
export type OnClosed = (day: string, n: number, of: number) => Effect.Effect<void>

/** Makes the moments of the past happen as the demo reaches them; each sees the data clock stand at its time. */
export const happen = Effect.fn("Demo.happen")(function* <E, R>({
  onClosed,
  rotateLog
}: {
  readonly onClosed: OnClosed
  /** Rotates the log's key at a time of the data clock. */
  readonly rotateLog: (at: number) => Effect.Effect<unknown, E, R>
}) {
  const { moments } = yield* Demo
  const incidents = yield* Incidents
  const dailyClose = yield* DailyClose
  const runLog = yield* RunLog
  const logKey = yield* LogKey

  // A demo that was killed in its past plays it again: what an operator did the first time is not done twice.
  const existing = Effect.map(incidents.list(false, 1000), (all) =>
    all.find(({ reason }) => reason === incident.reason)
  )
  const open = Effect.gen(function* () {
    if ((yield* existing) === undefined) yield* incidents.open(incident.range, incident.reason)
  })
  const close = Effect.gen(function* () {
    const opened = yield* existing
    if (opened !== undefined && opened.closed_at === null) yield* incidents.close(opened.id, incident.note)
  })
  const rotate = Effect.suspend(() =>
    logKey.keys().filter(({ purpose }) => purpose === "log").length > 1 ? Effect.void : rotateLog(rotated)
  )
  /** Time stands still for it, so that each demo records the same. */
  const acting = <E>(act: Effect.Effect<void, E>, at: number) =>
    Effect.flatMap(Clock.Clock, (outside) =>
      act.pipe(
        Effect.provideService(Clock.Clock, stoppedClock(outside, at)),
        Effect.provideService(DataClock.offset, 0)
      )
    ).pipe(Effect.orDie)
  const seal = (day: string, n: number) =>
    runLog.run.pipe(Effect.andThen(dailyClose.run), Effect.andThen(onClosed(day, n, days.length)))

  const happenings: ReadonlyMap<number, Effect.Effect<unknown, never, R>> = new Map([
    [rotated, Effect.orDie(rotate)],
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
