/** A witness on HTTP (C2SP tlog-witness): `POST /add-checkpoint` and `GET /<origin hash>/checkpoint`. */

import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ByteSize, Effect, Layer } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerResponse } from "effect/http"
import { minute } from "../../core/plugin/time.ts"
import { boundConnections } from "../../http/admission/boundConnections.ts"
import { isNodeRequest } from "../../http/request/origin.ts"
import { roomForConnections } from "../cli/descriptors.ts"
import type { Listening } from "../cli/listening.ts"
import { Witness } from "./Witness.ts"

/** A full proof, and a checkpoint with more signatures than the 16 that a note must be able to have. */
const largestBody = ByteSize.kibibytes(128)

const text = (body: string, status = 200, contentType = "text/plain; charset=utf-8") =>
  HttpServerResponse.text(`${body}${body.endsWith("\n") ? "" : "\n"}`, {
    status,
    contentType,
    headers: { "access-control-allow-origin": "*", "cache-control": "no-store" }
  })

/** `submitted` hears of each request that a listed log has signed. */
const addCheckpoint = (submitted: (request: object) => void) =>
  HttpRouter.add("POST", "/add-checkpoint", (request) =>
    Effect.gen(function* () {
      const body = yield* request.arrayBuffer
      const added = (yield* Witness).add(new Uint8Array(body))
      const line = yield* Effect.tapErrorTag(added, "OtherSize", () =>
        Effect.sync(() => submitted(request.source))
      )
      submitted(request.source)
      return text(line)
    }).pipe(
      Effect.provideService(HttpIncomingMessage.MaxBodySize, largestBody),
      Effect.catchTags({
        OtherSize: ({ size }) => Effect.succeed(text(String(size), 409, "text/x.tlog.size")),
        Refused: ({ message, status }) => Effect.succeed(text(message, status)),
        StateUnwritten: ({ message }) =>
          Effect.as(
            Effect.logError(message),
            text("the witness cannot store its state; try again later", 503)
          ),
        HttpServerError: () =>
          Effect.succeed(text(`the body must be complete and have at most ${largestBody} bytes`, 400))
      })
    )
  )

const latest = HttpRouter.add(
  "GET",
  "/:origin/checkpoint",
  Effect.gen(function* () {
    const { origin = "" } = yield* HttpRouter.params
    return text(yield* (yield* Witness).latest(origin))
  }).pipe(Effect.catchTag("Refused", ({ message, status }) => Effect.succeed(text(message, status))))
)

/** For a person who looks at the address: who this is and what it cosigns. */
const home = HttpRouter.add(
  "GET",
  "/",
  Effect.map(Witness, ({ origins, vkey }) =>
    text(
      [
        "A transparency log witness (https://c2sp.org/tlog-witness).",
        `verifier key: ${vkey}`,
        ...origins.map((origin) => `cosigns: ${origin}`)
      ].join("\n")
    )
  )
)

const other = HttpRouter.add(
  "*",
  "/*",
  text("not found; there are POST /add-checkpoint and GET /<SHA-256 of a log's origin>/checkpoint", 404)
)

/** Of all connections, those that listed logs alone can take, and the most of one network: a log needs one or two. */
const shares = { keptForKnown: 0.2, mostOfNetwork: 64 }

const makeServer = ({ proxies }: Listening) => {
  const server = createServer({
    // A slow client holds only a connection, and not for long.
    headersTimeout: 10_000,
    requestTimeout: 20_000,
    connectionsCheckingInterval: 1000,
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16 * 1024
  })
  server.setTimeout(minute)
  const most = Math.max(1, Math.min(1000, roomForConnections()))
  return { server, connections: boundConnections(server, { ...shares, most }, proxies) }
}

/** The witness in a folder, listening on an address. */
export const layer = (folder: string, address: Listening) =>
  Layer.suspend(() => {
    const { connections, server } = makeServer(address)
    const submitted = (source: object) => {
      if (isNodeRequest(source)) connections.known(source.socket)
    }
    return HttpRouter.serve(Layer.mergeAll(addCheckpoint(submitted), latest, home, other), {
      disableLogger: true,
      disableListenLog: true
    }).pipe(
      Layer.provideMerge(NodeHttpServer.layer(() => server, address)),
      Layer.provideMerge(Witness.layer(folder))
    )
  })
