/**
 * How late a feed's readings are beside a feed that reads and decodes 30 MB every five seconds: the collector decodes
 * large bodies in a thread of their own. Alone: `npx node test/bench/largeBody.ts`.
 */
import { createServer } from "node:http"
import { Effect, Layer, Logger } from "effect"
import { Collector } from "../../runtime/collector/Collector.ts"
import { median, type Row, rounded } from "./row.ts"

const megabytes = 30
/** The cadence of the calm feed, in milliseconds. */
const cadence = 250
const seconds = 30

const bodyOf = (bytes: number): Buffer => {
  const node = (n: number) => `{"id":"${String(n).padStart(64, "0")}","online":true}`
  const nodes = Array.from({ length: Math.floor(bytes / (node(0).length + 1)) }, (_, n) => node(n))
  return Buffer.from(`{"nodes":[${nodes.join(",")}]}`)
}

/** How late readings are, in milliseconds, by when they arrived: on the grid of the cadence most are in time. */
const latenessOf = (arrived: ReadonlyArray<number>, base: number): ReadonlyArray<number> =>
  arrived.map((at) => (((at - base) % cadence) + cadence) % cadence)

const measure = Effect.gen(function* () {
  const body = bodyOf(megabytes * 1_000_000)
  const server = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const httpServer = createServer((request, answer) =>
        answer.end(request.headers.host?.startsWith("large") === true ? body : "7")
      )
      await new Promise<void>((listening) => httpServer.listen(0, "127.0.0.1", listening))
      return httpServer
    }),
    (httpServer) => Effect.sync(() => httpServer.close().closeAllConnections())
  )
  const address = server.address()
  const url = new URL(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`)
  const arrived: Array<number> = []
  const counts = { large: 0, failed: 0 }
  const services = yield* Layer.build(
    Collector.layer({
      folder: new URL("largeBody/", import.meta.url),
      map: new Map(["calm", "large"].map((name) => [`${name}.sample.test`, url])),
      backoff: { spread: 0 },
      deliver: ({ run }) =>
        Effect.sync(() => {
          if (run.status === "failed") counts.failed++
          if (run.plugin === "calm") arrived.push(performance.now())
          else counts.large++
        })
    })
  )
  const { manifests, own } = yield* Effect.provide(Collector, services)
  yield* manifests
  const spend = Effect.gen(function* () {
    arrived.length = 0
    yield* Effect.sleep(`${seconds} seconds`)
    return [...arrived]
  })
  yield* own([{ plugin: "calm" }])
  yield* Effect.sleep("3 seconds")
  const alone = yield* spend
  // A little before the median, so that what is early by a millisecond does not count as late by a whole turn.
  const base = median(latenessOf(alone, 0)) - 20
  yield* own([{ plugin: "large" }])
  // Its first body moves it to its own thread.
  yield* Effect.sleep("8 seconds")
  const beside = yield* spend
  if (counts.failed > 0 || counts.large < 3) {
    yield* Effect.die(`${counts.failed} runs failed, and ${counts.large} of 30 MB came`)
  }
  return { alone, beside, late: (some: ReadonlyArray<number>) => latenessOf(some, base) }
}).pipe(Effect.scoped)

export const run = async (): Promise<ReadonlyArray<Row>> => {
  const { alone, beside, late } = await Effect.runPromise(measure.pipe(Effect.provide(Logger.layer([]))))
  const due = (seconds * 1000) / cadence
  const [worst, usual] = [beside, alone].map((some) => Math.max(...late(some)) - median(late(alone)))
  const delay = worst ?? Number.NaN
  const peer = usual ?? Number.NaN
  return [
    {
      what: `the latest of ${beside.length} readings beside a feed of ${megabytes} MB, and without it`,
      value: rounded(delay),
      unit: "ms",
      peer: rounded(peer),
      ratio: rounded(delay / peer),
      aim: "<= 100 ms later",
      met: delay <= peer + 100
    },
    {
      what: "the same, none missed",
      value: beside.length,
      unit: "readings",
      peer: due,
      ratio: rounded(beside.length / due),
      aim: ">= 0.98 of those due",
      met: beside.length >= 0.98 * due
    }
  ]
}

if (import.meta.main) {
  console.table(await run())
  process.exit(0)
}
