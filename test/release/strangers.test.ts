/** What strangers install: each package is packed, installed in a folder that has nothing else, and does its work from there. */
import { execFile, execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, it } from "vitest"
import { files, makeService, native } from "../../runtime/release/service.ts"
import { checkout } from "../support/checkout.ts"
import { prepare } from "../support/dataDirectory.ts"
import { freePort } from "../support/freePort.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { closedDays, SettledService, settledValue } from "../support/settled.ts"

const top = new URL("../..", import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), "plumbline-strangers-"))

/** Those with a command, and a library. */
const programs = ["verifier", "notary", "witness", "plugin"] as const
const names = [...programs, "client"] as const
type Name = (typeof names)[number]
/** Makes a process say that its Node is older. */
const older = `data:text/javascript,${encodeURIComponent(
  `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } })`
)}`

/** The most bytes of a packed package. */
const largest = 3_000_000

const npm = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("npm", [...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

const installed = (name: Name, ...path: ReadonlyArray<string>) =>
  join(folder, "node_modules/@plumbline", name, ...path)
const commandOf = (name: Name) => installed(name, "dist/cli.js")

const run = (name: Name, ...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [commandOf(name), ...args], { cwd: folder, encoding: "utf8" })

/** The same while this process answers. */
const inBackground = (
  file: string,
  args: ReadonlyArray<string>,
  { cwd = folder, env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {}
) =>
  new Promise<{ readonly exit: unknown; readonly text: string }>((done) =>
    execFile(process.execPath, [file, ...args], { cwd, env: { ...process.env, ...env } }, (error, out, err) =>
      done({ exit: error?.code ?? 0, text: out + err })
    )
  )

/** The network of the plugins that are made here, as it really answers, and the setting that leads there. */
const upstream = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer((_, answer) => {
      answer.setHeader("content-type", "application/json")
      answer.end(
        JSON.stringify({ updated: new Date().toISOString(), nodes_online: 1234, storage_bytes: 5678 })
      )
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    return { server, env: { UPSTREAM_MAP: `stats.acme.org=http://127.0.0.1:${port}` } }
  }),
  ({ server }) => Effect.sync(() => server.close())
)

/** Serves until the scope closes; waits for a line. */
const serving = (name: Name, says: RegExp, ...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, [commandOf(name), "serve", ...args], { cwd: folder })
      const lines: Array<string> = []
      for (const stream of [child.stdout, child.stderr])
        createInterface({ input: stream }).on("line", (line) => lines.push(line))
      const ended = once(child, "exit")
      while (!lines.some((line) => says.test(line))) {
        if (child.exitCode !== null) throw new Error(`${name} ended: ${lines.join("\n")}`)
        await Promise.race([once(child.stdout, "data"), ended])
      }
      return { child, ended }
    }),
    ({ child, ended }) =>
      Effect.promise(async () => {
        child.kill()
        await ended
      })
  )

/** What a client without TLS asks a notary for, and the first line of the answer. */
const connectTo = async (port: number, host: string, token?: string): Promise<string> => {
  const socket = connect(port, "127.0.0.1")
  await once(socket, "connect")
  const proof =
    token === undefined ? "" : `proxy-authorization: Basic ${Buffer.from(`${token}:`).toString("base64")}\r\n`
  socket.write(`CONNECT ${host}:443 HTTP/1.1\r\nhost: ${host}:443\r\n${proof}\r\n`)
  const [bytes] = (await once(socket, "data")) as [Buffer]
  socket.destroy()
  return bytes.toString("utf8").split("\r\n")[0] ?? ""
}

/** A place in the package of the service, which is installed in a folder of its own. */
const service = (...path: ReadonlyArray<string>) =>
  join(folder, "service/node_modules/@plumbline/service", ...path)

/** Installs it with what it needs beside it, and with one of its plugins, so that no upstream is read for the others. */
const installService = async (): Promise<void> => {
  const packing = join(folder, "packing")
  await makeService(packing)
  const packed = npm(packing, "pack", "--silent", "--pack-destination", packing).trim()
  assert.isAtMost(statSync(join(packing, packed)).size, largest)
  mkdirSync(service(), { recursive: true })
  execFileSync("tar", ["-xzf", join(packing, packed), "-C", service(), "--strip-components=1"])
  for (const name of new Set([...native, "@duckdb/node-api"].map((one) => one.split("/")[0] ?? "")))
    symlinkSync(join(top, "node_modules", name), service("../../", name))
  for (const name of readdirSync(service("plugins")))
    if (name !== "sia") rmSync(service("plugins", name), { recursive: true })
}

beforeAll(async () => {
  writeFileSync(join(folder, "package.json"), '{"private":true}')
  for (const name of names)
    npm(top, "pack", "--workspace", `@plumbline/${name}`, "--pack-destination", folder)
  const packed = readdirSync(folder).filter((file) => file.endsWith(".tgz"))
  assert.lengthOf(packed, names.length)
  // Whatever needs a registry is not installed.
  npm(folder, "install", "--offline", "--no-audit", "--no-fund", ...packed.map((file) => `./${file}`))
  await installService()
}, 240_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(names)("the package of the %s", (name) => {
  it("is small, needs nothing else, and has its licence, its README and where it was built", () => {
    const [file = ""] = readdirSync(folder).filter((one) => one.startsWith(`plumbline-${name}-`))
    assert.isAtMost(statSync(join(folder, file)).size, largest)
    const manifest = JSON.parse(readFileSync(installed(name, "package.json"), "utf8"))
    assert.isUndefined(manifest.dependencies)
    assert.isUndefined(manifest.private)
    assert.deepStrictEqual(manifest.publishConfig, { access: "public", provenance: true })
    for (const one of ["README.md", "dist/LICENSE"]) assert.isTrue(existsSync(installed(name, one)), one)
    assert.sameMembers(
      readdirSync(join(folder, "node_modules")).filter((one) => !one.startsWith(".")),
      ["@plumbline"]
    )
  })
})

describe.each(programs)("the program of the %s", (name) => {
  it("starts by its name, with npx", () => {
    const help = npm(folder, "exec", "--offline", "--", `@plumbline/${name}`, "--help")
    assert.match(help, name === "verifier" ? /verify response <url>/ : new RegExp(`plumbline-${name}`))
  })

  it("says in one line which Node it needs, on an older one, and not that all is well", () => {
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      ["--import", older, commandOf(name), "--help"],
      { encoding: "utf8" }
    )
    assert.match(stderr, /^plumbline-\w+: this needs Node 24 or newer, and runs on v[\d.]+\n$/)
    assert.strictEqual(stdout, "")
    assert.strictEqual(status, name === "verifier" ? 2 : 1)
  })
})

describe("the package of the service", () => {
  // It is also made where there is no repository, as in the image.
  it("is made of files that are part of the repository, and of none that was made here", () => {
    const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
      cwd: top,
      encoding: "utf8"
    })
    const all = new Set(listed.split("\0"))
    assert.deepStrictEqual(
      files().filter((path) => !all.has(path)),
      []
    )
  })

  it("needs nothing but what holds machine code, and has the licences of all that is inside", () => {
    const manifest = JSON.parse(readFileSync(service("package.json"), "utf8"))
    const { bundleDependencies, dependencies, publishConfig } = manifest
    assert.sameMembers(
      Object.keys(dependencies).filter((name) => !bundleDependencies.includes(name)),
      [...native]
    )
    for (const name of bundleDependencies) assert.isTrue(existsSync(service("node_modules", name)), name)
    assert.isUndefined(manifest.private)
    assert.deepStrictEqual(publishConfig, { access: "public", provenance: true })
    for (const one of ["README.md", "LICENSE"]) assert.isTrue(existsSync(service(one)), one)
    const licences = readFileSync(service("LICENCES.md"), "utf8")
    for (const name of ["effect", "viem", "ws", "undici"])
      assert.match(licences, new RegExp(`^## ${name} \\d`, "m"))
  })

  it("has the sources of a run as they are, and the lock file that is hashed with them", () => {
    const own = readFileSync(service("plugins/sia/index.ts"))
    assert.isTrue(own.equals(readFileSync(join(top, "plugins/sia/index.ts"))))
    assert.strictEqual(
      readFileSync(service("locked.json"), "utf8"),
      readFileSync(join(top, "package-lock.json"), "utf8")
    )
  })

  it("verifies what is saved, without a service", () => {
    const { status, stdout } = spawnSync(
      process.execPath,
      [service("runtime/plumbline.js"), "verify", "signals", join(top, "fixtures/vectors/signals.json")],
      { encoding: "utf8" }
    )
    assert.match(stdout, /^ok +links: rows 1 to 3 are linked/m)
    assert.strictEqual(status, 2)
  })

  it("says in one line which Node it needs, on an older one", () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      ["--import", older, service("runtime/plumbline.js")],
      {
        encoding: "utf8"
      }
    )
    assert.match(stderr, /^plumbline: this needs Node 24 or newer, and runs on v[\d.]+\n$/)
    assert.strictEqual(status, 1)
  })
})

describe("a notary from its package", () => {
  it("is created, admits a collector, serves its log, and carries for nobody else and to nowhere else", async () => {
    const creation = run("notary", "new", "./n", "--name", "notary.example.org/n1")
    assert.strictEqual(creation.status, 0, creation.stderr)
    const [, key = ""] = /^created notary (\S+)/.exec(creation.stdout) ?? []
    assert.match(creation.stdout, /npx @plumbline\/notary serve \.\/n/)
    // The hosts that the collectors of its release read.
    const hosts = readFileSync(join(folder, "n/hosts"), "utf8")
    assert.match(hosts, /^api\.coingecko\.com$/m)
    const admitted = run("notary", "admit", "./n", "--name", "log.example.org/log")
    const [, token = ""] = /^ {2}(\S{32})$/m.exec(admitted.stdout) ?? []
    const port = await freePort()
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          yield* serving("notary", /stop with Ctrl-C/, "./n", "--port", String(port))
          const log = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/checkpoint`))
          assert.strictEqual(log.status, 200)
          const note = yield* Effect.promise(() => log.text())
          assert.include(note, `— ${key.split("+")[0]} `)
          const [stranger, elsewhere] = yield* Effect.promise(() =>
            Promise.all([
              connectTo(port, "api.coingecko.com"),
              connectTo(port, "elsewhere.example.org", token)
            ])
          )
          assert.match(stranger, /^HTTP\/1\.1 407 /)
          assert.match(elsewhere, /^HTTP\/1\.1 403 /)
        })
      )
    )
  })

  it("examines sessions in a thread of its own, which is in the package", async () => {
    const worker = new Worker(installed("notary", "dist/examine.thread.js"))
    worker.postMessage({})
    const [outcome] = await once(worker, "message")
    await worker.terminate()
    // Nothing is no session: it is told, by the code that examines them.
    assert.hasAnyKeys(outcome, ["failed", "result"])
  })
})

describe("a plugin from its package", () => {
  const kit = (...args: ReadonlyArray<string>) =>
    npm(folder, "exec", "--offline", "--", "@plumbline/plugin", ...args)
  const inFolder = (id: string, ...args: ReadonlyArray<string>) =>
    spawnSync(process.execPath, [commandOf("plugin"), ...args], { cwd: join(folder, id), encoding: "utf8" })
  const change = (file: string, changes: object) => {
    const before = JSON.parse(readFileSync(join(folder, file), "utf8"))
    writeFileSync(join(folder, file), JSON.stringify({ ...before, ...changes }))
  }

  beforeAll(() => {
    const network = ["--category", "storage", "--url", "https://stats.acme.org/v1/summary"]
    kit("new", "acme", "--symbol", "ACMEX", "--title", "Acme", ...network)
    kit("new", "coder", "--symbol", "CODEX", "--title", "Coder", "--code", ...network)
  })

  it.each(["acme", "coder"])("%s is made with its tests and a workflow, and passes its check", (id) => {
    const { status, stdout, stderr } = inFolder(id, "check")
    assert.strictEqual(status, 0, stdout + stderr)
    assert.match(stdout, /^passed: 1 plugin, 0 wrong, \d+ to do$/m)
    // What the scaffold leaves to do is not done.
    assert.strictEqual(inFolder(id, "check", "--strict").status, 1)
    assert.match(inFolder(id, "replay", id).stdout, new RegExp(`^${id}/ok: 2 rows, 0 refused$`, "m"))
    for (const file of [".github/workflows/test.yml", `fixtures/${id}/ok.json`, "README.md", "package.json"])
      assert.isTrue(existsSync(join(folder, id, file)), file)
  })

  it("has a wrong row refused by its check", () => {
    kit("new", "wrong", "--symbol", "FIL")
    change("wrong/plugin.json", { metrics: {} })
    const { status, stdout } = inFolder("wrong", "check")
    assert.strictEqual(status, 1)
    assert.match(stdout, /nodes_online is not one of the metrics/)
  })

  it("compiles with the types of the package", () => {
    writeFileSync(
      join(folder, "coder/types.ts"),
      `import { Plugin } from "@plumbline/plugin"
import { declare } from "@plumbline/plugin/declare"
const one: Plugin.Collect = () => { throw new Error() }
export const all = [one, declare, Plugin.define]
// @ts-expect-error it is a function
export const none: Plugin.Collect = 7
`
    )
    const paths = JSON.stringify({
      effect: [join(top, "node_modules/effect")],
      "effect/*": [join(top, "node_modules/effect/*")]
    })
    writeFileSync(
      join(folder, "coder/tsconfig.json"),
      `{"compilerOptions":{"strict":true,"noEmit":true,"module":"nodenext","target":"es2024","skipLibCheck":true,"types":[],"paths":${paths}},"files":["types.ts"]}`
    )
    const compiler = join(top, "node_modules/typescript/bin/tsc")
    const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", join(folder, "coder")], {
      encoding: "utf8"
    })
    rmSync(join(folder, "coder/types.ts"))
    assert.strictEqual(status, 0, stdout)
  })

  it("shows the rows of a run and records it, from its folder", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const { env } = yield* upstream
          const authorRun = (...words: ReadonlyArray<string>) =>
            Effect.promise(() => inBackground(commandOf("plugin"), words, { cwd: join(folder, "acme"), env }))
          const collected = yield* authorRun("collect", "acme")
          assert.match(collected.text, /^ {2}ACMEX +nodes_online +1234 +count /m)
          assert.strictEqual(collected.exit, 0)
          const recorded = yield* authorRun("record", "acme", "--case", "live")
          assert.match(recorded.text, /^recorded 1 exchange in fixtures\/acme\/live /m)
          assert.strictEqual(recorded.exit, 0)
          const live = readFileSync(join(folder, "acme/fixtures/acme/live.json"), "utf8")
          assert.include(live, '"nodes_online":1234')
          const { stdout } = inFolder("acme", "replay", "acme", "--case", "live")
          assert.match(stdout, /^acme\/live: 2 rows, 0 refused$/m)
        })
      )
    ))

  it.each(["a checkout", "its package"])(
    "is served by a service from %s that is started with PLUGINS, and is said not to be reviewed",
    (from) =>
      Effect.runPromise(
        Effect.scoped(
          Effect.flatMap(upstream, ({ env }) =>
            Effect.promise(() =>
              from === "its package"
                ? served(env, service("runtime/plumbline.js"))
                : served(
                    env,
                    ...["--preserve-symlinks", "--preserve-symlinks-main"],
                    join(checkout(1, "1 hour"), "runtime/bin.ts")
                  )
            )
          )
        )
      ),
    120_000
  )

  const served = async (upstreamEnv: Readonly<Record<string, string>>, ...command: ReadonlyArray<string>) => {
    for (const id of ["acme", "coder"]) change(`${id}/plugin.json`, { disabled: undefined })
    const data = mkdtempSync(join(tmpdir(), "plumbline-outside-"))
    prepare(join(data, "data"))
    const port = await freePort()
    const child = spawn(process.execPath, [...command, "serve"], {
      cwd: data,
      env: {
        HOME: data,
        PORT: String(port),
        PLUGINS: `${folder}/acme,${folder}/coder`,
        ...upstreamEnv,
        KEYLESS_PER_MINUTE: "off",
        KEYLESS_PER_DAY: "off",
        OTS_CALENDARS: "http://127.0.0.1:9",
        ESPLORA_URL: "http://127.0.0.1:9"
      },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const lines: Array<string> = []
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on("line", (line) => lines.push(line))
    const ended = once(child, "exit")
    try {
      const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
      const rowsOf = async (symbol: string): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> => {
        for (;;) {
          assert.isNull(child.exitCode, lines.join("\n"))
          const text = await get(`/v1/network/${symbol}`).catch(() => "")
          if (text.startsWith("[{")) return JSON.parse(text)
          await setTimeout(100)
        }
      }
      for (const [symbol, id] of [
        ["ACMEX", "acme"],
        ["CODEX", "coder"]
      ] as const) {
        const rows = await rowsOf(symbol)
        assert.sameDeepMembers(
          rows.map(({ metric, reviewed, source, value }) => ({ metric, reviewed, source, value })),
          [
            { metric: "nodes_online", reviewed: false, source: `outside_${id}`, value: 1234 },
            { metric: "storage_total_bytes", reviewed: false, source: `outside_${id}`, value: 5678 }
          ]
        )
        assert.include(await get(`/network/${symbol}`), "not reviewed here")
      }
      const { feeds } = JSON.parse(await get("/v1/data-dictionary"))
      assert.strictEqual(feeds.find(({ feed }: { feed: string }) => feed === "coder")?.reviewed, false)
      const prices = await get("/v1/credits/pricing")
      assert.match(prices, /"not_reviewed":\d/)
    } finally {
      child.kill("SIGKILL")
      await ended
      rmSync(data, { recursive: true, force: true })
    }
  }
})

layerNeeding("counterparties")(
  SettledService.layerWith((of, port) => serving("witness", /stop with Ctrl-C/, of, "--port", String(port)))
)("a service with a witness from its package", (it) => {
  it.effect("is proved by the verifier from its package, with the witness", () =>
    Effect.gen(function* () {
      const { base, keys, witness } = yield* SettledService
      const { metric, symbol } = settledValue
      const { exit, text } = yield* Effect.promise(() =>
        inBackground(commandOf("verifier"), [
          ...["value", "--symbol", symbol, "--metric", metric, "--date", closedDays[2].replaceAll("-", "")],
          ...["--url", base, "--witness", witness, "--network", "bitcoin-regtest-fixture"],
          ...[`--key=${keys.rotated}`, `--key=${keys.log}`, `--key=${keys.answers}`, "--pins", "none"]
        ])
      )
      assert.strictEqual(exit, 0, text)
      assert.match(text, /^ok +witnesses: /m)
      assert.match(text, /^ok +run: run .* gave this value/m)
    })
  )

  it.effect("is read by the client from its package, which refuses what another key signed", () =>
    Effect.gen(function* () {
      const { base, keys } = yield* SettledService
      const file = join(folder, "client.mjs")
      writeFileSync(
        file,
        `import { createClient, ForgedAnswer } from "@plumbline/client"
const [, , baseUrl, key] = process.argv
const client = createClient({ baseUrl, keys: [key] })
try {
  const { data } = await client.GET("/v1/networks")
  console.log("networks", data.networks.length > 0)
} catch (error) {
  console.log(error instanceof ForgedAnswer ? "forged" : error)
}
`
      )
      const read = (key: string) => Effect.promise(() => inBackground(file, [base, key]))
      assert.deepStrictEqual(yield* read(keys.answers), { exit: 0, text: "networks true\n" })
      assert.deepStrictEqual(yield* read(keys.log), { exit: 0, text: "forged\n" })
    })
  )
})
