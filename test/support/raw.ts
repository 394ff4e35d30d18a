/** Requests as bytes, for what no client would send. */
import { connect } from "node:net"
import { Effect } from "effect"

/** All that comes back on a connection of its own until it is ended. */
export const raw = (port: number, text: string) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve) => {
        const socket = connect(port, "127.0.0.1", () => socket.write(text))
        const chunks: Array<Buffer> = []
        socket.on("data", (chunk) => chunks.push(chunk))
        socket.on("error", () => {})
        socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")))
      })
  )
