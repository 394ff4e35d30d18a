/** Somebody between a browser and a service: passes on what is asked, and alters or redirects it as a test says. */
import { createServer } from "node:http"
import { Effect } from "effect"
import { call } from "./signed.ts"

export interface Between {
  readonly origin: string
  /** The port of the service behind; may be replaced at any time. */
  port: number
  /** The body that is sent in place of the service's; undefined for no answer. */
  alter: (path: string, body: Buffer) => Buffer | string | undefined
}

export const honest: Between["alter"] = (_, body) => body

export const startBetween = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<Between & { readonly close: () => void }>((resume) => {
      const server = createServer((request, response) => {
        const path = request.url ?? "/"
        const { accept = "*/*", "if-none-match": etag } = request.headers
        const headers = { accept, ...(etag === undefined ? {} : { "if-none-match": etag }) }
        call(between.port, { path, headers }).then(
          (reply) => {
            const {
              "content-encoding": _,
              "content-length": __,
              "transfer-encoding": ___,
              ...forwardedHeaders
            } = reply.headers
            const body = between.alter(path, reply.body)
            if (body === undefined) {
              response.destroy()
              return
            }
            // A browser that knows this header refuses another body by itself.
            if (body !== reply.body) delete forwardedHeaders["unencoded-digest"]
            response.writeHead(reply.status, forwardedHeaders).end(body)
          },
          () => response.writeHead(502).end()
        )
      })
      const between = {
        origin: "",
        port,
        alter: honest,
        close: () => {
          server.closeAllConnections()
          server.close()
        }
      }
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        between.origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
        resume(Effect.succeed(between))
      })
    }),
    ({ close }) => Effect.sync(close)
  )
