/**
 * A connection that ends itself when the other side has fallen silent. TCP tells of a peer that closed; of one that is gone
 * (a failover, a firewall that forgot the connection) it tells after a quarter of an hour, or never.
 */
import { connect, type NetConnectOpts, type Socket } from "node:net"
import { guarded } from "../../core/process/guarded.ts"

/** How often to look, in one silence. A process that was frozen looks once when it wakes, and then waits for the rest. */
const looks = 5

/** TCP's own probes of a connection on which nothing is under way, milliseconds. */
const keepAlive = 10_000

/** Connects. Once nothing was heard for `silence` milliseconds, whoever waits gets an error, and the connection is gone. */
export const connectWithSilenceTimeout = (to: NetConnectOpts, silence: number): Socket => {
  const socket = connect({ ...to, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAlive })
  let bytesRead = socket.bytesRead
  let quiet = 0
  // biome-ignore lint/plugin/loop: reads two numbers, and ends with the connection
  const watch = setInterval(
    guarded("watching a connection", () => {
      // What is paused is read by nobody: the silence is ours.
      quiet = socket.bytesRead === bytesRead && !socket.isPaused() ? quiet + 1 : 0
      bytesRead = socket.bytesRead
      if (quiet >= looks) socket.destroy(new Error(`nothing was heard for ${silence / 1000} s`))
    }),
    silence / looks
  )
  watch.unref()
  // Whoever used the connection may have left it, and its error must not end the process.
  socket.on(
    "error",
    guarded("the error of a connection", () => {})
  )
  socket.once(
    "close",
    guarded("the end of a connection", () => clearInterval(watch))
  )
  return socket
}
