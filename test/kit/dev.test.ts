/** `plugin dev`, as a process: it replays on each save, says what changed, and serves the page of the rows on this machine alone. */
import { execFileSync, spawn } from "node:child_process"
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Expected } from "../../core/plugin/Recording.ts"
import { changesOf } from "../../runtime/contributor/kit/changes.ts"

const top = new URL("../..", import.meta.url).pathname

const copy = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-devtest-"))
    for (const name of ["core", "runtime", "http", "mcp", "package.json", "package-lock.json"])
      cpSync(join(top, name), join(folder, name), { recursive: true })
    for (const name of ["plugins", "fixtures", "tmp"]) mkdirSync(join(folder, name))
    symlinkSync(join(top, "node_modules"), join(folder, "node_modules"))
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const freePort = Effect.callback<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

it.live(
  "plugin dev shows rows, changes and a page, and ends with all that it started",
  () =>
    Effect.gen(function* () {
      const folder = yield* copy
      const port = yield* freePort
      const env = { PATH: process.env["PATH"] ?? "", TMPDIR: join(folder, "tmp") }
      const bin = join(folder, "runtime/bin.ts")
      const create = ["plugin", "new", "acme", "--symbol", "STORJ", "--url", "https://stats.acme.net/v1"]
      execFileSync(process.execPath, [bin, ...create], { cwd: folder, env })
      const child = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(process.execPath, [bin, "plugin", "dev", "acme", "--port", String(port)], {
            cwd: folder,
            env
          })
        ),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      let output = ""
      let read = 0
      let look = () => {}
      const hear = (chunk: Buffer) => {
        output += chunk
        look()
      }
      child.stdout.on("data", hear)
      child.stderr.on("data", hear)
      /** Waits for these words after those that came before. */
      const says = (words: string) =>
        Effect.callback<void>((resume) => {
          look = () => {
            const at = output.indexOf(words, read)
            if (at < 0) return
            read = at + words.length
            look = () => {}
            resume(Effect.void)
          }
          look()
        })
      const index = join(folder, "plugins/acme/index.ts")
      const source = readFileSync(index, "utf8")

      yield* says("acme/ok: as expected")
      yield* says(`http://127.0.0.1:${port}/network/STORJ`)
      const page = yield* Effect.promise(async () =>
        (await fetch(`http://127.0.0.1:${port}/network/STORJ`)).text()
      )
      assert.include(page, "acme_stats")
      assert.match(page, /1[,\u2009\u202f]?234/)

      writeFileSync(index, source.replace('nodes_online: "nodes_online"', 'nodes_online: "storage_bytes"'))
      yield* says("acme/ok: differs from the expected rows")
      yield* says("~ STORJ nodes_online (acme_stats) 1234 count")
      yield* says("preview:")

      writeFileSync(index, source.replace("export default", "export default ("))
      yield* says("cannot be imported")

      const code = yield* Effect.callback<number | null>((resume) => {
        child.once("exit", (code) => resume(Effect.succeed(code)))
        child.kill("SIGINT")
      })
      assert.isNotNull(code, output)
      const left = readdirSync(env.TMPDIR).filter((name) => name.startsWith("plumbline-dev-"))
      assert.deepStrictEqual(left, [])
      const refused = yield* Effect.promise(() =>
        fetch(`http://127.0.0.1:${port}/`).then(
          () => false,
          () => true
        )
      )
      assert.isTrue(refused, "the preview still listens")
    }),
  180_000
)

it("changes are rows that came, went or moved, and what is refused", () => {
  const row = {
    symbol: "SC",
    metric: "nodes",
    value: 4,
    unit: "count",
    source: "s",
    verify_url: "https://a.test",
    as_of: "2026-09-05T10:00:00Z"
  } as const
  const before: Expected = { observations: [row, { ...row, metric: "gone" }], refused: [] }
  const after: Expected = {
    observations: [
      { ...row, value: 5 },
      { ...row, metric: "more" }
    ],
    refused: [{ symbol: "SC", metric: "gone", reason: "got -1" }]
  }
  assert.deepStrictEqual(changesOf(before, after), [
    "~ SC nodes (s) 4 count 2026-09-05T10:00:00Z -> 5 count 2026-09-05T10:00:00Z",
    "+ SC more (s) 4 count 2026-09-05T10:00:00Z",
    "- SC gone (s) 4 count 2026-09-05T10:00:00Z",
    "+ refused SC gone: got -1"
  ])
  assert.deepStrictEqual(changesOf(after, after), [])
  assert.deepStrictEqual(
    changesOf({ error: "UpstreamRefused", message: "status 503" }, { ...before, observations: [] }),
    ["- UpstreamRefused: status 503"]
  )
})
