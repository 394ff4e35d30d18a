/** Bounds the connections of a small server (a notary, a witness, `/metrics`) as those of the service are. */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { guarded } from "../../core/process/guarded.ts"
import { networkOfRequest } from "../request/origin.ts"
import { type Bounds, type Connections, makeConnections } from "./Connections.ts"

const refused =
  "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 5\r\nConnection: close\r\n\r\n"

/** Tells a client that there is no room, and closes, whether or not it reads that. */
const refuse = (socket: Socket): void => {
  socket.on("error", () => socket.destroy())
  socket.end(refused, () => socket.destroy())
}

/** `proxies`: how many stand in front; connections are then theirs, and are not counted by network. */
export const boundConnections = (server: Server, bounds: Bounds, proxies = 0): Connections => {
  const connections = makeConnections(
    () => bounds,
    proxies === 0 ? undefined : (request) => networkOfRequest(request, proxies),
    refuse,
    () => {}
  )
  server.on(
    "connection",
    guarded("a connection", connections.connected, (socket) => socket.destroy())
  )
  server.prependListener(
    "request",
    guarded("a request", (request: IncomingMessage, response: ServerResponse) => {
      // One that was refused has its 503 already.
      connections.begun(request, response)
    })
  )
  return connections
}
