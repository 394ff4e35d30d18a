/** The demo's thread: runs every plugin over the tape, the last readings first, then the past, newest first. */
import { randomBytes } from "node:crypto"
import { parentPort, workerData } from "node:worker_threads"
import { Cause, Clock, Duration, Effect, Layer, Logger } from "effect"
import { SecureRandom } from "effect/crypto"
import { loop } from "../../core/data/loop.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import type { FeedState } from "../../core/wire/data/feedState.ts"
import { handOver } from "../collector/handOver.ts"
import { portable } from "../collector/load.ts"
import * as Plugins from "../collector/plugins.ts"
import { shareOf } from "../collector/RunState.ts"
import { allRefused } from "../collector/refused.ts"
import { type Player, player } from "./cast.ts"
import { instants, lastReading, reads, restated, start } from "./instants.ts"
import { produce, runId } from "./produce.ts"
import type { FromThread, ThreadData } from "./protocol.ts"
import { timeOn } from "./tape.ts"

if (parentPort === null) throw new Error("demo.thread.ts runs as a worker thread")
const port = parentPort
const data = workerData as ThreadData

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

/** When a plugin reads next after `now`: on a grid of its cadence, so that a demo started again reads at the same times. */
const nextOf = ({ plugin: { manifest } }: Player, now: number): number => {
  const every = Duration.toMillis(manifest.every)
  const base = start + Math.floor((shareOf(manifest.id) * every) / 1000) * 1000
  return base + Math.max(0, Math.ceil((now + 1 - base) / every)) * every
}

const performed = new Set<string>()

const perform = Effect.fnUntraced(function* (player: Player, wanted: number) {
  const at = timeOn(player.reel, wanted) ?? lastReading(player.reel.base.now, start)
  const id = runId(player.plugin.manifest.id, at)
  if (performed.has(id)) return
  performed.add(id)
  const delivery = yield* produce(player, at)
  yield* deliver(delivery)
  const { plugin } = delivery.run
  const { reason, ...before } = states.get(plugin) ?? fresh(plugin, { state: "waiting", next_run: null })
  const time = isoTime(at)
  const { error } = delivery.run
  const wrong = error === undefined ? allRefused(delivery.run) : `${error.tag}: ${error.message}`
  // The past is told after the present: only what is newer than what is known moves the state.
  const newer = before.last_started === null || before.last_started < time
  tell({
    ...before,
    next_run: isoTime(nextOf(player, yield* dataNow)),
    runs: before.runs + 1,
    failures: before.failures + (wrong === undefined ? 0 : 1),
    ...(newer ? { last_started: time } : reason === undefined ? {} : { reason }),
    ...(newer && wrong === undefined ? { state: "waiting", last_success: time } : {}),
    ...(newer && wrong !== undefined
      ? {
          state: error === undefined ? "refusing" : "failing",
          reason: wrong,
          last_failure: time,
          last_error: wrong
        }
      : {})
  })
})

const goOn = (player: Player): Effect.Effect<never, never, SecureRandom.SecureRandom> =>
  loop(
    `playing ${player.plugin.manifest.id}`,
    { afterFailure: "1 minute" },
    Effect.gen(function* () {
      const now = yield* dataNow
      const next = nextOf(player, now)
      yield* Effect.sleep(next - now)
      yield* perform(player, next)
    })
  )

const logger = Logger.make(({ cause, logLevel, message }) => {
  if (logLevel !== "Error" && logLevel !== "Fatal") return
  post({ type: "trouble", message: `${String(message)}\n${Cause.pretty(cause)}` })
})

const demo = Effect.gen(function* () {
  const plugins = yield* Plugins.all()
  post({ type: "loaded", manifests: plugins.map(({ manifest }) => portable(manifest)) })
  const players: Array<Player> = []
  for (const plugin of plugins) {
    const { disabled, id } = plugin.manifest
    if (disabled !== undefined && !data.enabled.includes(id)) {
      tell(fresh(id, { state: "disabled", reason: disabled, next_run: null }))
      continue
    }
    yield* player(plugin).pipe(
      Effect.map((found) => {
        players.push(found)
        tell(fresh(id, { state: "waiting", next_run: null }))
        return found
      }),
      Effect.catch((error) => Effect.sync(() => post({ type: "unusable", plugin: id, why: error.message })))
    )
  }
  const inTurn = <A>(
    list: ReadonlyArray<A>,
    work: (item: A) => Effect.Effect<void, never, SecureRandom.SecureRandom>
  ) => Effect.forEach(list, work, { concurrency: data.ahead, discard: true })

  // Bars hold their own past and wait with the past: there is something to serve without them.
  const bars = players.filter(({ reel }) => reel.plan.bar_hours !== undefined)
  const moving = players.filter(({ reel }) => reel.plan.bar_hours === undefined)
  yield* inTurn(moving, (player) =>
    Effect.flatMap(dataNow, (now) => perform(player, lastReading(player.reel.base.now, now)))
  )
  post({ type: "newest" })
  yield* Effect.forEach(moving, (player) => Effect.forkScoped(goOn(player)))
  yield* inTurn(bars, (player) => Effect.flatMap(dataNow, (now) => perform(player, now)))
  yield* Effect.forEach(bars, (player) => Effect.forkScoped(goOn(player)))
  if (!data.skipPast) {
    for (const instant of instants) {
      yield* inTurn(
        moving.filter(({ plugin }) => reads(plugin.manifest.every, instant)),
        (player) => perform(player, instant.at)
      )
    }
    yield* inTurn(
      moving.filter(({ plugin }) => plugin.manifest.id === restated.plugin),
      (player) => Effect.flatMap(produce(player, restated.at, restated.told), deliver)
    )
  }
  post({ type: "past" })
  return yield* Effect.never
})

Effect.runFork(
  Effect.scoped(demo).pipe(
    Effect.provide([
      Layer.succeed(
        SecureRandom.SecureRandom,
        SecureRandom.make((size) => randomBytes(size))
      ),
      Logger.layer([logger])
    ])
  )
)
