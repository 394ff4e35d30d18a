/** A notary on HTTP: `CONNECT` carries a session, `POST /v1/sessions/<id>` states it; its log is beside them. */

import { createServer, type IncomingMessage, type Server } from "node:http"
import type { Duplex } from "node:stream"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ByteSize, Effect, FiberSet, Layer, Option } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerResponse } from "effect/http"
import { minute } from "../../core/plugin/time.ts"
import { guarded } from "../../core/process/guarded.ts"
import { toHex } from "../../core/proof/bytes.ts"
import { boundConnections } from "../../http/admission/boundConnections.ts"
import type { Connections } from "../../http/admission/Connections.ts"
import { roomForConnections } from "../cli/descriptors.ts"
import type { Listening } from "../cli/listening.ts"
import { defaults, type NotaryLimits } from "./limits.ts"
import { Notary } from "./Notary.ts"

/** Four secrets with their names. */
const largestBody = ByteSize.kibibytes(4)

const headers = { "access-control-allow-origin": "*", "cache-control": "no-store" }

const text = (body: string, status = 200) =>
  HttpServerResponse.text(`${body}${body.endsWith("\n") ? "" : "\n"}`, {
    status,
    contentType: "text/plain; charset=utf-8",
    headers
  })

const unavailable = ({ message }: { readonly message: string }) =>
  Effect.as(Effect.logError(message), text("the notary cannot write its log; try again later", 503))

const session = HttpRouter.add("POST", "/v1/sessions/:id", (request) =>
  Effect.gen(function* () {
    const { id = "" } = yield* HttpRouter.params
    const body = yield* request.arrayBuffer
    return text(yield* (yield* Notary).state(id, new Uint8Array(body)))
  }).pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, largestBody),
    Effect.catchTags({
      NotStated: ({ message, status }) => Effect.succeed(text(message, status)),
      DiskError: unavailable,
      HttpServerError: () =>
        Effect.succeed(text(`the body must be complete and have at most ${largestBody} bytes`, 400))
    })
  )
)

const checkpoint = HttpRouter.add(
  "GET",
  "/checkpoint",
  Effect.map(Notary, ({ head }) => text(head().note))
)

const tile = HttpRouter.add("GET", "/tile/*", (request) =>
  Effect.gen(function* () {
    const path = request.url.replace(/^.*?\/tile\//, "").replace(/\?.*$/, "")
    const bytes = yield* (yield* Notary).tile(path)
    return Option.match(bytes, {
      onNone: () => text("not in this log", 404),
      onSome: (body) =>
        HttpServerResponse.uint8Array(body, { contentType: "application/octet-stream", headers })
    })
  }).pipe(Effect.catchTag("DiskError", unavailable))
)

/** For whoever runs or watches it. */
const health = HttpRouter.add(
  "GET",
  "/health",
  Effect.map(Notary, ({ head, hosts, sessions, tapes, vkey }) => {
    const { root, size } = head()
    return HttpServerResponse.jsonUnsafe(
      {
        status: "ok",
        vkey,
        hosts,
        sessions: sessions(),
        tape_bytes: tapes(),
        log: { size, root: toHex(root) }
      },
      { headers }
    )
  })
)

/** For a person who looks at the address. */
const home = HttpRouter.add(
  "GET",
  "/",
  Effect.map(Notary, ({ collectors, hosts, vkey }) =>
    text(
      [
        "A Plumbline notary: it carries sessions of collectors to hosts, and states what the hosts answered.",
        `verifier key: ${vkey}`,
        `hosts: ${hosts}`,
        ...collectors.map((name) => `carries for: ${name}`),
        "log: /checkpoint and /tile/ (C2SP tlog-tiles)"
      ].join("\n")
    )
  )
)

const other = HttpRouter.add(
  "*",
  "/*",
  text("not found; there are CONNECT, POST /v1/sessions/<id>, GET /checkpoint, /tile/ and /health", 404)
)

const refuse = (collector: Duplex, status: number, message: string): void => {
  collector.end(`HTTP/1.1 ${status} ${message}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
}

/** Serves `CONNECT`, for which the router has no place. */
const tunnels = (server: Server, connections: Connections) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { carry } = yield* Notary
      const run = yield* FiberSet.makeRuntime<never, void, never>()
      const onConnect = guarded(
        "a session of a collector",
        (request: IncomingMessage, collector: Duplex, first: Buffer) => {
          // The server's own limits end with the head.
          request.socket.setTimeout(0).setNoDelay(true)
          // Without a listener an error would end the process.
          collector.on("error", () => collector.destroy())
          const authorization = request.headers["proxy-authorization"]
          run(
            carry(
              {
                target: request.url ?? "",
                authorization,
                first,
                admitted: () => {
                  connections.known(request.socket)
                  connections.carries(request.socket)
                }
              },
              collector
            ).pipe(
              Effect.catchTag("NotCarried", ({ message, status }) =>
                Effect.sync(() => refuse(collector, status, message))
              ),
              Effect.onInterrupt(() => Effect.sync(() => collector.destroy())),
              Effect.catchCause((cause) =>
                Effect.andThen(
                  Effect.logError("a session failed", cause),
                  Effect.sync(() => collector.destroy())
                )
              )
            )
          )
        },
        (_request, collector) => collector.destroy()
      )
      yield* Effect.acquireRelease(
        // biome-ignore lint/plugin/callback: guarded above
        Effect.sync(() => server.on("connect", onConnect)),
        () => Effect.sync(() => server.off("connect", onConnect))
      )
    })
  )

/** Of all connections, those that collectors with a token alone can take, and the most of one network: that of a collector's sessions. */
const shares = { keptForKnown: 0.5, mostOfNetwork: defaults.ofCollector + 50 }

const makeServer = ({ proxies }: Listening) => {
  const server = createServer({
    // A slow client holds only a connection, and not for long.
    headersTimeout: 10_000,
    requestTimeout: 20_000,
    connectionsCheckingInterval: 1000,
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16 * 1024
  })
  // A session has two sockets.
  const most = Math.max(1, Math.min(2000, Math.floor(roomForConnections() / 2)))
  server.setTimeout(minute)
  return { server, connections: boundConnections(server, { ...shares, most }, proxies) }
}

/** The notary in a folder, listening on an address. */
export const layer = (folder: string, address: Listening, limits: Partial<NotaryLimits> = {}) =>
  Layer.suspend(() => {
    const { connections, server } = makeServer(address)
    return Layer.merge(
      HttpRouter.serve(Layer.mergeAll(session, checkpoint, tile, health, home, other), {
        disableLogger: true,
        disableListenLog: true
      }),
      tunnels(server, connections)
    ).pipe(
      Layer.provideMerge(NodeHttpServer.layer(() => server, address)),
      Layer.provideMerge(Notary.layer(folder, limits))
    )
  })
