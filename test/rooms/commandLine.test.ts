/** What the short commands load, which is what they take: each module costs a fraction of a millisecond. */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { operators } from "../../runtime/commands/remote.ts"
import { commands } from "../../runtime/plumbline.ts"
import { plumbline } from "../support/plumbline.ts"

const top = new URL("../..", import.meta.url).href

/** Tells the modules that a process has loaded, on its last line of standard error. */
const reportModules = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from "node:module"
const seen = []
registerHooks({ load: (url, context, next) => (seen.push(url), next(url, context)) })
process.on("exit", () => process.stderr.write("\\n" + JSON.stringify(seen)))
`)}`

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-test-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** The modules that a command loads, from the top of the checkout, without those of Node. */
const loadedBy = Effect.fnUntraced(function* (dataDir: string, ...args: ReadonlyArray<string>) {
  const env = {
    PATH: process.env["PATH"] ?? "",
    DATA_DIR: dataDir,
    NODE_OPTIONS: `--import=${reportModules}`
  }
  const { code, err, out } = yield* plumbline(dataDir, env, ...args)
  const modules: ReadonlyArray<string> = JSON.parse(err.slice(err.lastIndexOf("\n") + 1))
  const files = modules.flatMap((url) => (url.startsWith(top) ? [url.slice(top.length)] : []))
  return {
    code,
    out,
    files,
    own: files.filter((file) => !file.startsWith("node_modules/")).sort(),
    packages: [
      ...new Set(files.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []))
    ].sort()
  }
})

/** Modules that import nothing, and so may be loaded by whoever is in a hurry. */
const smallest = ["core/process/guarded.ts", "core/process/program.ts"]

const effects = ["@effect/platform-node", "@effect/platform-node-shared", "effect"]

describe("the command line", () => {
  it.live("lists its commands without loading them", () =>
    Effect.gen(function* () {
      const { out, own, packages } = yield* loadedBy(yield* folder, "--help")
      assert.include(out, commands.serve.about)
      // In 80 columns, by group, with examples.
      for (const line of out.split("\n")) assert.isAtMost(line.length, 80, line)
      for (const title of ["ASK", "VERIFY", "OPERATE", "CONTRIBUTE", "EXAMPLES"]) {
        assert.match(out, new RegExp(`^${title}`, "m"))
      }
      assert.deepStrictEqual(own, [
        "package.json",
        "runtime/bin.ts",
        "runtime/cli/help.ts",
        "runtime/cli/smallProcess.ts",
        "runtime/cli/usage.ts",
        "runtime/main.ts",
        "runtime/plumbline.ts"
      ])
      assert.deepStrictEqual(packages, effects)
    })
  )

  it.live("asks a running service for its status without loading one itself", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      const requests: Array<string> = []
      yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const server = createServer((socket) => {
            socket.on("data", (text) => {
              requests.push(String(text))
              socket.end('{"out":"fine\\n"}\n{"exit":1}\n')
            })
          })
          server.listen(join(dataDir, "plumbline.sock"), () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      const { code, out, own, packages } = yield* loadedBy(dataDir, "status", "--json")
      assert.deepStrictEqual([code, out, requests], [1, "fine\n", ['{"argv":["status","--json"]}\n']])
      const rooms = new Set(
        own.filter((file) => !smallest.includes(file)).map((file) => file.split("/").slice(0, 2).join("/"))
      )
      assert.deepStrictEqual(
        [...rooms].filter((room) => !/^runtime|^package/.test(room)),
        []
      )
      assert.isBelow(own.length, 25)
      assert.deepStrictEqual(packages, effects)
    })
  )

  it.live("serves without the code of requests that many services never get", () =>
    Effect.gen(function* () {
      const { files, own, packages } = yield* loadedBy(yield* folder, "serve", "--help")
      assert.include(own, "http/server.ts")
      // The Model Context Protocol with its SDK and tools.
      assert.deepStrictEqual(
        own.filter((file) => file.startsWith("mcp/")),
        ["mcp/McpSettings.ts", "mcp/PageReader.ts", "mcp/routes.ts"]
      )
      assert.notInclude(packages, "@modelcontextprotocol/server")
      // Effect's index of everything about models, with servers and clients of that protocol and of RPC.
      assert.deepStrictEqual(
        files.filter((file) => /\/effect\/dist\/(ai\/(index|Mcp)|rpc|cluster)/.test(file)),
        []
      )
      // The description of the interface, and all that is made of it.
      assert.deepStrictEqual(
        own.filter((file) =>
          /^http\/(description\/(description|examples)|pages\/docs\/documentation)/.test(file)
        ),
        []
      )
      // An embedded engine beside the database that is configured, pictures, clients of other services, what builds the scripts of the explorer, and
      // the mathematics of single products.
      for (const one of [
        ...["@electric-sql/pglite", "@resvg/resvg-js", "stripe", "viem", "esbuild", "undici"],
        ...["jstat", "ml-matrix", "simple-statistics", "trading-signals"]
      ])
        assert.notInclude(packages, one)
    })
  )

  it.live("verifies with the code of proofs alone", () =>
    Effect.gen(function* () {
      const { own, packages } = yield* loadedBy(yield* folder, "verify", "--help")
      assert.deepStrictEqual(
        own.filter((file) => !/^(core\/proof|http\/client\/verifier)\//.test(file)),
        ["runtime/bin.ts", "runtime/cli/smallProcess.ts"]
      )
      assert.deepStrictEqual(
        packages.filter((name) => name === "effect" || name.startsWith("@effect/")),
        []
      )
    })
  )

  it.live("says of each command in the list what the command says of itself", () =>
    Effect.gen(function* () {
      for (const [name, { about, load }] of Object.entries(commands)) {
        const command = yield* Effect.promise<Awaited<ReturnType<typeof load>>>(load)
        assert.deepStrictEqual([name, about], [command.name, command.shortDescription ?? command.description])
      }
      const names = Object.keys(commands)
      for (const { name } of operators) assert.include(names, name)
    })
  )
})
