/** What is shipped for three processes, with Debian's own nginx, Caddy, systemd and Prometheus. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, request, type Server } from "node:http"
import { createServer as createTcpServer, type Server as TcpServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { freePort, isListening } from "../support/freePort.ts"
import { missing, pathOf } from "../support/programs.ts"
import { runToEnd, startProgram } from "../support/tools.ts"

const deploy = new URL("../../runtime/deploy/", import.meta.url).pathname
const read = (name: string) => readFileSync(join(deploy, name), "utf8")
const host = "plumbline.example.org"

const listening = (server: Server | TcpServer, port: number) =>
  Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(port, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => server.close())
  )

/** One process that answers, one that is frozen, and one that is gone: their ports, and what reached the first two. */
const processes = Effect.gen(function* () {
  const [answering, frozen, gone] = [
    yield* Effect.promise(freePort),
    yield* Effect.promise(freePort),
    yield* Effect.promise(freePort)
  ]
  const reached: Array<string> = []
  let heldUp = 0
  const service = createServer((incoming, answer) => {
    reached.push(`${incoming.method} ${incoming.url}`)
    const respond = () => answer.end(incoming.headers["x-forwarded-for"])
    // Longer than the patience of the test's proxies with a reader.
    if (incoming.url?.startsWith("/x402/")) setTimeout(respond, 1500)
    else respond()
  })
  const mute = createTcpServer((socket) => {
    socket.once("data", (text) => {
      if (!String(text).startsWith("GET /readyz ")) heldUp++
    })
    socket.on("error", () => undefined)
  })
  yield* listening(service, answering)
  yield* listening(mute, frozen)
  return { ports: [frozen, gone, answering] as const, reached, heldUp: () => heldUp }
})

const ask = (port: number, method: string, path: string) =>
  Effect.callback<number>((resume) => {
    const incoming = request(
      { port, method, path, host: "127.0.0.1", headers: { host }, agent: false },
      (answer) => {
        answer.resume()
        answer.on("end", () => resume(Effect.succeed(answer.statusCode ?? 0)))
      }
    )
    incoming.on("error", () => resume(Effect.succeed(0)))
    incoming.end()
  })

/** The patience of the example, in a test's time. */
const hasty = (text: string) => text.replaceAll("10s", "1s")

const nginx = Effect.fnUntraced(function* (ports: ReadonlyArray<number>, port: number) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-nginx-"))
  const site = ports
    .reduce(
      (text, to, n) => text.replaceAll(`127.0.0.1:808${n + 1}`, `127.0.0.1:${to}`),
      hasty(read("cluster/nginx.conf")).replaceAll("fail_timeout=1s", "fail_timeout=60s")
    )
    .replace("listen 443 ssl http2;", `listen 127.0.0.1:${port};`)
    .replace(/ *ssl_certificate.*\n/g, "")
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(" ")
  const whole = `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${places}\n${site}\n}`
  writeFileSync(join(folder, "nginx.conf"), whole)
  const args = ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", "stderr"]
  return yield* startProgram(pathOf("nginx"), args)
})

const caddy = Effect.fnUntraced(function* (ports: ReadonlyArray<number>, port: number) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-caddy-"))
  writeFileSync(
    join(folder, "Caddyfile"),
    hasty(read("cluster/Caddyfile")).replace("fail_duration 1s", "fail_duration 60s")
  )
  return yield* startProgram(
    pathOf("caddy"),
    ["run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"],
    {
      cwd: folder,
      env: {
        HOME: folder,
        PLUMBLINE_DOMAIN: `http://${host}:${port}`,
        PLUMBLINE_UPSTREAMS: ports.map((to) => `127.0.0.1:${to}`).join(" ")
      }
    }
  )
})

/** The three processes behind a proxy that serves. */
const behindOne = Effect.fnUntraced(function* (
  proxy: typeof caddy | typeof nginx,
  chosen: (ports: readonly [number, number, number]) => ReadonlyArray<number> = (ports) => ports
) {
  const { ports, ...rest } = yield* processes
  const port = yield* Effect.promise(freePort)
  const program = yield* proxy(chosen(ports), port)
  while (!isListening(port)) {
    assert.isNull(program.child.exitCode, program.output())
    yield* Effect.sleep("50 millis")
  }
  return { ...rest, port }
})

const behind = (proxy: typeof caddy | typeof nginx) => {
  it.live(
    "a frozen and a missing process hold up a few requests and lose no reader; a purchase is sent once",
    () =>
      Effect.gen(function* () {
        const { heldUp, port, reached } = yield* behindOne(proxy)
        const paths = Array.from({ length: 40 }, (_, n) => `/v1/networks?n=${n}`)
        const statuses = yield* Effect.forEach(paths, (path) => ask(port, "GET", path), { concurrency: 4 })
        assert.deepStrictEqual(new Set(statuses), new Set([200]))
        // Those that were under way when the second failure was seen.
        assert.isAtMost(heldUp(), 2 + 4)

        const bought = yield* Effect.forEach(
          Array.from({ length: 10 }, (_, n) => `/v1/credits/purchase?n=${n}`),
          (path) => ask(port, "POST", path)
        )
        assert.isAbove(bought.filter((status) => status === 200).length, 6)
        const posts = reached.filter((line) => line.startsWith("POST"))
        assert.strictEqual(new Set(posts).size, posts.length)
        assert.strictEqual(yield* ask(port, "GET", "/metrics"), 404)
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "a sale per request may take longer than a reader waits",
    () =>
      Effect.gen(function* () {
        const { port, reached } = yield* behindOne(proxy, ([, , answering]) => [
          answering,
          answering,
          answering
        ])
        const sale = "/x402/v1/data/depin_networks"
        assert.strictEqual(yield* ask(port, "GET", sale), 200)
        assert.deepStrictEqual(
          reached.filter((line) => line.endsWith(sale)),
          [`GET ${sale}`]
        )
      }).pipe(Effect.scoped),
    60_000
  )
}

describe.skipIf(missing("caddy"))("three processes behind Caddy", () => behind(caddy))
describe.skipIf(missing("nginx"))("three processes behind nginx", () => behind(nginx))

describe("the unit of one process of several", () => {
  it("is as hardened as the one of a process alone", () => {
    const hardening = (text: string) => text.slice(text.indexOf("NoNewPrivileges"))
    assert.strictEqual(hardening(read("cluster/plumbline@.service")), hardening(read("plumbline.service")))
  })

  it.skipIf(missing("systemd-analyze"))("passes systemd-analyze", () => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-unit-"))
    const unit = read("cluster/plumbline@.service").replace("/usr/bin/node", process.execPath)
    writeFileSync(join(folder, "plumbline@.service"), unit)
    const args = ["verify", join(folder, "plumbline@1.service")]
    writeFileSync(join(folder, "plumbline@1.service"), unit)
    const { out, status } = runToEnd(pathOf("systemd-analyze"), args)
    assert.deepStrictEqual([status, out], [0, ""])
  })
})

it.skipIf(missing("promtool"))("the scraping of three processes is valid, and has the rules", () => {
  const args = ["check", "config", join(deploy, "cluster/prometheus.yml")]
  const { out, status } = runToEnd(pathOf("promtool"), args)
  assert.strictEqual(status, 0, out)
  assert.match(out, /1 rule files found/)
})
