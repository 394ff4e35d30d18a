/**
 * Runs the code of one plugin from elsewhere, once, in a process that may read the plugin's folder and what it is made with, and no more.
 * It talks by lines of JSON: what the collector says comes in on its input, what it says itself goes out on its fourth descriptor.
 */
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import { Effect } from "effect"
import type { Collect, Plugin as PluginType } from "../../core/plugin/Plugin.ts"
import { define } from "../../core/plugin/Plugin.ts"
import { type Exchange, Upstream, UpstreamUnreachable } from "../../core/plugin/Upstream.ts"
import type { FromChild, ToChild } from "./childMessages.ts"
import { giveModules } from "./ownModules.ts"

const say = (message: FromChild): void => {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`)
  for (let from = 0; from < bytes.length; ) from += writtenFrom(bytes, from)
}

/** A pipe that is full is written to again. */
const writtenFrom = (bytes: Buffer, from: number): number => {
  try {
    return writeSync(3, bytes, from)
  } catch (error) {
    if (Object(error).code !== "EAGAIN") throw error
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    return 0
  }
}

const waiting = new Map<number, (reply: Extract<ToChild, { type: "answer" | "unreachable" }>) => void>()
let requests = 0

const exchange: Upstream["Service"]["exchange"] = (request) =>
  Effect.callback((resume) => {
    const n = requests++
    waiting.set(n, (reply) => {
      waiting.delete(n)
      if (reply.type === "unreachable") {
        const { detail, request } = reply
        resume(Effect.fail(new UpstreamUnreachable({ request, detail })))
        return
      }
      const exchange: Exchange = {
        ...reply.exchange,
        request,
        body: new Uint8Array(Buffer.from(reply.body, "base64"))
      }
      resume(Effect.succeed(exchange))
    })
    say({ type: "request", n, request })
  })

/** So many rows go in one line. */
const atOnce = 1000

const run = Effect.fnUntraced(function* ({
  entry,
  manifest,
  now,
  settings,
  targets
}: Extract<ToChild, { type: "begin" }>) {
  const { default: collect } = yield* Effect.promise(
    () => import(entry) as Promise<{ readonly default?: unknown }>
  )
  if (typeof collect !== "function") return yield* Effect.die("its default export is not a function")
  const plugin: PluginType = define({ ...manifest, collect: collect as Collect })
  const { observations, refused } = yield* Effect.provideService(plugin.collect, Upstream, {
    now,
    targets,
    settings,
    exchange
  })
  for (let from = 0; from < observations.length; from += atOnce)
    say({ type: "rows", observations: observations.slice(from, from + atOnce), refused: [] })
  for (let from = 0; from < refused.length; from += atOnce)
    say({ type: "rows", observations: [], refused: refused.slice(from, from + atOnce) })
})

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line) as ToChild
  if (message.type !== "begin") {
    waiting.get(message.n)?.(message)
    return
  }
  giveModules(message.folder)
  void Effect.runPromise(
    run(message).pipe(
      Effect.match({
        onFailure: ({ _tag, message }): FromChild => ({ type: "failed", tag: _tag, message }),
        onSuccess: (): FromChild => ({ type: "done" })
      }),
      Effect.catchDefect((defect) =>
        Effect.succeed<FromChild>({ type: "failed", tag: "Defect", message: reasonOf(defect) })
      )
    )
  ).then((outcome) => {
    say(outcome)
    process.exit(0)
  })
})
