/**
 * The collector thread: fetches, hashes, compresses, decodes and derives, and hands finished runs to the main thread,
 * which none of this ever blocks.
 */
import { randomBytes } from "node:crypto"
import { flushCompileCache } from "node:module"
import { parentPort, workerData } from "node:worker_threads"
import { Clock, Context, Effect, Layer, Logger, Queue, Redacted, References } from "effect"
import { SecureRandom } from "effect/crypto"
import { clockOf } from "../../core/clock/clockOf.ts"
import { loop } from "../../core/process/loop.ts"
import { reportThread } from "../metrics/threads.ts"
import * as Notaries from "../notaries/Notaries.ts"
import { Egress } from "../upstream/Egress.ts"
import * as Live from "../upstream/live.ts"
import { charge } from "./growth.ts"
import * as Heartbeat from "./Heartbeat.ts"
import { buffersOf, handOver } from "./handOver.ts"
import * as Intrinsics from "./intrinsics.ts"
import { largeBodies } from "./largeBodies.ts"
import { hashed, load, portable } from "./load.ts"
import { naming } from "./naming.ts"
import { placesIn } from "./placesIn.ts"
import { type Begin, type FromThread, isOrder, type Order, type ThreadData } from "./protocol.ts"
import * as Supervisor from "./Supervisor.ts"

if (parentPort === null) throw new Error("collector.thread.ts runs as a worker thread")
const port = parentPort
const data = workerData as ThreadData
reportThread(data.largest === Number.POSITIVE_INFINITY ? "collector_large" : "collector")
const { heartbeat } = data
const begun = new Promise<Begin>((resolve) => port.once("message", resolve))
const orders = Effect.runSync(Queue.unbounded<Order>())
port.on("message", (message: unknown) => {
  if (isOrder(message)) Queue.offerUnsafe(orders, message)
})

/** Holds messages back until the thread is told to begin, because nothing listens before that. */
const post = (message: FromThread) => void begun.then(() => port.postMessage(message))

const intact = Intrinsics.watch()
const check = (): void => {
  if (!intact()) Heartbeat.spoil(heartbeat)
}

Heartbeat.tell(heartbeat)
// biome-ignore lint/plugin/loop: what throws here ends the thread, which is then replaced
setInterval(() => {
  check()
  charge(heartbeat)
  Heartbeat.tell(heartbeat)
}, data.beat)

const text = (value: unknown): string =>
  value instanceof Error
    ? (value.stack ?? value.message)
    : typeof value === "string"
      ? value
      : JSON.stringify(value)

const log = (level: Extract<FromThread, { type: "log" }>["level"], message: string, plugin?: string) =>
  post({ type: "log", level, message, annotations: plugin === undefined ? {} : { plugin } })

// Otherwise a plugin's stray timer or promise would end the thread, and every other plugin's run with it.
const stray = (error: unknown) =>
  log("Error", `an uncaught error in something a plugin left running: ${text(error)}`)
process.on("uncaughtException", stray)
process.on("unhandledRejection", stray)

const numbers = new Map(data.names.map((name, index) => [name, index + 1]))

const collector = Effect.gen(function* () {
  const names = data.names.filter((name) => !data.skip.includes(name))
  const folder = new URL(data.folder)
  const { broken, plugins } = yield* load(names, folder, {
    before: (name) => Heartbeat.enter(heartbeat, numbers.get(name) ?? 0),
    after: check
  })
  Heartbeat.leave(heartbeat)
  Heartbeat.finish(heartbeat)
  post({ type: "loaded", manifests: plugins.map(({ manifest }) => portable(manifest)), broken })
  // Node otherwise holds the compiled code of every module until the thread ends, and writes it only then.
  flushCompileCache()
  const supervised = yield* hashed(plugins, folder)
  // biome-ignore lint/plugin/promise: resolved by a message, never rejected
  const begin = yield* Effect.promise(() => begun)
  const own = yield* Clock.Clock
  const clock = begin.clock === undefined ? own : clockOf(begin.clock, own)
  return yield* Effect.provideService(collecting(begin, supervised), Clock.Clock, clock)
})

/** Hands over what an order to look again gave. */
const handOverLooked = (n: number, looked: Supervisor.LookedAgain | undefined): void => {
  if (looked === undefined) post({ type: "looked", n })
  else {
    const { delivery } = looked
    const message: FromThread = { type: "looked", n, run: { ...looked, places: placesIn(delivery) } }
    port.postMessage(message, [...buffersOf(delivery)])
  }
}

/** Runs what was loaded, by the clock of the context. */
const collecting = Effect.fnUntraced(function* (
  begin: Begin,
  supervised: ReadonlyArray<Supervisor.Supervised>
) {
  const outside = yield* Layer.build(
    Egress.layer({
      limits: begin.outside.limits,
      map: new Map(Object.entries(begin.outside.map).map(([host, to]) => [host, new URL(to)])),
      ...(begin.outside.contact === undefined ? {} : { contact: begin.outside.contact })
    })
  )
  const draw = Notaries.make({
    notaries: begin.notaries.all,
    egress: Context.get(outside, Egress)
  })
  let { head } = begin.notaries
  const large = largeBodies(data.largest, (plugin) => post({ type: "large", plugin }))
  const { disown, lookAgain, own } = yield* Supervisor.make({
    plugins: supervised.map((each) => ({
      ...each,
      around: naming(heartbeat, numbers.get(each.plugin.manifest.id) ?? 0)
    })),
    upstream: (run) =>
      Effect.map(Effect.provideContext(Live.make(run), outside), (live) =>
        large.upstream(run.manifest.id, live)
      ),
    notarised: (run) => draw(run, head),
    deliverNotes: (notes) => Effect.sync(() => post({ type: "notes", notes })),
    leaving: large.leaving,
    deliver: handOver(port, begin.ahead),
    keys: Object.fromEntries(Object.entries(begin.keys).map(([name, value]) => [name, Redacted.make(value)])),
    settings: begin.settings,
    enabled: new Set(begin.enabled),
    limits: begin.runLimits,
    backoff: begin.backoff,
    before: begin.before,
    earlier: begin.earlier,
    onState: (state, runState) => post({ type: "state", state, runState })
  })
  yield* own(begin.owned)
  return yield* loop(
    "an order to the collector",
    { afterFailure: "1 second" },
    Effect.gen(function* () {
      const order = yield* Queue.take(orders)
      if ("head" in order) {
        head = order.head
        return
      }
      if ("own" in order) return yield* own(order.own)
      if ("look" in order) {
        const { look, n, symbol } = order
        return yield* Effect.forkScoped(
          Effect.map(lookAgain(look, symbol), (looked) => handOverLooked(n, looked))
        )
      }
      // Others need not wait until the runs in progress are over.
      yield* Effect.forkScoped(
        Effect.andThen(
          disown(order.disown),
          Effect.sync(() => post({ type: "disowned", n: order.n }))
        )
      )
    })
  )
})

const logger = Logger.make(({ cause, fiber, logLevel, message }) => {
  const annotations = Object.entries(fiber.getRef(References.CurrentLogAnnotations))
  const parts = Array.isArray(message) ? message : [message]
  post({
    type: "log",
    level: logLevel,
    message: [...parts, ...(cause.reasons.length === 0 ? [] : [String(cause)])].map(text).join(" "),
    annotations: Object.fromEntries(annotations.map(([name, value]) => [name, text(value)]))
  })
})

Effect.runFork(
  Effect.scoped(collector).pipe(
    Effect.provide([
      Layer.succeed(
        SecureRandom.SecureRandom,
        SecureRandom.make((size) => randomBytes(size))
      ),
      Logger.layer([logger])
    ])
  )
)
