/**
 * A load generator in a process of its own: keep-alive connections that each send one request after the other. Reads a
 * `Load` as JSON from its input and prints a `Measured`.
 */
import { connect } from "node:net"
import { createHistogram } from "node:perf_hooks"
import { text } from "node:stream/consumers"

export interface Load {
  readonly port: number
  readonly connections: number
  readonly millis: number
  /** Sent in turn, or by Zipf's law where `zipf` is set: the n-th as often as 1/n. */
  readonly targets: ReadonlyArray<string>
  readonly zipf?: boolean
  /** Of 100 requests, so many are for targets of this list, each of which is asked for once. */
  readonly fresh?: { readonly percent: number; readonly targets: ReadonlyArray<string> }
  readonly coding?: "gzip"
  /** With a header that an answer from the cache never has. */
  readonly anew?: boolean
}

export interface Measured {
  /** Answers per second. */
  readonly rate: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly max: number
  /** Answers of 500 and more, and connections that broke. */
  readonly errors: number
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>
}

/** Numbers from 0 to 1, the same in every run. */
const randoms = () => {
  let state = 1
  return () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
}

const chooser = ({ fresh, targets, zipf = false }: Load): (() => string) => {
  const random = randoms()
  const sums: Array<number> = []
  let sum = 0
  for (let n = 1; n <= targets.length; n++) {
    sum += zipf ? 1 / n : 1
    sums.push(sum)
  }
  let turn = 0
  let nextFresh = 0
  const common = (): string => {
    if (!zipf) return targets[turn++ % targets.length] ?? "/"
    const at = random() * sum
    let [low, high] = [0, sums.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) < at) low = middle + 1
      else high = middle
    }
    return targets[low] ?? "/"
  }
  return () => {
    if (fresh !== undefined && nextFresh < fresh.targets.length && random() * 100 < fresh.percent) {
      return fresh.targets[nextFresh++] ?? "/"
    }
    return common()
  }
}

const lengthOf = (head: string): number => Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)

const measure = async (load: Load): Promise<Measured> => {
  const choose = chooser(load)
  const histogram = createHistogram()
  const statuses: Record<string, number> = {}
  let errors = 0
  let counts = false
  let over = false
  const headers =
    (load.coding === undefined ? "" : `Accept-Encoding: ${load.coding}\r\n`) +
    (load.anew === true ? "Content-Encoding: identity\r\n" : "")

  const sockets = Array.from({ length: load.connections }, () => {
    let startedAt = 0n
    let head = ""
    /** Bytes of the answer that are still to come; -1 while its head is. */
    let missing = -1
    const ask = () => {
      head = ""
      missing = -1
      startedAt = process.hrtime.bigint()
      socket.write(`GET ${choose()} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`)
    }
    const socket = connect(load.port, "127.0.0.1", ask)
    socket.setNoDelay(true)
    socket.on("error", () => {})
    socket.on("close", () => {
      if (!over) errors++
    })
    socket.on("data", (chunk) => {
      if (missing < 0) {
        const before = head.length
        head += chunk.toString("latin1", 0, Math.min(chunk.length, 8192))
        const end = head.indexOf("\r\n\r\n")
        if (end < 0) return
        missing = lengthOf(head.slice(0, end + 2)) - (chunk.length - (end + 4 - before))
      } else missing -= chunk.length
      if (missing > 0) return
      if (counts) {
        histogram.record(process.hrtime.bigint() - startedAt)
        const status = head.slice(9, 12)
        statuses[status] = (statuses[status] ?? 0) + 1
        if (status >= "500") errors++
      }
      if (!over) ask()
    })
    return socket
  })
  // The first half second warms up.
  await new Promise((resolve) => setTimeout(resolve, 500))
  counts = true
  const start = performance.now()
  await new Promise((resolve) => setTimeout(resolve, load.millis))
  const seconds = (performance.now() - start) / 1000
  counts = false
  over = true
  for (const socket of sockets) socket.destroy()
  const millis = (percent: number) => Math.round(histogram.percentile(percent) / 1e4) / 100
  return {
    rate: histogram.count / seconds,
    p50: millis(50),
    p99: millis(99),
    p999: millis(99.9),
    max: Math.round(histogram.max / 1e4) / 100,
    errors,
    statuses
  }
}

if (import.meta.main) {
  const load = JSON.parse(await text(process.stdin)) as Load
  process.stdout.write(JSON.stringify(await measure(load)), () => process.exit())
}
