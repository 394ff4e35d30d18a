/** The live service in front of a test service that hangs or misbehaves. */
import { connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { json } from "../support/signed.ts"
import { standIn, started } from "../support/testMode.ts"

/** The most requests that the test service has at a time. */
const most = 64

/** Waits, without a clock, until it is so. */
const until = (so: () => boolean) =>
  Effect.promise(async () => {
    while (!so()) await new Promise((done) => setImmediate(done))
  })

/** A client that asks and waits. */
const waiting = (port: number) =>
  Effect.acquireRelease(
    Effect.sync((): Socket => {
      const socket = connect(port, "127.0.0.1")
      socket.on("error", () => {})
      socket.write("GET /test/x HTTP/1.1\r\nHost: a\r\n\r\n")
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

describe("a test service that never answers", () => {
  it.live("has so many requests at a time, and what is more is refused at once", () =>
    Effect.gen(function* () {
      let arrived = 0
      const service = yield* standIn((_, response) => {
        arrived += 1
        response.on("close", () => {
          arrived -= 1
        })
      })
      const { call, port } = yield* started({ testMode: { keys: "live", service } })
      const [first] = yield* Effect.forEach(Array(most).fill(port), waiting)
      yield* until(() => arrived === most)
      const reply = yield* call("/test/x").pipe(Effect.timeout("5 seconds"))
      assert.strictEqual(reply.status, 503)
      assert.strictEqual(json(reply)["error"], "unavailable")
      assert.strictEqual((yield* call("/v1/credits/pricing")).status, 200)
      // Who leaves makes room for another.
      first?.destroy()
      yield* until(() => arrived < most)
      yield* waiting(port)
      yield* until(() => arrived === most)
    }).pipe(Effect.scoped)
  )
})
