/** How a notary, a witness and the port of metrics bound connections: by network, with a share for those who are known. */
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { boundConnections } from "../../http/admission/boundConnections.ts"
import type { Bounds, Connections } from "../../http/admission/Connections.ts"
import { makeLog, newWitness, post, runWitness } from "../support/witness.ts"

interface Bounded {
  readonly port: number
  readonly connections: Connections
}

/** Answers at once, notes who asks for /known, and carries what is CONNECTed. */
const bounded = (bounds: Bounds) =>
  Effect.acquireRelease(
    Effect.promise(async (): Promise<Bounded & { readonly server: Server }> => {
      const server = createServer((request, response) => {
        if (request.url === "/known") connections.known(request.socket)
        response.end("ok")
      })
      const connections = boundConnections(server, bounds)
      server.on("connect", (request, socket) => {
        connections.carries(request.socket)
        socket.on("error", () => {})
        socket.write("HTTP/1.1 200 OK\r\n\r\n")
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      const address = server.address()
      return { server, connections, port: typeof address === "object" ? (address?.port ?? 0) : 0 }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

/** A connection that has asked once and waits for its next request; what it chunks, and whether it is closed. */
const clientOf = (port: number, from: string, head = "GET / HTTP/1.1") =>
  Effect.promise(async () => {
    const socket: Socket = connect({ port, host: "127.0.0.1", localAddress: from })
    const chunks: Array<string> = []
    socket.on("error", () => {})
    socket.on("data", (bytes) => chunks.push(bytes.toString()))
    await once(socket, "connect")
    socket.write(`${head}\r\nHost: a\r\n\r\n`)
    const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()))
    await Promise.race([once(socket, "data"), closed])
    return { socket, status: () => chunks.join("").slice(9, 12), closed }
  })

const openOf = (sockets: ReadonlyArray<{ readonly socket: Socket }>) =>
  sockets.filter(({ socket }) => !socket.destroyed).length

const many = (port: number, from: string, count: number, head?: string) =>
  Effect.forEach(Array.from({ length: count }), () => clientOf(port, from, head))

describe("a small server", () => {
  it.live("keeps so many connections of one network, closes its oldest idle ones, and serves others", () =>
    Effect.gen(function* () {
      const { port } = yield* bounded({ most: 100, mostOfNetwork: 4 })
      const sockets = yield* many(port, "127.0.0.2", 20)
      for (const { closed } of sockets.slice(0, 16)) yield* Effect.promise(() => closed)
      assert.strictEqual(openOf(sockets), 4)
      assert.strictEqual((yield* clientOf(port, "127.0.0.3")).status(), "200")
    })
  )

  it.live("keeps five times as many of the wide network around it, and a network of it that is known", () =>
    Effect.gen(function* () {
      const { port } = yield* bounded({ most: 100, mostOfNetwork: 2, keptForKnown: 0.5 })
      const proven = yield* clientOf(port, "127.0.1.1", "GET /known HTTP/1.1")
      proven.socket.destroy()
      yield* Effect.promise(() => proven.closed)
      // Ten of 127.0.0.0/16, from five addresses, all busy.
      for (const n of [2, 3, 4, 5, 6]) yield* many(port, `127.0.0.${n}`, 2, "CONNECT x:443 HTTP/1.1")
      assert.strictEqual((yield* clientOf(port, "127.0.0.7")).status(), "503")
      assert.strictEqual((yield* clientOf(port, "127.0.1.1")).status(), "200")
      assert.strictEqual((yield* clientOf(port, "127.1.0.1")).status(), "200")
    })
  )

  it.live("lets strangers that are busy take all but the share of those who are known", () =>
    Effect.gen(function* () {
      const { port } = yield* bounded({ most: 10, mostOfNetwork: 100, keptForKnown: 0.5 })
      const proven = yield* clientOf(port, "127.0.0.3", "GET /known HTTP/1.1")
      proven.socket.destroy()
      yield* Effect.promise(() => proven.closed)
      // Carried connections are never closed for others.
      const busy = yield* many(port, "127.0.0.2", 5, "CONNECT x:443 HTTP/1.1")
      assert.strictEqual((yield* clientOf(port, "127.0.0.4")).status(), "503")
      assert.strictEqual((yield* clientOf(port, "127.0.0.3")).status(), "200")
      assert.strictEqual(openOf(busy), 5)
    })
  )
})

describe("a witness", () => {
  it.live("is not taken by the connections of one stranger", () =>
    Effect.gen(function* () {
      const log = makeLog("log.example/one")
      const { folder } = yield* newWitness([log.vkey])
      const address = yield* runWitness(folder)
      const sockets = yield* many(Number(new URL(address).port), "127.0.0.2", 72)
      for (const { closed } of sockets.slice(0, 8)) yield* Effect.promise(() => closed)
      assert.strictEqual(openOf(sockets), 64)
      assert.strictEqual((yield* post(address, log.body(0, 5))).status, 200)
    })
  )
})
