/** All open streams of this process: who may open how many, what keeps them alive, and how they end. */
import { Clock, Context, Effect, Latch, Layer, Semaphore } from "effect"
import { LimitSettings } from "../../core/credits/Limits.ts"
import { tiers } from "../../core/credits/tiers.ts"
import { EventFeed, type EventFilter } from "../../core/events/EventFeed.ts"
import { sampleOfNetworks } from "../../core/events/read/filter.ts"
import { hour } from "../../core/plugin/time.ts"
import { inBackground } from "../../core/process/loop.ts"
import { ProcessState } from "../../core/process/ProcessState.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { Versions } from "../../core/readings/read/Versions.ts"
import type { AccountTier } from "../../core/wire/credits/tiers.ts"
import { TooManyRequests, Unavailable } from "../../core/wire/problems/service.ts"
import * as frames from "./frames.ts"
import { Listener, type Sink, type Source } from "./Listener.ts"

/** How often a stream says that it is alive. */
export const heartbeatEvery = "15 seconds"

/** How long a stream may last, in milliseconds. */
const longest = hour

/** Streams of one process. */
const mostStreams = 10_000

/** Older events that are read from SQL at once, and for how many streams at a time. */
const readAtOnce = 200
const readers = 4

/** Over how long the clients of a process that stops come back, in milliseconds. */
const spread = 5000

/** Who opens a stream. */
export interface Opener {
  /** An account with a subscription, or a network. */
  readonly name: string
  readonly tier: AccountTier
}

/** A stream that was granted and not opened yet. */
export interface Granted {
  /** Begins to write to this connection. */
  readonly open: (sink: Sink, begin: Beginning) => Listener
  /** Gives the place back: the client is gone, or never came. */
  readonly release: () => void
}

export interface Beginning {
  /** The last event that the client has. */
  readonly after: number
  readonly filter: EventFilter
  /** True if values are shown of the sample alone. */
  readonly sampled: boolean
  /** What the client gets first. */
  readonly first: ReadonlyArray<Uint8Array>
}

export class Streams extends Context.Service<
  Streams,
  {
    /** Takes one of the places that the opener has. */
    readonly grant: (opener: Opener) => Effect.Effect<Granted, TooManyRequests | Unavailable>
    /** Tells every client to connect again, and refuses new ones from now on. */
    readonly stop: Effect.Effect<void>
    readonly size: () => number
  }
>()("http/stream/Streams") {
  static readonly layer = Layer.effect(
    Streams,
    Effect.gen(function* () {
      const feed = yield* EventFeed
      const settings = yield* LimitSettings
      const { stopping } = yield* ProcessState
      const clock = yield* Clock.Clock
      const reading = yield* Semaphore.make(readers)
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      const now = () => clock.currentTimeMillisUnsafe()
      const current = yield* Current
      const versions = yield* Versions
      /** The networks whose values are shown without a subscription. */
      const sampleNow = sampleOfNetworks.pipe(
        Effect.provideService(Current, current),
        Effect.provideService(Versions, versions)
      )
      let sample = yield* sampleNow
      const open = new Set<Listener>()
      /** Open while anybody listens. */
      const hasListeners = yield* Latch.make()
      const countByName = new Map<string, number>()
      let granted = 0
      let isStopped = false

      const source: Source = {
        newest: feed.newest,
        remembered: feed.remembered,
        read: (after, done, failed) =>
          void fork(
            feed.read(after, readAtOnce).pipe(
              reading.withPermits(1),
              Effect.matchCauseEffect({
                onSuccess: (events) => Effect.sync(() => done(events)),
                onFailure: (cause) =>
                  Effect.andThen(
                    Effect.logError("cannot read events for a stream", cause),
                    Effect.sync(failed)
                  )
              })
            )
          )
      }

      const most = (tier: AccountTier) => (settings.perMinute === null ? mostStreams : tiers[tier].streams)

      const release = (name: string): void => {
        granted--
        const left = (countByName.get(name) ?? 1) - 1
        if (left === 0) countByName.delete(name)
        else countByName.set(name, left)
      }

      const grant = Effect.fnUntraced(function* ({ name, tier }: Opener) {
        if (isStopped || granted >= mostStreams) {
          return yield* new Unavailable({
            message: isStopped
              ? "This process is stopping. Connect again in a moment."
              : "This process has as many open streams as it can hold. Try again later, or poll /v1/events."
          })
        }
        const has = countByName.get(name) ?? 0
        if (has >= most(tier)) {
          const retry_after = 60
          return yield* new TooManyRequests({
            message: `You have ${has} open streams, as many as the ${tiers[tier].title} tier includes. Close one, or poll /v1/events.`,
            retry_after
          })
        }
        if (open.size === 0) sample = yield* sampleNow
        countByName.set(name, has + 1)
        granted++
        let isHeld = true
        let listener: Listener | undefined
        return {
          open: (sink, { after, filter, first, sampled }) => {
            const eventFilter = sampled ? () => ({ ...filter, sample }) : () => filter
            listener = new Listener({ sink, source, filter: eventFilter, after, now })
            open.add(listener)
            hasListeners.openUnsafe()
            for (const bytes of first) listener.say(bytes)
            listener.pump()
            if (isStopped) listener.end("stopping", 1000)
            return listener
          },
          release: () => {
            if (!isHeld) return
            isHeld = false
            release(name)
            if (listener === undefined) return
            open.delete(listener)
            if (open.size === 0) hasListeners.closeUnsafe()
            listener.gone()
          }
        } satisfies Granted
      })

      const pumpAll = () => {
        for (const listener of open) listener.pump()
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => feed.listen(pumpAll)),
        (unlisten) => Effect.sync(unlisten)
      )

      const beat = Effect.gen(function* () {
        sample = yield* sampleNow
        const shared = frames.heartbeat(feed.newest())
        for (const listener of open) listener.beat(shared, longest)
      })
      yield* inBackground(
        "the heartbeat of streams",
        { afterFailure: heartbeatEvery },
        hasListeners.await.pipe(Effect.andThen(Effect.sleep(heartbeatEvery)), Effect.andThen(beat))
      )

      const stop = Effect.sync(() => {
        isStopped = true
        let n = 0
        // Not all at once: another process has to take them.
        for (const listener of open) listener.end("stopping", 500 + ((n++ * 97) % spread))
      })
      yield* Effect.forkScoped(Effect.andThen(stopping, stop))

      return Streams.of({ grant, stop, size: () => open.size })
    })
  )
}
