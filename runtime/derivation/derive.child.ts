/**
 * Derives the rows of one exported run again: started in the folder of an export, with the permission to read that
 * folder and the dependencies, and nothing else. Prints the rows as JSON on its last line.
 */
import { readFileSync } from "node:fs"
import module from "node:module"
import { Effect, Layer } from "effect"

const folder = new URL("../../", import.meta.url)
const read = (path: string) => readFileSync(new URL(path, folder))

// The permission model of Node 24 does not know the network: a collector has no way to it but these.
for (const name of ["fetch", "WebSocket", "EventSource"]) Reflect.deleteProperty(globalThis, name)
const isCollectors = (parent: string | undefined) =>
  ["core/", "plugins/"].some((room) => parent?.startsWith(new URL(room, folder).href) === true)
Reflect.deleteProperty(process, "getBuiltinModule")
module.registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context)
    if (resolved.url.startsWith("node:") && isCollectors(context.parentURL)) {
      throw new Error(`${context.parentURL} imports ${specifier}, which collectors must not import`)
    }
    return resolved
  }
})

const { make } = (await import("../upstream/replay.ts")) as typeof import("../upstream/replay.ts")
const { Upstream } = (await import(
  "../../core/plugin/Upstream.ts"
)) as typeof import("../../core/plugin/Upstream.ts")
const { byName } = (await import("../../core/plugin/Value.ts")) as typeof import("../../core/plugin/Value.ts")

const run = JSON.parse(read("run.json").toString("utf8")) as typeof import("./export.ts").Exported.Type

const tape = {
  now: Date.parse(run.now),
  targets: JSON.parse(read(`bodies/${run.targets_sha256}`).toString("utf8")),
  settings: run.settings,
  exchanges: run.exchanges.map(({ at, confirmed, headers, method, request_body, sha256, status, url }) => ({
    request: { method, url, ...(request_body === undefined ? {} : { body: request_body }) },
    at: Date.parse(at),
    status,
    headers,
    sha256,
    body: new Uint8Array(read(`bodies/${sha256}`)),
    confirmed
  }))
}

const { default: plugin } = (await import(new URL(`plugins/${run.plugin}/index.ts`, folder).href)) as {
  default: import("../../core/plugin/Plugin.ts").Plugin
}

const outcome = await Effect.runPromise(
  plugin.collect.pipe(
    Effect.provide(Layer.sync(Upstream, () => make(tape))),
    Effect.match({
      onFailure: (error) => ({ error: { tag: error._tag, message: error.message } }),
      onSuccess: ({ observations, refused }) => ({ observations: [...observations].sort(byName), refused })
    }),
    Effect.catchDefect((defect) => Effect.succeed({ error: { tag: "Defect", message: String(defect) } }))
  )
)
process.stdout.write(`\n${JSON.stringify(outcome)}\n`)
