/**
 * Runs the code of a plugin from elsewhere in a process of its own, which reads its folder, writes nothing and starts nothing, and which
 * ends with the run. Node closes files to it, processes, threads and native code; it does not close the network, so that whoever names
 * such a plugin trusts its code. What it is to read, the service fetches for it: those requests are exchanges of the run, and others are
 * in no row that can be derived again.
 */
import { spawn } from "node:child_process"
import { realpathSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Effect, Option, Queue } from "effect"
import { type Declared, refusalOf, symbolsOf } from "../../core/plugin/Manifest.ts"
import type { Collected, Plugin, Refusal } from "../../core/plugin/Plugin.ts"
import { type Request, Upstream } from "../../core/plugin/Upstream.ts"
import type { Observation } from "../../core/plugin/Value.ts"
import { guarded } from "../../core/process/guarded.ts"
import { typescriptFlags } from "../../core/process/typescriptFlags.ts"
import { type FromChild, messageIn, type ToChild } from "./childMessages.ts"
import { partsOf } from "./folder.ts"
import { runLimits } from "./runLimits.ts"

/** MiB of its heap. */
const heap = 256
/** The longest line that it may write, and the most bytes together: rows of a whole run are less. */
const longest = 2 ** 20
const mostBytes = 32 * 2 ** 20
/** The most requests that it may have open. */
const mostOpen = 100

/** Why the run of its code ended; the tag is that of the run's error. */
class ChildEnded extends Error {
  readonly _tag: string
  constructor(tag: string, message: string) {
    super(message)
    this._tag = tag
  }
}

/** Where a file really is: what may be read is compared with that. */
const placeOf = (path: string): string => realpathSync(fileURLToPath(new URL(path, import.meta.url)))

/** What its process is made of. */
const readable = (): ReadonlyArray<string> => [
  ...[
    "elsewhere.child.ts",
    "childMessages.ts",
    "ownModules.ts",
    "../typescript.js",
    "../../package.json",
    "../../core/plugin/"
  ].map(placeOf),
  ...["effect", "@rgrove/parse-xml"].map((name) =>
    realpathSync(
      fileURLToPath(import.meta.resolve(name)).replace(/^(.*\/node_modules\/(@[^/]+\/)?[^/]+\/).*$/, "$1")
    )
  )
]

/** Hosts of the manifest, and of the addresses that the operator set. */
const hostsOf = ({ hosts }: Declared, settings: Readonly<Record<string, string>>): ReadonlySet<string> =>
  new Set([...hosts, ...Object.values(settings).flatMap((value) => URL.parse(value)?.host ?? [])])

type ChildEvent = FromChild | { readonly type: "ended"; readonly tag: string; readonly message: string }

/** Starts the process, and ends it with the scope. What it says is in the queue. */
const started = Effect.fnUntraced(function* (folder: URL) {
  const events = yield* Queue.unbounded<ChildEvent>()
  const place = fileURLToPath(folder)
  // biome-ignore lint/plugin/promise: a folder that is gone is a defect of the run
  const parts = yield* Effect.promise(() => partsOf(place))
  const end = (tag: string, message: string): void => {
    Queue.offerUnsafe(events, { type: "ended", tag, message })
  }
  const running = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const started = spawn(
        process.execPath,
        [
          "--permission",
          ...[...parts, ...readable()].map((path) => `--allow-fs-read=${path}`),
          `--max-old-space-size=${heap}`,
          "--no-warnings",
          ...typescriptFlags,
          placeOf("elsewhere.child.ts")
        ],
        { cwd: place, env: {}, stdio: ["pipe", "ignore", "pipe", "pipe"] }
      )
      return started
    }),
    (running) => Effect.sync(() => running.kill("SIGKILL"))
  )
  const [, , stderr, out] = running.stdio
  let stderrText = ""
  stderr?.on(
    "data",
    guarded("what a plugin's process says", (part: Buffer) => {
      stderrText = `${stderrText}${part.toString("utf8")}`.slice(-2000)
    })
  )
  let rest = Buffer.alloc(0)
  let bytes = 0
  out?.on(
    "data",
    guarded("what a plugin's process says", (part: Buffer) => {
      bytes += part.length
      rest = Buffer.concat([rest, part])
      for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
        const message = messageIn(rest.subarray(0, at).toString("utf8"))
        if (Option.isSome(message)) Queue.offerUnsafe(events, message.value)
        else end("RunNonsense", "its code sent what is no message")
        rest = rest.subarray(at + 1)
      }
      if (rest.length <= longest && bytes <= mostBytes) return
      running.kill("SIGKILL")
      out.destroy()
      end("RunFlooded", `its code sent more than ${rest.length > longest ? longest : mostBytes} bytes`)
    })
  )
  for (const stream of [running.stdin, stderr, out]) stream?.on("error", () => {})
  running.on(
    "error",
    guarded("a plugin's process", ({ message }: Error) =>
      end("Defect", `its process did not start: ${message}`)
    )
  )
  running.on(
    "close",
    guarded("a plugin's process", (code: number | null, signal: string | null) =>
      end("Defect", `its process ended with ${signal ?? code}: ${reasonIn(stderrText)}`)
    )
  )
  return {
    events,
    tell: (message: ToChild): void => void running.stdin?.write(`${JSON.stringify(message)}\n`)
  }
})

/** The line of a stack that says what went wrong. */
const reasonIn = (stderrText: string): string =>
  stderrText.split("\n").find((line) => /Error|FATAL|heap/.test(line)) ?? stderrText.trim().slice(-300)

/** `collect` of a plugin whose code is in a folder. */
export const inChild = (
  declared: Declared & { readonly owner: string },
  folder: URL,
  entry: URL
): Plugin["collect"] =>
  Effect.gen(function* () {
    const upstream = yield* Upstream
    const { now, settings, targets } = upstream
    const hosts = hostsOf(declared, settings)
    const symbols = symbolsOf(declared, targets)
    const { events, tell } = yield* started(folder)
    tell({
      type: "begin",
      folder: folder.href,
      entry: entry.href,
      manifest: declared,
      now,
      targets,
      settings
    })
    const observations: Array<Observation> = []
    const refused: Array<Refusal> = []
    let open = 0

    const answer = Effect.fnUntraced(function* (n: number, request: Request) {
      const reply = yield* Effect.match(upstream.exchange(request), {
        onFailure: ({ detail, request }): ToChild => ({ type: "unreachable", n, request, detail }),
        onSuccess: ({ body, request: _, ...exchange }): ToChild => ({
          type: "answer",
          n,
          exchange,
          body: Buffer.from(body).toString("base64")
        })
      })
      open--
      tell(reply)
    })

    const take = Effect.fnUntraced(function* (message: ChildEvent) {
      switch (message.type) {
        case "ended":
          return yield* Effect.fail(new ChildEnded(message.tag, message.message))
        case "failed":
          return yield* Effect.fail(new ChildEnded(message.tag.slice(0, 100), message.message))
        case "request": {
          const host = URL.parse(message.request.url)?.host ?? message.request.url.slice(0, 100)
          if (!hosts.has(host))
            return yield* Effect.fail(
              new ChildEnded("RunForbidden", `its code asked ${host}, which is not one of its hosts`)
            )
          open++
          if (open > mostOpen)
            return yield* Effect.fail(new ChildEnded("RunFlooded", `more than ${mostOpen} requests at once`))
          yield* Effect.forkScoped(answer(message.n, message.request))
          return undefined
        }
        case "rows": {
          for (const row of message.observations) {
            const reason = refusalOf(declared, symbols, row)
            if (reason !== undefined)
              return yield* Effect.fail(
                new ChildEnded(
                  "RunForbidden",
                  `its code gave ${row.symbol} ${row.metric} of ${row.source}: ${reason}`
                )
              )
          }
          observations.push(...message.observations)
          refused.push(...message.refused)
          if (observations.length > runLimits.rows)
            return yield* Effect.fail(new ChildEnded("RunFlooded", `more than ${runLimits.rows} rows`))
          return undefined
        }
        case "done":
          return { observations, refused } satisfies Collected
      }
    })

    for (;;) {
      const collected = yield* take(yield* Queue.take(events))
      if (collected !== undefined) return collected
    }
  }).pipe(
    Effect.scoped,
    // The run says the tag of what failed, whatever it is (`run.ts`).
    (collect) => collect as unknown as Plugin["collect"]
  )
