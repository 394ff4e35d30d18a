/** The demo's thread: runs every plugin over the tape, the last readings first, to be shown at once; then the past in its order. */
import { randomBytes } from "node:crypto"
import { parentPort, workerData } from "node:worker_threads"
import { Cause, Clock, Config, Effect, identity, Layer, Logger, Option, Result, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { isoTime } from "../../core/plugin/Value.ts"
import { loop } from "../../core/process/loop.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import type { FeedState } from "../../core/wire/data/feedState.ts"
import { handOver } from "../collector/handOver.ts"
import { portable } from "../collector/load.ts"
import * as Plugins from "../collector/plugins.ts"
import { allRefused } from "../collector/refusalMessage.ts"
import { putSync } from "../database/bodyFile.ts"
import { reportThread } from "../metrics/threads.ts"
import { lastReading, nextReading, start } from "../tape/instants.ts"
import { timeOn } from "../tape/tape.ts"
import { type Player, player } from "./players.ts"
import { produce, runId } from "./produce.ts"
import type { Begin, FromThread, ThreadData } from "./protocol.ts"
import { type Reading, timeline } from "./timeline.ts"

if (parentPort === null) throw new Error("demo.thread.ts runs as a worker thread")
const port = parentPort
reportThread("demo")
const { isNew } = workerData as ThreadData
const begun = new Promise<Begin>((resolve) => port.once("message", resolve))

const outside = Layer.succeed(
  SecureRandom.SecureRandom,
  SecureRandom.make((size) => randomBytes(size))
)

/** The reading that a player made last at that time. */
const lastOf = (player: Player, now: number): Reading => {
  const at = timeOn(player.reel, lastReading(player.plugin.manifest, now))
  return { player, at, payloadTime: at }
}

// What does not depend on the message is loaded, and made, before it comes.
// A contributor sees one plugin alone (`plugin dev`), which need not be enabled.
const { early, deliveries, isAlone, plugins } = await Effect.runPromise(
  Effect.gen(function* () {
    const only = yield* Effect.orDie(Config.option(Config.NonEmptyString("DEMO_PLUGIN")))
    const plugins = Option.isSome(only) ? [yield* Plugins.load(only.value)] : yield* Plugins.all()
    const played = plugins.filter(({ manifest }) => manifest.disabled === undefined)
    const early = new Map(
      yield* Effect.forEach(played, (plugin) =>
        Effect.map(Effect.result(player(plugin)), (result) => [plugin.manifest.id, result] as const)
      )
    )
    const deliveries = new Map<string, Delivery>()
    for (const result of isNew ? early.values() : []) {
      if (Result.isFailure(result)) continue
      const { at, player } = lastOf(result.success, start)
      const delivery = yield* produce(player, at)
      deliveries.set(delivery.run.id, delivery)
    }
    return { early, deliveries, isAlone: Option.isSome(only), plugins }
  }).pipe(Effect.provide(outside))
)
const data = await begun

const post = (message: FromThread) => port.postMessage(message)
const deliver = handOver(port, data.ahead)

const dataNow = Effect.map(Clock.currentTimeMillis, (wall) => wall + data.offset)

const states = new Map<string, FeedState>()

const tell = (state: FeedState) => {
  states.set(state.plugin, state)
  post({ type: "state", state })
}

const fresh = (plugin: string, more: Pick<FeedState, "state" | "reason" | "next_run">): FeedState => ({
  plugin,
  last_started: null,
  last_success: null,
  last_failure: null,
  last_error: null,
  runs: 0,
  failures: 0,
  ...more
})

const hand = Effect.fnUntraced(function* ({ manifest }: Player["plugin"], at: number, delivery: Delivery) {
  yield* deliver(delivery)
  const { reason, ...before } =
    states.get(manifest.id) ?? fresh(manifest.id, { state: "waiting", next_run: null })
  const time = isoTime(at)
  const { error } = delivery.run
  const wrong = error === undefined ? allRefused(delivery.run) : `${error.tag}: ${error.message}`
  // The last readings come before the past: only what is newer than what is known moves the state.
  const isAfter = (last: string | null): boolean => last === null || last < time
  const newer = isAfter(before.last_started)
  tell({
    ...before,
    next_run: isoTime(nextReading(manifest, yield* dataNow)),
    runs: before.runs + 1,
    failures: before.failures + (wrong === undefined ? 0 : 1),
    ...(newer ? { last_started: time } : reason === undefined ? {} : { reason }),
    ...(newer && wrong === undefined ? { state: "waiting" } : {}),
    ...(newer && wrong !== undefined
      ? { state: error === undefined ? "refusing" : "failing", reason: wrong }
      : {}),
    // A feed that fails now succeeded, or failed in another way, in the past.
    ...(wrong === undefined && isAfter(before.last_success) ? { last_success: time } : {}),
    ...(wrong !== undefined && isAfter(before.last_failure) ? { last_failure: time, last_error: wrong } : {})
  })
})

/** Makes a reading, unless it is made. */
const make = ({ at, player, payloadTime }: Reading) =>
  Effect.suspend(() => {
    const id = runId(player.plugin.manifest.id, at)
    const delivery = deliveries.get(id)
    // Its bodies are moved to the main thread, so it can be handed over once.
    deliveries.delete(id)
    return delivery === undefined ? produce(player, at, payloadTime) : Effect.succeed(delivery)
  })

/**
 * The delivery without the bodies that are stored here. Those that cannot be stored go with it: the main thread retries,
 * and says what is wrong.
 */
const withStored = (delivery: Delivery): Delivery => {
  const { bodiesFolder } = data
  if (bodiesFolder === undefined) return delivery
  const left = new Map(delivery.bodies)
  for (const [sha256, body] of delivery.bodies) {
    try {
      putSync(bodiesFolder, sha256, body)
      left.delete(sha256)
    } catch {
      break
    }
  }
  return { ...delivery, bodies: left }
}

/** Plays readings, and the moments between them. All are handed over in their order, as `prepared`. */
const play = (
  steps: Stream.Stream<number | Reading>,
  prepared: (delivery: Delivery) => Delivery = identity
) =>
  steps.pipe(
    Stream.mapEffect(
      (next) =>
        typeof next === "number"
          ? Effect.succeed(Effect.sync(() => post({ type: "moment", at: next })))
          : Effect.map(make(next), (delivery) => hand(next.player.plugin, next.at, prepared(delivery))),
      { concurrency: 4 }
    ),
    // As many as `deliver` has places, so none waits for one.
    Stream.mapEffect((handing) => handing, { concurrency: data.ahead }),
    Stream.runDrain
  )

const goOn = (player: Player): Effect.Effect<never, never, SecureRandom.SecureRandom> =>
  loop(
    `playing ${player.plugin.manifest.id}`,
    { afterFailure: "1 minute" },
    Effect.gen(function* () {
      const now = yield* dataNow
      const next = nextReading(player.plugin.manifest, now)
      yield* Effect.sleep(next - now)
      const at = timeOn(player.reel, next)
      yield* hand(player.plugin, at, yield* produce(player, at))
    })
  )

const logger = Logger.make(({ cause, logLevel, message }) => {
  if (logLevel !== "Error" && logLevel !== "Fatal") return
  post({ type: "trouble", message: `${String(message)}\n${Cause.pretty(cause)}` })
})

const demo = Effect.gen(function* () {
  post({ type: "loaded", manifests: plugins.map(({ manifest }) => portable(manifest)) })
  const players: Array<Player> = []
  for (const plugin of plugins) {
    const { disabled, id } = plugin.manifest
    if (disabled !== undefined && !isAlone && !data.enabled.includes(id)) {
      tell(fresh(id, { state: "disabled", reason: disabled, next_run: null }))
      continue
    }
    yield* Effect.fromResult(early.get(id) ?? (yield* Effect.result(player(plugin)))).pipe(
      Effect.map((ready) => {
        players.push(ready)
        tell(fresh(id, { state: "waiting", next_run: null }))
        return ready
      }),
      Effect.catch((error) => Effect.sync(() => post({ type: "unusable", plugin: id, why: error.message })))
    )
  }
  const now = data.skipPast ? yield* dataNow : start
  yield* play(Stream.fromIterable(players.map((player) => lastOf(player, now))))
  post({ type: "newest" })
  if (!data.skipPast) {
    yield* play(
      Stream.fromIterable(timeline(players)).pipe(
        Stream.flatMap(({ at, isMoment, readings }) =>
          Stream.fromIterable<number | Reading>(isMoment ? [at, ...readings] : readings)
        )
      ),
      withStored
    )
  }
  post({ type: "past" })
  yield* Effect.forEach(players, (player) => Effect.forkScoped(goOn(player)), { discard: true })
  return yield* Effect.never
})

Effect.runFork(Effect.scoped(demo).pipe(Effect.provide([outside, Logger.layer([logger])])))
