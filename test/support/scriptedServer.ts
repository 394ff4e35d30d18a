/** An HTTP server on loopback that answers whatever a test tells it to. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect } from "effect"

export type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** Starts it until the scope closes. `handle` may be replaced at any time. */
export const startScriptedServer = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; handle: Handler; readonly close: () => void }>((resume) => {
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        liar.handle(request, response, Buffer.concat(chunks).toString())
      })
    })
    const liar = {
      url: "",
      handle: ((_, response) => response.writeHead(500).end()) as Handler,
      close: () => {
        server.closeAllConnections()
        server.close()
      }
    }
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      liar.url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
      resume(Effect.succeed(liar))
    })
  }),
  (liar) => Effect.sync(liar.close)
)
