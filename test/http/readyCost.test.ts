/** What an answer that is ready may not do: touch a file, ask the database, or set a timer of ours. */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { connect } from "node:net"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { CurrentTransformer } from "effect/sql/Statement"
import { LimitSettings } from "../../core/credits/Limits.ts"
import { connectionBounds } from "../../runtime/service/faces.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"

const each = 125
const paths = [
  "/try",
  "/v1/supply?network=FIL",
  "/v1/networks",
  "/v1/network/FIL",
  "/v1/world",
  "/v1/provenance",
  "/.well-known/service-signing-key.json",
  "/network/FIL"
]

const calls: Array<string> = []

const noting = Layer.succeed(CurrentTransformer, (statement) => {
  calls.push(`statement ${statement.compile()[0]}`)
  return Effect.succeed(statement)
})

/** The bounds by which `serve` runs, with nothing set: as many connections as the system allows. */
const asServed = Layer.mergeAll(
  connectionBounds.pipe(Layer.provide(Settings.layer)),
  Layer.succeed(LimitSettings, { perMinute: null, perDay: null })
).pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({}))), Layer.orDie)

/** Replaces functions by ones that note their call first; gives what puts them back. */
const watch = (owner: object, name: string, of: string): (() => void) => {
  const original = Reflect.get(owner, name)
  if (typeof original !== "function") return () => {}
  const noted = function (this: unknown, ...args: ReadonlyArray<unknown>) {
    calls.push(`${of}.${name}`)
    return Reflect.apply(original, this, args)
  }
  Reflect.set(owner, name, Object.assign(noted, original))
  return () => Reflect.set(owner, name, original)
}

/** Notes each call of `fs` and each timer while it is open, whichever module makes it. */
const watching = Effect.acquireRelease(
  Effect.sync(() => {
    const names = Object.keys(fs).filter((name) => /^[a-z]/.test(name) && !name.startsWith("_"))
    const back = [
      ...names.map((name) => watch(fs, name, "fs")),
      ...Object.keys(fs.promises).map((name) => watch(fs.promises, name, "fs.promises")),
      ...["setTimeout", "setInterval"].map((name) => watch(globalThis, name, "timers"))
    ]
    syncBuiltinESMExports()
    return back
  }),
  (back) =>
    Effect.sync(() => {
      for (const restore of back) restore()
      syncBuiltinESMExports()
    })
)

/** The statuses of so many answers, one request after the other over a connection of its own: a client without timers. */
const statusesOf = (port: number, path: string) =>
  Effect.promise(
    () =>
      new Promise<ReadonlyArray<string>>((resolve) => {
        const request = `GET ${path} HTTP/1.1\r\nHost: a\r\n`
        const socket = connect(port, "127.0.0.1", () =>
          socket.write([...Array(each - 1).fill(request), `${request}Connection: close\r\n`, ""].join("\r\n"))
        )
        const chunks: Array<Buffer> = []
        socket.on("data", (chunk) => chunks.push(chunk))
        socket.on("close", () =>
          resolve(
            Buffer.concat(chunks)
              .toString("latin1")
              .match(/HTTP\/1\.1 \d{3} /g) ?? []
          )
        )
      })
  )

layer(Service.layer({ limited: true }).pipe(Layer.provide([noting, asServed])))("a ready answer", (it) => {
  it.effect("a thousand of them call no function of fs, no statement and no new timer", () =>
    Effect.gen(function* () {
      const { port } = yield* Service
      for (const path of paths) assert.strictEqual((yield* ask(path)).status, 200, path)
      const statuses = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* watching
          // What notes the calls notes them.
          const { readFileSync } = yield* Effect.promise(() => import("node:fs"))
          readFileSync(import.meta.filename)
          assert.include(calls.splice(0), "fs.readFileSync")
          return yield* Effect.forEach(paths, (path) => statusesOf(port, path))
        })
      )
      assert.deepStrictEqual([...new Set(calls)], [], `${calls.length} calls`)
      assert.deepStrictEqual([...new Set(statuses.flat())], ["HTTP/1.1 200 "])
      assert.lengthOf(statuses.flat(), each * paths.length)
    })
  )
})
