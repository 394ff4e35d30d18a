/** Hosts that fail: each run is one line of the log with plugin, request and cause, and nothing of it is published. */
import { randomBytes } from "node:crypto"
import type { ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Logger, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { positive } from "../../core/plugin/shapes/fields.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import * as RunState from "../../runtime/collector/RunState.ts"
import { defaultBackoff } from "../../runtime/collector/runLimits.ts"
import * as Supervisor from "../../runtime/collector/Supervisor.ts"
import { logger } from "../../runtime/logging/lines.ts"
import { standIn, upstream } from "../upstream/stand-in.ts"

const random = Effect.provideService(
  SecureRandom.SecureRandom,
  SecureRandom.make((size) => randomBytes(size))
)

const first = "https://api.sample.test/v1/first"
const second = "https://api.sample.test/v1/second"
const sound = JSON.stringify({ nodes: 5 })
const Answer = Schema.Struct({ nodes: positive })

/** Two requests, one after the other: the second host's failure must not be told of the first request. */
const whole = Plugin.define({
  id: "whole",
  title: "Whole",
  covers: { networks: ["FIL"] },
  source: "whole",
  tier: "supply_telemetry",
  hosts: ["api.sample.test"],
  every: "1 hour",
  grade: "A",
  metrics: { nodes_online: { unit: "count", min: 0, meaning: "Nodes." } },
  collect: (observe) =>
    Effect.gen(function* () {
      yield* Upstream.json(first, Answer)
      const answer = yield* Upstream.json(second, Answer)
      return observe(answer, { nodes_online: answer.body.nodes })
    })
})

/** Runs the plugin once, and gives the run and what was logged. */
const ran = Effect.fnUntraced(function* (failing: (answer: ServerResponse) => void) {
  const server = yield* standIn((answer, { url }) =>
    url === "/v1/first" ? answer.end(sound) : failing(answer)
  )
  const outside = yield* upstream({
    limits: { timeout: "400 millis", retries: 0, bytes: 64 << 10 },
    map: { "api.sample.test": server.url }
  })
  const lines: Array<string> = []
  const delivered = yield* Deferred.make<Delivery>()
  const now = Date.now()
  const supervisor = yield* Supervisor.make({
    plugins: [{ plugin: whole, codeHash: () => "0".repeat(64) }],
    upstream: () => Effect.succeed(outside),
    deliver: (delivery) => Deferred.succeed(delivered, delivery),
    // It is due now.
    before: new Map([["whole", { ...RunState.fresh("whole", 1, now, defaultBackoff), base: now, next: now }]])
  }).pipe(random)
  const { run } = yield* Effect.andThen(
    supervisor.own([{ plugin: "whole" }]),
    Deferred.await(delivered)
  ).pipe(
    Effect.provide(
      Logger.layer([
        logger(
          "text",
          (line) => line,
          (line) => lines.push(line)
        )
      ])
    )
  )
  return { lines, run }
})

const ways: Readonly<
  Record<string, readonly [failing: (answer: ServerResponse) => void, error: string, cause: RegExp]>
> = {
  "drips its body": [
    (answer) => {
      const timer = setInterval(() => answer.write(" "), 20)
      answer.on("close", () => clearInterval(timer))
    },
    "UpstreamUnreachable",
    /no answer within 400ms/
  ],
  "redirects without end": [
    (answer) => answer.writeHead(302, { location: second }).end(),
    "UpstreamUnreachable",
    /more than 5 redirects/
  ],
  "sends a bomb": [
    (answer) => answer.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(1 << 20))),
    "UpstreamUnreachable",
    /larger than 65536 bytes/
  ],
  "sends fewer bytes than it says": [
    ({ socket }) => socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n${sound}`),
    "UpstreamUnreachable",
    /closed the connection before its answer was complete/
  ],
  "sends more bytes than it says": [
    ({ socket }) => socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n${sound}`),
    "UpstreamChanged",
    /not JSON/
  ],
  "answers with a page": [
    (answer) =>
      answer.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>\n<p>Just a moment"),
    "UpstreamChanged",
    /not JSON: .*doctype/
  ],
  "cuts JSON at the edge of a chunk": [
    (answer) => {
      answer.write('{"nodes":')
      answer.end()
    },
    "UpstreamChanged",
    /not JSON/
  ],
  "has not modified what nobody has": [
    (answer) => answer.writeHead(304).end(),
    "UpstreamUnreachable",
    /status 304/
  ],
  "sends a part": [(answer) => answer.writeHead(206).end(sound), "UpstreamRefused", /status 206/]
}

describe("a host that", () => {
  it.live.each(Object.entries(ways))("%s is one line of the log, and nothing is published", ([, way]) =>
    Effect.gen(function* () {
      const [failing, error, cause] = way
      const { lines, run } = yield* ran(failing)
      assert.deepStrictEqual([run.status, run.observations, run.error?.tag], ["failed", [], error])
      assert.lengthOf(lines, 1, lines.join(""))
      assert.match(lines[0] ?? "", /^\S+Z WARN {2}run failed plugin=whole [^\n]*\n$/)
      assert.include(lines[0], `request="GET ${second}"`)
      assert.include(lines[0], `error=${error}`)
      assert.match(lines[0] ?? "", cause)
    })
  )
})
