/** Debian's Caddy and nginx with the shipped examples: limits by caller, streams as they come, signatures that still hold. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { freePort, isListening } from "../support/freePort.ts"
import { missing, pathOf } from "../support/programs.ts"
import { authority, Service } from "../support/service.ts"
import { call, header, signatureFault } from "../support/signed.ts"
import { startProgram } from "../support/tools.ts"
import { until } from "../support/until.ts"

const deploy = new URL("../../runtime/deploy/", import.meta.url).pathname

const caddy = Effect.fnUntraced(function* (upstream: number, port: number) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-caddy-"))
  return yield* startProgram(
    pathOf("caddy"),
    ["run", "--config", join(deploy, "Caddyfile"), "--adapter", "caddyfile"],
    {
      cwd: folder,
      env: {
        HOME: folder,
        PLUMBLINE_DOMAIN: `http://${authority}:${port}`,
        PLUMBLINE_UPSTREAM: `127.0.0.1:${upstream}`
      }
    }
  )
})

/** The example, with this test's ports and without TLS, in the least that nginx needs around it. */
const nginx = Effect.fnUntraced(function* (upstream: number, port: number) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-nginx-"))
  const site = readFileSync(join(deploy, "nginx.conf"), "utf8")
    .replace("127.0.0.1:8080", `127.0.0.1:${upstream}`)
    .replace("listen 443 ssl http2;", `listen 127.0.0.1:${port};`)
    .replace(/ *ssl_certificate.*\n/g, "")
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(" ")
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${places}\n${site}\n}`
  )
  return yield* startProgram(pathOf("nginx"), [
    "-p",
    folder,
    "-c",
    join(folder, "nginx.conf"),
    "-e",
    "stderr"
  ])
})

/** A stream whose second part waits until the client has the first. */
const makeStream = () => {
  const second = Promise.withResolvers<void>()
  const parts = Stream.fromAsyncIterable(
    (async function* () {
      yield Buffer.from("first\n")
      await second.promise
      yield Buffer.from("second\n")
    })(),
    (error) => error
  )
  const handler = Effect.sync(() => HttpServerResponse.stream(parts, { contentType: "text/event-stream" }))
  return { second, handler }
}

/** A 402 whose headers are as long as they become with all ways to pay, an offer and what goes with it. */
const terms = "t".repeat(8 * 1024)
const priced = Effect.sync(() =>
  HttpServerResponse.jsonUnsafe({}, { status: 402, headers: { "payment-required": terms } })
)

const behind = (proxy: typeof caddy | typeof nginx) => {
  it.live(
    "limits are those of the caller, streams come part by part, a 402 keeps its headers, and signatures hold",
    () => {
      const { handler, second } = makeStream()
      return Effect.gen(function* () {
        const service = yield* Service
        const port = yield* Effect.promise(freePort)
        const program = yield* proxy(service.port, port)
        const ask = (path: string, headers: Record<string, string> = {}) =>
          Effect.promise(() => call(port, { path, headers: { host: authority, ...headers } }))
        yield* until(() => program.child.exitCode !== null || isListening(port)).pipe(
          Effect.andThen(Effect.sync(() => assert.isNull(program.child.exitCode, program.output())))
        )

        for (const coding of ["identity", "gzip", "br"]) {
          const reply = yield* ask("/v1/supply?network=FIL", { "accept-encoding": coding })
          assert.strictEqual(reply.status, 200)
          assert.isUndefined(signatureFault(reply, service.keys, authority), coding)
        }
        // A caller cannot name an address; the proxy's is the one that counts.
        const remaining = (headers: Record<string, string>) =>
          Effect.map(ask("/v1/networks", headers), (reply) =>
            Number(/"minute";r=(\d+)/.exec(header(reply, "ratelimit") ?? "")?.[1])
          )
        const before = yield* remaining({ "x-forwarded-for": "192.0.2.7" })
        assert.strictEqual(yield* remaining({ "x-forwarded-for": "192.0.2.8" }), before - 1)

        const refused = yield* ask("/v1/network/NOPE", { "x-request-id": "of-the-caller" })
        assert.match(header(refused, "x-request-id") ?? "", /^[\w-]{32,36}$/)
        assert.strictEqual((yield* ask("/metrics")).status, 404)
        // Once, in place of the service's, and with refusals of either.
        for (const path of ["/v1/networks", "/v1/network/NOPE", "/metrics"])
          assert.strictEqual(
            header(yield* ask(path), "strict-transport-security"),
            "max-age=63072000; includeSubDomains",
            path
          )

        const payment = yield* ask("/priced")
        assert.strictEqual(payment.status, 402)
        assert.strictEqual(header(payment, "payment-required"), terms)
        // What is paid with repeats most of what was asked for.
        const paid = yield* ask("/v1/supply?network=FIL", { "payment-signature": terms })
        assert.strictEqual(paid.status, 200)

        const received = yield* Effect.promise(
          () =>
            new Promise<ReadonlyArray<string>>((resolve, reject) => {
              const parts: Array<string> = []
              request(
                { port, host: "127.0.0.1", path: "/stream", headers: { host: authority } },
                (response) => {
                  response.on("data", (part) => {
                    parts.push(String(part))
                    second.resolve()
                  })
                  response.on("end", () => resolve(parts))
                }
              )
                .on("error", reject)
                .end()
            })
        )
        assert.deepStrictEqual(received, ["first\n", "second\n"])
      }).pipe(
        Effect.provide(
          Service.layer({
            trustProxy: 1,
            limited: true,
            beside: [
              { method: "GET", path: "/stream", summary: "A stream", handler },
              { method: "GET", path: "/priced", summary: "A price", handler: priced }
            ]
          })
        )
      )
    },
    60_000
  )
}

describe.skipIf(missing("caddy"))("behind Caddy", () => behind(caddy))
describe.skipIf(missing("nginx"))("behind nginx", () => behind(nginx))
