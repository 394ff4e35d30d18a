/** A way to a server of this machine that can fail as networks do: it closes, or says nothing any more. */
import { connect, createServer, type Socket } from "node:net"
import { Effect } from "effect"

export interface TcpGate {
  readonly port: number
  /** Cuts off what is open, and lets nothing else through. */
  readonly shut: () => void
  readonly open: () => void
  /** From now on the connections that exist pass no byte, and are not closed; new ones work, or are as mute. */
  readonly mute: (options?: { readonly newOnes: boolean }) => void
  /** New connections work again. */
  readonly heal: () => void
  /** How many mute connections the client has not given up. */
  readonly muted: () => number
}

/** A gate before a port of 127.0.0.1; open, until it is shut or its scope ends. */
export const tcpGate = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<TcpGate & { readonly end: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      /** The client's and the server's end of each connection that passes bytes. */
      const pairs = new Set<readonly [Socket, Socket]>()
      const muted = new Set<Socket>()
      let isOpen = true
      let isMute = false
      const cut = () => {
        for (const socket of sockets) socket.destroy()
      }
      const silence = (from: Socket) => {
        muted.add(from)
        from.removeAllListeners("close")
        // Reads on, for only so does it see that the client gives up.
        from.on("close", () => muted.delete(from)).resume()
      }
      const server = createServer((from) => {
        if (!isOpen) return void from.destroy()
        sockets.add(from)
        from.on("error", () => from.destroy())
        if (isMute) return silence(from)
        const to = connect(port, "127.0.0.1")
        sockets.add(to)
        const pair = [from, to] as const
        pairs.add(pair)
        from.pipe(to)
        to.pipe(from)
        to.on("error", () => from.destroy())
        from.on("close", () => {
          pairs.delete(pair)
          to.destroy()
        })
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
            mute: ({ newOnes } = { newOnes: false }) => {
              isMute = newOnes
              for (const [from, to] of pairs) {
                from.unpipe(to)
                to.unpipe(from)
                to.pause()
                silence(from)
              }
              pairs.clear()
            },
            heal: () => {
              isMute = false
            },
            muted: () => muted.size,
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
