/**
 * A load generator in a process of its own: keep-alive connections that each send one request after the other. Every
 * answer to the same request has the same length, so that an answer is known by its bytes and nothing is parsed.
 *
 * Arguments: port, connections, milliseconds, the request as base64. Prints answers a second.
 */
import { connect } from "node:net"

const [port = "", connections = "", millis = "", request = ""] = process.argv.slice(2)
const bytes = Buffer.from(request, "base64")

/** Length of one whole answer. */
const measure = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(bytes))
    let received = Buffer.alloc(0)
    socket.on("error", reject)
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk])
      const head = received.indexOf("\r\n\r\n")
      if (head < 0) return
      const text = received.subarray(0, head).toString("latin1")
      if (!text.startsWith("HTTP/1.1 200")) reject(new Error(text))
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
      if (received.length >= head + 4 + length) {
        socket.destroy()
        resolve(head + 4 + length)
      }
    })
  })

const run = async (): Promise<number> => {
  const size = await measure()
  let answers = 0
  const sockets = Array.from({ length: Number(connections) }, () => {
    let received = 0
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(bytes))
    socket.setNoDelay(true)
    socket.on("error", () => {})
    socket.on("data", (chunk) => {
      received += chunk.length
      while (received >= size) {
        received -= size
        answers++
        socket.write(bytes)
      }
    })
    return socket
  })
  // The first half second warms up.
  await new Promise((resolve) => setTimeout(resolve, 500))
  answers = 0
  const start = process.hrtime.bigint()
  await new Promise((resolve) => setTimeout(resolve, Number(millis)))
  const seconds = Number(process.hrtime.bigint() - start) / 1e9
  const rate = answers / seconds
  for (const socket of sockets) socket.destroy()
  return rate
}

console.log(await run())
