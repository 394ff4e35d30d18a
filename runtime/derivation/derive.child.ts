/**
 * Derives the rows of one exported run again: started in the folder of an export, with the permission to read that
 * folder and the dependencies, and nothing else. Prints the rows as JSON on its last line.
 */
import { existsSync, readFileSync } from "node:fs"
import module from "node:module"
import { Effect, Layer } from "effect"

const folder = new URL("../../", import.meta.url)
const read = (path: string) => readFileSync(new URL(path, folder))

// The permission model of Node 24 does not know the network: a collector has no way to it but these.
for (const name of ["fetch", "WebSocket", "EventSource"]) Reflect.deleteProperty(globalThis, name)
const isCollectors = (parent: string | undefined) =>
  ["core/", "plugins/", "outside/"].some((room) => parent?.startsWith(new URL(room, folder).href) === true)
Reflect.deleteProperty(process, "getBuiltinModule")
/** What code of a plugin from elsewhere imports by name (`runtime/collector/elsewhere.child.ts`). */
const ownModule = (specifier: string): string | undefined => {
  const [, shape] = /^@plumbline\/plugin(?:\/([A-Za-z]+))?$/.exec(specifier) ?? [undefined, undefined]
  if (!specifier.startsWith("@plumbline/plugin")) return undefined
  if (shape === "effect") return "effect"
  return new URL(`core/plugin/${shape === undefined ? "index" : `shapes/${shape}`}.ts`, folder).href
}
module.registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(ownModule(specifier) ?? specifier, context)
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

type Plugin = import("../../core/plugin/Plugin.ts").Plugin

/** A plugin from elsewhere: what its `plugin.json` declares, and the code beside it, if there is any. */
const fromElsewhere = async (own: string): Promise<Plugin> => {
  const { readDeclaration } = (await import(
    "../../core/plugin/declaration.ts"
  )) as typeof import("../../core/plugin/declaration.ts")
  const { declare } = (await import(
    "../../core/plugin/shapes/declare.ts"
  )) as typeof import("../../core/plugin/shapes/declare.ts")
  const { define } = (await import(
    "../../core/plugin/Plugin.ts"
  )) as typeof import("../../core/plugin/Plugin.ts")
  const declaration = readDeclaration(read(`${own}plugin.json`).toString("utf8"))
  if (typeof declaration === "string") throw new Error(declaration)
  const { answers, declared } = declaration
  if (answers !== undefined) return declare({ ...declared, answers })
  const entry = ["index.ts", "index.js"].find((name) => existsSync(new URL(own + name, folder)))
  const { default: collect } = (await import(new URL(`${own}${entry}`, folder).href)) as {
    default: import("../../core/plugin/Plugin.ts").Collect
  }
  return define({ ...declared, collect })
}

const plugin = existsSync(new URL(`outside/${run.plugin}/plugin.json`, folder))
  ? await fromElsewhere(`outside/${run.plugin}/`)
  : ((await import(new URL(`plugins/${run.plugin}/index.ts`, folder).href)) as { default: Plugin }).default

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
