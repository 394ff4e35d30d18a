/** A way to a server of this machine that can be shut: what is open is cut off, and nothing else comes through. */
import { connect, createServer, type Socket } from "node:net"
import { Effect } from "effect"

export interface TcpGate {
  readonly port: number
  readonly shut: () => void
  readonly open: () => void
}

/** A gate before a port of 127.0.0.1; open, until it is shut or its scope ends. */
export const tcpGate = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<TcpGate & { readonly end: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      let isOpen = true
      const cut = () => {
        for (const socket of sockets) socket.destroy()
      }
      const server = createServer((from) => {
        if (!isOpen) return void from.destroy()
        const to = connect(port, "127.0.0.1")
        for (const [one, other] of [
          [from, to],
          [to, from]
        ] as const) {
          sockets.add(one)
          one.pipe(other)
          one.on("error", () => other.destroy())
          one.on("close", () => sockets.delete(one))
        }
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(
          Effect.succeed({
            port: typeof address === "object" && address !== null ? address.port : 0,
            shut: () => {
              isOpen = false
              cut()
            },
            open: () => {
              isOpen = true
            },
            end: () => {
              cut()
              server.close()
            }
          })
        )
      })
    }),
    (gate) => Effect.sync(gate.end)
  )
