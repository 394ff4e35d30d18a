/**
 * What listeners of `/v1/stream` cost: memory of 5,000 idle ones, and how long an event takes to all of them. Alone:
 * `npx node test/bench/stream.ts`.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { type Row, within } from "./row.ts"

const count = 5000

interface ServerMessage {
  readonly port?: number
  readonly resident?: number
}

export const run = async (): Promise<ReadonlyArray<Row>> => {
  const child = fork(new URL("stream.server.ts", import.meta.url).pathname, { execArgv: ["--expose-gc"] })
  const nextMessage = async (): Promise<ServerMessage> => {
    const [message] = (await once(child, "message")) as [ServerMessage]
    return message
  }
  const sockets: Array<Socket> = []
  let events = 0
  try {
    const { port = 0 } = await nextMessage()
    /** Adds an event; what the process has resident before it. */
    const ask = async (): Promise<number> => {
      const reply = nextMessage()
      child.send("an event")
      return (await reply).resident ?? 0
    }
    const all = async (target: number) => {
      while (events < target) await new Promise((resume) => setImmediate(resume))
    }
    const listen = () =>
      new Promise<void>((opened, failed) => {
        const socket = connect(port, "127.0.0.1")
        sockets.push(socket)
        socket.on("error", failed)
        socket.on("data", (part) => {
          if (part.includes("event: open")) opened()
          if (part.includes("event: values")) events++
        })
        socket.write("GET /v1/stream?symbol=FIL HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
      })
    await listen()
    await ask()
    const before = await ask()
    await all(2)
    for (let n = 1; n < count; n += 100) {
      await Promise.all(Array.from({ length: Math.min(100, count - n) }, listen))
    }
    events = 0
    // The first event for all of them warms up.
    await ask()
    await all(count)
    events = 0
    const started = performance.now()
    const after = await ask()
    await all(count)
    const millis = performance.now() - started
    return [
      within("memory of 5,000 idle listeners", "MiB", after - before, ["<=", 200]),
      within("an event of 1.5 kB to 5,000 listeners", "ms", millis, ["<=", 5000])
    ]
  } finally {
    for (const socket of sockets) socket.destroy()
    child.kill()
  }
}

if (import.meta.main) {
  console.table(await run())
  process.exit()
}
