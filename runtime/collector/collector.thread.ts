/**
 * The collector thread: fetches, hashes, compresses, decodes and derives, and hands finished runs to the main thread,
 * which is never kept waiting by any of it.
 */
import { randomBytes } from "node:crypto"
import { parentPort, workerData } from "node:worker_threads"
import { Context, Effect, Layer, Logger, Redacted, References } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Live from "../upstream/live.ts"
import { Outside } from "../upstream/Outside.ts"
import { handOver } from "./handOver.ts"
import { load, portable } from "./load.ts"
import type { FromThread, ThreadData } from "./protocol.ts"
import * as Slot from "./Slot.ts"
import * as Supervisor from "./Supervisor.ts"

if (parentPort === null) throw new Error("collector.thread.ts runs as a worker thread")
const port = parentPort
const data = workerData as ThreadData
const { slot } = data

const post = (message: FromThread) => port.postMessage(message)

Slot.tell(slot)
setInterval(() => Slot.tell(slot), data.beat)

const text = (value: unknown): string =>
  value instanceof Error
    ? (value.stack ?? value.message)
    : typeof value === "string"
      ? value
      : JSON.stringify(value)

const log = (level: Extract<FromThread, { type: "log" }>["level"], message: string, plugin?: string) =>
  post({ type: "log", level, message, annotations: plugin === undefined ? {} : { plugin } })

// A plugin's stray timer or promise would end the thread, and every other plugin's run with it.
const stray = (error: unknown) => log("Error", `a plugin left something behind that failed: ${text(error)}`)
process.on("uncaughtException", stray)
process.on("unhandledRejection", stray)

const collector = Effect.gen(function* () {
  const numbers = new Map(data.names.map((name, index) => [name, index + 1]))
  const wanted = data.names.filter((name) => !data.skip.includes(name))
  const { broken, plugins } = yield* load(wanted, new URL(data.folder), (name) =>
    Slot.enter(slot, numbers.get(name) ?? 0)
  )
  Slot.leave(slot)
  post({ type: "loaded", manifests: plugins.map(({ plugin }) => portable(plugin.manifest)), broken })
  const outside = yield* Outside
  yield* Supervisor.make({
    plugins: plugins.map((supervised) => ({
      ...supervised,
      around: Slot.naming(slot, numbers.get(supervised.plugin.manifest.id) ?? 0)
    })),
    upstream: (run) => Effect.provideContext(Live.make(run), Context.make(Outside, outside)),
    deliver: handOver(port, data.ahead),
    keys: Object.fromEntries(Object.entries(data.keys).map(([name, value]) => [name, Redacted.make(value)])),
    settings: data.settings,
    enabled: new Set(data.enabled),
    limits: data.runLimits,
    patience: data.patience,
    before: data.before,
    earlier: data.earlier,
    onState: (state, standing) => post({ type: "state", state, standing })
  })
  return yield* Effect.never
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
      Outside.layer({
        limits: data.outside.limits,
        map: new Map(Object.entries(data.outside.map).map(([host, to]) => [host, new URL(to)])),
        ...(data.outside.contact === undefined ? {} : { contact: data.outside.contact })
      }),
      Layer.succeed(
        SecureRandom.SecureRandom,
        SecureRandom.make((size) => randomBytes(size))
      ),
      Logger.layer([logger])
    ])
  )
)
