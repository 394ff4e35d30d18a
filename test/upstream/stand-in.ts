/** A local server that answers for an upstream, well or badly, and the live form in front of it. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Context, Deferred, Effect, Layer, Redacted } from "effect"
import type { Limit } from "../../core/catalog/Hosts.ts"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import type { Request } from "../../core/plugin/Upstream.ts"
import type { Resolve } from "../../runtime/upstream/address.ts"
import { Egress } from "../../runtime/upstream/Egress.ts"
import type { UpstreamLimits } from "../../runtime/upstream/limits.ts"
import * as Live from "../../runtime/upstream/live.ts"

export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export type Answering = (answer: ServerResponse, request: ReceivedRequest, n: number) => void

/** Starts a server; it and every connection to it end with the scope. */
export const standIn = (answering: Answering) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const requests: Array<ReceivedRequest> = []
      const first = Deferred.makeUnsafe<void>()
      const server = createServer((request, answer) => {
        answer.on("error", () => {})
        const chunks: Array<Buffer> = []
        request.on("error", () => {})
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const { headers, method = "", url = "" } = request
          requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
          answering(answer, requests[requests.length - 1] as ReceivedRequest, requests.length)
          Deferred.doneUnsafe(first, Effect.void)
        })
      })
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
      const { port } = server.address() as AddressInfo
      return {
        requests,
        server,
        port,
        url: new URL(`http://127.0.0.1:${port}`),
        arrived: Deferred.await(first)
      }
    }),
    ({ server }) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        await new Promise((closed) => server.close(closed))
      })
  )

export const manifest: Manifest = {
  id: "sample",
  title: "Sample",
  covers: { networks: ["SMP"] },
  tier: "supply_telemetry",
  source: "sample",
  hosts: ["api.sample.test", "other.sample.test"],
  every: "1 minute",
  metrics: {},
  grade: "A",
  owner: "plumbline"
}

export interface Setup {
  readonly limits?: Partial<UpstreamLimits>
  readonly map?: Readonly<Record<string, URL>>
  readonly resolve?: Resolve
  readonly manifest?: Partial<Manifest>
  readonly keys?: Readonly<Record<string, string>>
  readonly settings?: Readonly<Record<string, string>>
  readonly allowed?: ReadonlyArray<Limit>
}

/** The live form of one run, with an `Egress` of its own. */
export const upstream = Effect.fnUntraced(function* (setup: Setup) {
  const outside = yield* Layer.build(
    Egress.layer({
      contact: "https://plumbline.test",
      // A wait of a test is its own, unless it says otherwise.
      limits: { backoff: 0, ...setup.limits },
      map: new Map(Object.entries(setup.map ?? {})),
      ...(setup.resolve === undefined ? {} : { resolve: setup.resolve }),
      ...(setup.allowed === undefined ? {} : { allowed: () => setup.allowed ?? [] })
    })
  )
  return yield* Live.make({
    manifest: { ...manifest, ...setup.manifest },
    now: 0,
    targets: [],
    settings: setup.settings ?? {},
    keys: Object.fromEntries(
      Object.entries(setup.keys ?? {}).map(([name, value]) => [name, Redacted.make(value)])
    )
  }).pipe(Effect.provideContext(Context.pick(Egress)(outside)))
})

/** A stand-in for `api.sample.test` and the live form in front of it. */
export const pair = Effect.fnUntraced(function* (answering: Answering, setup: Setup = {}) {
  const server = yield* standIn(answering)
  const live = yield* upstream({ ...setup, map: { "api.sample.test": server.url, ...setup.map } })
  return { ...server, live, exchange: live.exchange }
})

export const get = (path = "/v1/summary"): Request => ({
  method: "GET",
  url: `https://api.sample.test${path}`
})
