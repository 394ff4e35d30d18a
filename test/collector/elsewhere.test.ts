/** Plugins from elsewhere in the collector thread, with real processes for their code. */
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Queue } from "effect"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import { Collector, type Options } from "../../runtime/collector/Collector.ts"
import * as CodeHash from "../../runtime/collector/codeHash.ts"
import { pluginsNamed } from "../../runtime/collector/outside.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { dataOf, declarationOf, elsewhere, foldersOf } from "../support/elsewhere.ts"

/** A server that stands in for every upstream, and the paths that it was asked for. */
const upstream = Effect.acquireRelease(
  Effect.promise(async () => {
    const paths: Array<string> = []
    const server = createServer((request, answer) => {
      paths.push(request.url ?? "")
      answer.setHeader("content-type", "application/json")
      answer.end(request.url === "/v1" ? "7" : '{"nodes": 7}')
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    return { paths, server, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) }
  }),
  ({ server }) =>
    Effect.promise(async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    })
)

/** Starts a collector over a calm plugin of ours and those from elsewhere. */
const start = Effect.fnUntraced(function* (
  plugins: Parameters<typeof elsewhere>[0],
  options: Partial<Options> = {}
) {
  yield* elsewhere(plugins)
  const { paths, url } = yield* upstream
  const folder = new URL("threads/calm/", import.meta.url)
  const runs = yield* Queue.unbounded<Delivery>()
  const context = yield* Layer.build(
    Collector.layer({
      folder,
      deliver: (delivery) => Effect.sync(() => Queue.offerUnsafe(runs, delivery)),
      map: new Map([
        ["api.sample.test", url],
        ["other.sample.test", url]
      ]),
      backoff: { spread: 0, retry: "1 hour" },
      limits: { perSecond: 1000 },
      ...options
    })
  )
  const { manifests, own, states } = Context.get(context, Collector)
  yield* own((yield* Plugins.allNames(folder)).map((plugin) => ({ plugin })))
  const ran = (plugin: string): Effect.Effect<Delivery["run"]> =>
    Effect.flatMap(Queue.take(runs), ({ run }) => (run.plugin === plugin ? Effect.succeed(run) : ran(plugin)))
  return { paths, manifests, ran, states }
})

const reading = `import { Plugin, Upstream } from "@plumbline/plugin"
import { Schema } from "@plumbline/plugin/effect"
export default (observe) => Plugin.one(observe, "https://api.sample.test/code", Schema.Struct({ nodes: Schema.Finite }), ({ nodes }) => ({ acme_nodes: nodes }))
`

describe("a plugin from elsewhere", () => {
  it.live("that is data runs beside ours, is marked as not reviewed, and its files are its code hash", () =>
    Effect.gen(function* () {
      const { manifests, ran } = yield* start({
        acme: { "plugin.json": dataOf("acme"), "README.md": "Acme" }
      })
      const run = yield* ran("acme")
      assert.strictEqual(run.status, "ok")
      assert.deepStrictEqual(
        run.observations.map(({ metric, source, value }) => [metric, source, value]),
        [["acme_nodes", "outside_acme", 7]]
      )
      const manifest = (yield* manifests).find(({ id }) => id === "acme")
      assert.strictEqual(manifest?.reviewed, false)
      assert.isUndefined((yield* manifests).find(({ id }) => id === "calm")?.reviewed)
      const sources = [...(yield* CodeHash.own("acme")), ...(yield* CodeHash.shared)]
      assert.includeMembers(
        sources.map(({ path }) => path),
        ["outside/acme/README.md", "outside/acme/plugin.json"]
      )
      assert.strictEqual(run.code_hash, CodeHash.codeHash(sources, {}))
    }).pipe(Effect.scoped)
  )

  it.live("that has code gives its rows from a process of its own, and the run has its exchanges", () =>
    Effect.gen(function* () {
      const { ran } = yield* start({ acme: { "plugin.json": declarationOf("acme"), "index.ts": reading } })
      const run = yield* ran("acme")
      assert.deepStrictEqual(run.error, undefined)
      assert.deepStrictEqual(
        run.observations.map(({ value }) => value),
        [7]
      )
      assert.deepStrictEqual(
        run.exchanges.map(({ method, url }) => `${method} ${url}`),
        ["GET https://api.sample.test/code"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("reads its folder, and no other file; writes and starts nothing", () =>
    Effect.gen(function* () {
      const tries = `
import { readFileSync, writeFileSync } from "node:fs"
import { execFileSync } from "node:child_process"
import { Worker } from "node:worker_threads"
import { Effect } from "@plumbline/plugin/effect"
const outcome = (work) => { try { work(); return "done" } catch (error) { return error.code ?? error.message } }
const at = (name) => new URL(name, import.meta.url).pathname
export default () => Effect.die(JSON.stringify([
  outcome(() => readFileSync(at("words.txt"))),
  outcome(() => readFileSync("/etc/passwd")),
  outcome(() => readFileSync(at("node_modules/hidden.js"))),
  outcome(() => writeFileSync(at("words.txt"), "other")),
  outcome(() => execFileSync("/bin/true")),
  outcome(() => new Worker("1", { eval: true })),
  outcome(() => process.dlopen({ exports: {} }, at("native.node"))),
  Object.keys(process.env).length
]))
`
      const { ran } = yield* start({
        acme: {
          "plugin.json": declarationOf("acme"),
          "index.js": tries,
          "words.txt": "words",
          "native.node": "",
          "node_modules/hidden.js": ""
        }
      })
      const denied = "ERR_ACCESS_DENIED"
      const { error } = yield* ran("acme")
      assert.deepStrictEqual(JSON.parse(error?.message ?? ""), [
        "done",
        ...[denied, denied, denied, denied, denied],
        "ERR_DLOPEN_DISABLED",
        0
      ])
    }).pipe(Effect.scoped)
  )

  const failing = (code: string, more: object = {}) =>
    Effect.gen(function* () {
      const { paths, ran } = yield* start({
        acme: { "plugin.json": declarationOf("acme", more), "index.js": code },
        beside: { "plugin.json": dataOf("beside") }
      })
      // Ours, and data of somebody else, run meanwhile.
      const besides = yield* ran("beside")
      assert.strictEqual(besides.status, "ok")
      const { error, observations, status } = yield* ran("acme")
      assert.strictEqual(status, "failed")
      assert.deepStrictEqual(observations, [])
      return { paths, error }
    }).pipe(Effect.scoped)

  it.live("that writes a series which is not its own is ended with the reason", () =>
    Effect.gen(function* () {
      const { error } = yield* failing(`
import { writeSync } from "node:fs"
const row = { symbol: "FIL", metric: "acme_nodes", value: 1, unit: "count", source: "defillama", verify_url: "https://api.sample.test/", as_of: "2026-09-01T00:00:00.000Z" }
writeSync(3, JSON.stringify({ type: "rows", observations: [row], refused: [] }) + "\\n")
writeSync(3, JSON.stringify({ type: "done" }) + "\\n")
export default () => {}
`)
      assert.deepStrictEqual(error, {
        tag: "RunForbidden",
        message:
          'its code gave FIL acme_nodes of defillama: source "defillama" is not one that the manifest declares'
      })
    })
  )

  it.live("that asks another host is ended with the reason, and the host is not asked", () =>
    Effect.gen(function* () {
      const { paths, error } = yield* failing(`
import { Upstream } from "@plumbline/plugin"
import { Effect, Schema } from "@plumbline/plugin/effect"
export default () => Effect.as(Effect.ignore(Upstream.json("https://other.sample.test/secret", Schema.Unknown)), [])
`)
      assert.deepStrictEqual(error, {
        tag: "RunForbidden",
        message: "its code asked other.sample.test, which is not one of its hosts"
      })
      assert.notInclude(paths, "/secret")
    })
  )

  it.live("that hangs is ended at its time limit, while others run", () =>
    Effect.gen(function* () {
      const { error } = yield* failing("for (;;) {}", { timeout: "2 seconds" })
      assert.strictEqual(error?.tag, "RunTimeout")
    })
  )

  it.live("that floods the service with bytes, requests or rows is ended with the reason", () =>
    Effect.gen(function* () {
      const bytes = yield* failing(`
import { writeSync } from "node:fs"
const much = "x".repeat(60000)
for (;;) { try { writeSync(3, much) } catch {} }
`)
      assert.strictEqual(bytes.error?.tag, "RunFlooded")
      assert.match(bytes.error?.message ?? "", /more than 1048576 bytes/)
      const lines = yield* failing(`
import { writeSync } from "node:fs"
const line = JSON.stringify({ type: "request", n: 1, request: { method: "GET", url: "https://api.sample.test/flood" } }) + "\\n"
for (;;) { try { writeSync(3, line) } catch {} }
`)
      assert.strictEqual(lines.error?.tag, "RunFlooded")
      assert.isBelow(lines.paths.length, 2000)
      // A whole line at a time: a full pipe takes what is left of it later.
      const rows = yield* failing(`
import { writeSync } from "node:fs"
const row = { symbol: "FIL", metric: "acme_nodes", value: 1, unit: "count", source: "outside_acme", verify_url: "https://api.sample.test/", as_of: "2026-09-01T00:00:00.000Z" }
const line = Buffer.from(JSON.stringify({ type: "rows", observations: Array.from({ length: 1000 }, () => row), refused: [] }) + "\\n")
for (let n = 0; n <= 50; n++) for (let at = 0; at < line.length; ) { try { at += writeSync(3, line, at) } catch {} }
export default () => {}
`)
      assert.deepStrictEqual(rows.error, { tag: "RunFlooded", message: "more than 50000 rows" })
    })
  )

  it.live("that says nonsense, ends, or imports what is not in its hash is ended with the reason", () =>
    Effect.gen(function* () {
      const nonsense = yield* failing('import { writeSync } from "node:fs"; writeSync(3, "hello\\n")')
      assert.deepStrictEqual(nonsense.error, {
        tag: "RunNonsense",
        message: "its code sent what is no message"
      })
      const ended = yield* failing("process.exit(3)")
      assert.match(ended.error?.message ?? "", /^its process ended with 3/)
      const foreign = yield* failing('import "undici"; export default () => {}')
      assert.match(foreign.error?.message ?? "", /undici is imported/)
    })
  )

  it.live("that declares a series of another, or borrows a label of ours, does not run, and ours does", () =>
    Effect.gen(function* () {
      const { manifests, states } = yield* start({
        acme: { "plugin.json": dataOf("acme") },
        twin: {
          "plugin.json": dataOf("twin", {
            source: "outside_acme",
            metrics: dataOf("acme").metrics,
            answers: dataOf("acme").answers
          })
        },
        unlisted: { "plugin.json": dataOf("unlisted", { covers: { networks: ["NOSUCH"] } }) },
        odd: { "plugin.json": dataOf("odd", { everi: "1 hour" }) },
        borrowed: { "plugin.json": dataOf("borrowed", { source: "defillama" }) }
      })
      assert.deepStrictEqual(
        (yield* manifests).map(({ id }) => id),
        ["calm"]
      )
      const reasons = yield* states
      assert.match(
        reasons.get("acme")?.reason ?? "",
        /is declared by plugins\/twin, too: a series has one writer/
      )
      assert.match(reasons.get("unlisted")?.reason ?? "", /NOSUCH is not in the catalog/)
      assert.match(reasons.get("odd")?.reason ?? "", /everi/)
      assert.match(reasons.get("borrowed")?.reason ?? "", /source/)
    }).pipe(Effect.scoped)
  )
})

describe("what PLUGINS names", () => {
  it.effect("is folders of plugins, plugins, and packages; each has a name of its own", () =>
    Effect.gen(function* () {
      const top = yield* foldersOf({
        "many/one": { "plugin.json": dataOf("one") },
        "many/two": { "plugin.json": dataOf("two") },
        "many/notes": { "README.md": "none" },
        "node_modules/@acme/plumbline-three": {
          "package.json": { name: "@acme/plumbline-three", exports: {} },
          "plugin.json": dataOf("three")
        },
        twin: { "plugin.json": dataOf("one") },
        ours: { "plugin.json": dataOf("akash") },
        empty: { "README.md": "none" }
      })
      const ids = (text: string) => pluginsNamed(text, top).map(({ id }) => id)
      assert.deepStrictEqual(ids(`${top}/many, @acme/plumbline-three`), ["one", "two", "three"])
      assert.deepStrictEqual(ids("./many/two"), ["two"])
      for (const [text, says] of [
        ["./many,./twin", /one is the name of .*many\/one\/, too/],
        ["./ours", /akash is the name of a plugin of this release/],
        ["./empty", /has no plugin\.json/],
        ["./nowhere", /there is no folder/],
        ["@acme/plumbline-four", /is not installed: npm install @acme\/plumbline-four/]
      ] as const)
        assert.throws(() => ids(text), says)
    }).pipe(Effect.scoped)
  )

  it.effect("has a hash over all files that its code can read, and no links", () =>
    Effect.gen(function* () {
      const top = yield* elsewhere({
        acme: {
          "plugin.json": declarationOf("acme"),
          "index.js": reading,
          "lib/more.js": "export const n = 1"
        }
      })
      const hash = Effect.map(CodeHash.own("acme"), (sources) => CodeHash.codeHash(sources, {}))
      const before = yield* hash
      appendFileSync(join(top, "acme/lib/more.js"), "\n")
      assert.notStrictEqual(yield* hash, before)
      const after = yield* hash
      mkdirSync(join(top, "acme/node_modules"))
      writeFileSync(join(top, "acme/node_modules/tool.js"), "")
      assert.strictEqual(yield* hash, after)
      symlinkSync("/etc/passwd", join(top, "acme/lib/link"))
      assert.match(String(yield* Effect.flip(CodeHash.own("acme"))), /neither a file nor a folder/)
    }).pipe(Effect.scoped)
  )
})
