/** A service that may open few files, and clients that take every connection they get. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { answers, checkout } from "../support/checkout.ts"
import { prepare } from "../support/dataDirectory.ts"
import { freePort } from "../support/freePort.ts"

const serve = (descriptors: number, port: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "plumbline-descriptors-"))
      prepare(join(folder, "data"))
      const bin = join(checkout(1, "1 hour"), "runtime/bin.ts")
      const command = `ulimit -n ${descriptors}; exec "$0" --preserve-symlinks --preserve-symlinks-main "$1" serve`
      const child = spawn("bash", ["-c", command, process.execPath, bin], {
        cwd: folder,
        env: {
          HOME: folder,
          PORT: String(port),
          UPSTREAM_MAP: "stand-in.example=http://127.0.0.1:9",
          OTS_CALENDARS: "http://127.0.0.1:9",
          ESPLORA_URL: "http://127.0.0.1:9"
        },
        stdio: ["ignore", "pipe", "pipe"]
      })
      const output = { out: "", err: "" }
      child.stdout.on("data", (part) => {
        output.out += String(part)
      })
      child.stderr.on("data", (part) => {
        output.err += String(part)
      })
      return { folder, child, output, ended: once(child, "close") }
    }),
    ({ child, ended, folder }) =>
      Effect.promise(async () => {
        child.kill("SIGKILL")
        await ended
        rmSync(folder, { recursive: true, force: true })
      })
  )

/** A connection from one of the addresses of this machine, which sends half a head; whatever becomes of it. */
const halfOpen = (port: number, from: string) =>
  new Promise<Socket>((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: from, allowHalfOpen: true }, () => {
      socket.write("GET /v1/networks HTTP/1.1\r\nHost: a\r\nX-Slow: ")
      resolve(socket)
    })
    socket.on("error", () => resolve(socket))
    socket.resume()
  })

describe("a service with few descriptors", () => {
  it.live.each([64, 300])(
    "says that %i are too few, in one line",
    (descriptors) =>
      Effect.gen(function* () {
        const { ended, output } = yield* serve(descriptors, yield* Effect.promise(freePort))
        const [code] = yield* Effect.promise(() => ended)
        assert.strictEqual(code, 1)
        assert.match(
          output.err,
          new RegExp(`^plumbline: [^\\n]* only ${descriptors} files [^\\n]*ulimit -n[^\\n]*\\n$`)
        )
        assert.strictEqual(output.out, "")
      }),
    60_000
  )

  it.live(
    "outlives clients that want more, and serves others meanwhile and afterwards",
    () =>
      Effect.gen(function* () {
        const port = yield* Effect.promise(freePort)
        const { child, output } = yield* serve(420, port)
        yield* Effect.promise(() => once(child.stdout, "data"))
        const sockets: Array<Socket> = []
        for (const from of ["127.0.0.2", "127.0.0.3", "127.0.0.4"]) {
          for (let n = 0; n < 250; n++) sockets.push(yield* Effect.promise(() => halfOpen(port, from)))
          // As many as it takes are held, and these come from another address.
          for (const path of ["/health", "/v1/networks", "/docs"])
            assert.isTrue(yield* Effect.promise(() => answers(port, path)), path)
        }
        for (const socket of sockets) socket.destroy()
        assert.isTrue(yield* Effect.promise(() => answers(port, "/health")))
        assert.isNull(child.exitCode)
        assert.notMatch(output.out + output.err, /EMFILE|ERROR|Error:/)
      }),
    120_000
  )
})
