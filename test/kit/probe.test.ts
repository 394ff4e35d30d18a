/** `plumbline probe` against 70 hosts, of which 40 fail or answer something else than they used to. */
import { createHash } from "node:crypto"
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createTcpServer } from "node:net"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { nonEmpty, positive } from "../../core/plugin/shapes/fields.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import { shapeOf } from "../../core/readings/ingest/shapes/shape.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { needsAttention, type Probed } from "../../runtime/contributor/probe/Probed.ts"
import { probeAll } from "../../runtime/contributor/probe/probeAll.ts"
import * as Report from "../../runtime/contributor/probe/report.ts"
import { Egress } from "../../runtime/upstream/Egress.ts"
import { contributor } from "../support/contributor.ts"
import { plumbline } from "../support/plumbline.ts"
import { standIn } from "../upstream/stand-in.ts"

const hosts = 70

const hostOf = (n: number) => `h${n}.sample.test`

/** A plugin like most: one document with a total, a list and a figure that may be missing. */
const pluginOf = (n: number) =>
  Plugin.define({
    id: `sample-${n}`,
    title: `Sample ${n}`,
    covers: { networks: ["FIL"] },
    source: `sample_${n}`,
    tier: "supply_telemetry",
    hosts: [hostOf(n)],
    every: "1 hour",
    timeout: "5 seconds",
    grade: "A",
    metrics: {
      nodes_online: { unit: "count", min: 0, meaning: "Nodes." },
      regions: { unit: "count", min: 0, max: 500, meaning: "Regions." }
    },
    collect: (observe) =>
      Effect.gen(function* () {
        const answer = yield* Upstream.json(
          `https://${hostOf(n)}/v1/summary`,
          Schema.Struct({
            total: positive,
            regions: nonEmpty(Schema.Struct({ name: Schema.String, nodes: Schema.Int }))
          })
        )
        return observe(answer, { nodes_online: answer.body.total, regions: answer.body.regions.length })
      })
  })

const sound = { total: 1200, updated: "2026-09-05T10:00:00Z", regions: [{ name: "eu", nodes: 700 }] }

type Answering = (answer: ServerResponse, request: IncomingMessage) => void

const json =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answering =>
  (answer) =>
    answer.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))

const text =
  (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Answering =>
  (answer) =>
    answer.writeHead(200, headers).end(body)

interface Mode {
  readonly answering: Answering
  /** What the report must say of it. */
  readonly says: RegExp
  /** Default `failed`. */
  readonly outcome?: Probed["outcome"]
}

const modes: Readonly<Record<string, Mode>> = {
  "status 403": { answering: json({}, 403), says: /status 403/ },
  "status 404": { answering: json({}, 404), says: /status 404/ },
  "429 that asks for an hour": { answering: json({}, 429, { "retry-after": "3600" }), says: /status 429/ },
  "429 that asks for nothing": { answering: json({}, 429), says: /status 429/ },
  "status 500": { answering: json({ error: "x" }, 500), says: /status 500/ },
  "status 503": { answering: json({}, 503), says: /status 503/ },
  "no answer": { answering: () => {}, says: /no answer within/ },
  "a slow body": {
    answering: (answer) => {
      answer.writeHead(200)
      const timer = setInterval(() => answer.write(" "), 50)
      answer.on("close", () => clearInterval(timer))
    },
    says: /no answer within/
  },
  "a reset connection": { answering: (answer) => answer.destroy(), says: /clos|reset/ },
  "a body cut short": {
    answering: (answer) => {
      answer.writeHead(200, { "content-length": "500" })
      answer.write(JSON.stringify(sound))
      setTimeout(() => answer.destroy(), 20)
    },
    says: /clos|short|reset|length/i
  },
  "HTML instead of JSON": { answering: text("<!doctype html><p>Just a moment"), says: /not JSON/ },
  "truncated JSON": { answering: text(JSON.stringify(sound).slice(0, 40)), says: /not JSON/ },
  "an empty body": { answering: text(""), says: /the body is empty/ },
  "another encoding": { answering: text(Buffer.from(JSON.stringify(sound), "utf16le")), says: /not/ },
  "plain text called gzip": {
    answering: text(JSON.stringify(sound), { "content-encoding": "gzip" }),
    says: /the compressed answer of .* is damaged/
  },
  "a bomb in gzip": {
    answering: text(gzipSync(Buffer.alloc(1 << 20, 32)), { "content-encoding": "gzip" }),
    says: /more than|larger|too/
  },
  "too large": { answering: text(" ".repeat(300 << 10)), says: /more than|larger|too/ },
  "headers without end": { answering: json(sound, 200, { x: "y".repeat(40_000) }), says: /header/i },
  "a redirect loop": {
    answering: (answer, { url }) => answer.writeHead(302, { location: `${url}x` }).end(),
    says: /redirects/
  },
  "a redirect to another host": {
    answering: (answer) => answer.writeHead(301, { location: "https://elsewhere.test/" }).end(),
    says: /after a redirect/
  },
  "all zeros": { answering: json({ total: 0, regions: [{ name: "", nodes: 0 }] }), says: /total/ },
  "an empty list": { answering: json({ ...sound, regions: [] }), says: /regions/ },
  "a renamed member": {
    answering: json({ ...sound, total: undefined, count: 3 }),
    says: /"absent":\["FIL nodes_online sample_22"\].*"added":\["\/v1\/summary\.count"\],"missing":\["\/v1\/summary\.total"\]/,
    outcome: "reached"
  },
  "an error in a 200": {
    answering: json({ status: "error", message: "no" }),
    says: /summary: no"/
  },
  "text where a number was": {
    answering: json({ ...sound, total: "n/a" }),
    says: /"\/v1\/summary\.total is string, was number"/,
    outcome: "partly"
  },
  "a drip of headers": {
    answering: ({ socket }) => {
      socket?.write("HTTP/1.1 200 OK\r\nx-drip: ")
      const timer = setInterval(() => socket?.write("x"), 50)
      socket?.on("close", () => clearInterval(timer))
    },
    says: /no answer within/
  },
  "preliminary answers without end": {
    answering: ({ socket }) => {
      const timer = setInterval(() => socket?.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 20)
      socket?.on("close", () => clearInterval(timer))
    },
    says: /no answer within/
  },
  "more bytes than the Content-Length says": {
    answering: ({ socket }) => {
      const body = JSON.stringify(sound)
      socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length - 10}\r\n\r\n${body}`)
    },
    says: /not JSON/
  },
  "JSON cut at the edge of a chunk": {
    answering: (answer) => {
      answer.write('{"total":1200,')
      answer.write('"updated":"2026-09-05T10:00:00Z",')
      answer.end('"regions":[')
    },
    says: /not JSON/
  },
  "chunks without the last one": {
    answering: (answer) => answer.write(JSON.stringify(sound), () => answer.socket?.end()),
    says: /closed the connection before its answer was complete/
  },
  "not modified since nobody asked": { answering: json({}, 304), says: /status 304, not modified/ },
  "a part for which nobody asked": { answering: json(sound, 206), says: /status 206: a part of the answer/ },
  "a job to be done later": { answering: json(sound, 202), says: /status 202: accepted/ },
  "no content": { answering: (answer) => answer.writeHead(204).end(), says: /status 204: no content/ },
  "a redirect to nowhere": { answering: (answer) => answer.writeHead(302).end(), says: /status 302/ },
  "lists in lists without end": {
    answering: text(`${"[".repeat(100_000)}${"]".repeat(100_000)}`),
    says: /Expected object/
  },
  "a number beyond all numbers": {
    answering: text(JSON.stringify(sound).replace("1200", "1e999")),
    says: /got 1e999, a number expected/,
    outcome: "partly"
  },
  "JSON after a byte order mark": {
    answering: text(`\uFEFF${JSON.stringify(sound)}`),
    says: /"rows":2/,
    outcome: "reached"
  },
  "an impossible number": {
    answering: json({ ...sound, regions: Array.from({ length: 501 }, () => ({ name: "x", nodes: 1 })) }),
    says: /501 is above the greatest possible value/,
    outcome: "partly"
  }
}

const failing = Object.entries(modes)

/** One server for all hosts, by the `Host` header; and a port that nothing listens on. */
const standIns = Effect.acquireRelease(
  Effect.callback<{ readonly server: ReturnType<typeof createServer>; readonly port: number }>((resume) => {
    const server = createServer((request, answer) => {
      answer.on("error", () => {})
      const n = Number(/^h(\d+)/.exec(request.headers.host ?? "")?.[1])
      const answering = failing[n]?.[1].answering ?? json(sound)
      answering(answer, request)
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(
        Effect.succeed({ server, port: typeof address === "object" && address !== null ? address.port : 0 })
      )
    })
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

const closedPort = Effect.callback<number>((resume) => {
  const server = createTcpServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

const run = (
  around: Partial<Parameters<typeof probeAll>[1]> & { readonly fixtures: string },
  port: number,
  plugins: ReadonlyArray<Plugin.Plugin>,
  onDone: (probed: Probed) => void = () => {}
) =>
  Effect.gen(function* () {
    const closed = yield* closedPort
    const map = new Map(
      Array.from({ length: hosts }, (_, n) => [
        hostOf(n),
        new URL(`http://127.0.0.1:${n === failing.length ? closed : port}`)
      ])
    )
    return yield* probeAll(plugins, {
      environment: {},
      ranges: new Map(),
      contracts: [],
      capture: false,
      stateFile: join(around.fixtures, "state.jsonl"),
      mapped: true,
      onDone: (probed) => Effect.sync(() => onDone(probed)),
      ...around
    }).pipe(
      Effect.provide([
        Egress.layer({ map, limits: { timeout: "2500 millis", backoff: 0, bytes: 256 << 10 } }),
        SecureRandom.layerWebCrypto
      ])
    )
  })

const recordedAt = Date.parse("2026-09-05T11:00:00Z")

/** The case ok of a plugin, as its upstream answered when it was written. */
const recordOk = Effect.fnUntraced(function* (plugin: Plugin.Plugin, fixtures: string, body: unknown) {
  const { id } = plugin.manifest
  const place = join(fixtures, id, "ok")
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  const tape = {
    now: recordedAt,
    targets: [],
    settings: {},
    exchanges: [
      {
        request: { method: "GET", url: `https://${plugin.manifest.hosts[0]}/v1/summary` } as const,
        at: recordedAt,
        status: 200,
        headers: {},
        sha256: createHash("sha256").update(bytes).digest("hex"),
        body: bytes
      }
    ]
  }
  yield* Fixtures.save(place, { plugin: id, origin: "written", note: "a test" }, tape)
  yield* Fixtures.writeExpected(place, yield* Fixtures.replay(plugin, tape))
})

const all = Array.from({ length: hosts }, (_, n) => pluginOf(n))

describe("a probe", () => {
  it.live("of 70 hosts says of each whether it was reached, and why not", () =>
    Effect.gen(function* () {
      const { port } = yield* standIns
      const { fixtures } = yield* contributor
      for (const plugin of all.slice(0, 30)) yield* recordOk(plugin, fixtures, sound)
      const results = yield* run({ fixtures }, port, all)
      assert.lengthOf(results, hosts)
      const report = Report.markdown(results)
      const wrong = failing.flatMap(([name, { outcome = "failed", says }], n) => {
        const one = results[n]
        const right = one?.outcome === outcome && says.test(JSON.stringify(one))
        return right && report.includes(`## sample-${n}\n`) ? [] : [[name, one]]
      })
      assert.deepStrictEqual(wrong, [])
      const refusing = results[failing.length]
      assert.match(refusing?.error?.message ?? "", /refused the connection|ECONNREFUSED/)
      assert.deepStrictEqual(
        results.slice(failing.length + 1).map(({ outcome, rows }) => [outcome, rows]),
        Array.from({ length: hosts - failing.length - 1 }, () => ["reached", 2])
      )
    })
  )

  it.live("compares values with the last known ones, and members with those of the fixtures", () =>
    Effect.gen(function* () {
      const { port } = yield* standIns
      const { fixtures } = yield* contributor
      const [far, near, other] = all.slice(-3)
      if (far === undefined || near === undefined || other === undefined) return assert.fail()
      yield* recordOk(far, fixtures, sound)
      yield* recordOk(near, fixtures, sound)
      const region = { name: "eu", nodes: 700, gpus: 3 }
      yield* recordOk(other, fixtures, { total: 1200, updated: 17, regions: [region] })
      const rangesBySeries = new Map([
        [`FIL nodes_online ${far.manifest.source}`, { low: 10, high: 599 }],
        [`FIL nodes_online ${near.manifest.source}`, { low: 700, high: 2000 }]
      ])
      const contracts = [near, far].map(({ manifest: { hosts, id } }, n) => ({
        plugin: id,
        address: `${hosts[0]}/v1/summary`,
        shape: shapeOf([n === 0 ? sound : { ...sound, total: "1200", peers: 3 }])
      }))
      const results = yield* run({ fixtures, ranges: rangesBySeries, contracts }, port, [far, near, other])
      assert.deepStrictEqual(results[0]?.broken, [
        `${far.manifest.hosts[0]}/v1/summary.peers is gone (was number)`,
        `${far.manifest.hosts[0]}/v1/summary.total is number, was string`
      ])
      assert.deepStrictEqual(results[1]?.broken, [])
      assert.isTrue(results[0] !== undefined && needsAttention(results[0]))
      assert.deepStrictEqual(
        results.map(({ compared, outside }) => [
          compared,
          outside.map(({ metric, value }) => [metric, value])
        ]),
        [
          [1, [["nodes_online", 1200]]],
          [1, []],
          [0, []]
        ]
      )
      assert.deepStrictEqual(results[0]?.members, { added: [], missing: [], changed: [] })
      assert.deepStrictEqual(results[2]?.members, {
        added: [],
        missing: ["/v1/summary.regions[].gpus"],
        changed: ["/v1/summary.updated is string, was number"]
      })
      assert.match(Report.markdown(results), /FIL nodes\\_online of sample\\_67: 1200, known 10 to 599/)
    })
  )

  it.live("goes on where it was interrupted, and forgets what it knew when it is done", () =>
    Effect.gen(function* () {
      const { port } = yield* standIns
      const { fixtures } = yield* contributor
      const stateFile = join(fixtures, "state.jsonl")
      const some = all.slice(-6)
      const first: Array<string> = []
      const interrupted = yield* run({ fixtures, stateFile }, port, some, ({ plugin }) => {
        first.push(plugin)
        if (first.length === 2) throw new Error("the power goes")
      }).pipe(Effect.exit)
      assert.strictEqual(interrupted._tag, "Failure")
      // What a process leaves that is killed while it writes.
      appendFileSync(stateFile, '\n{"plugin":"sample-6')
      const second: Array<string> = []
      const results = yield* run({ fixtures, stateFile }, port, some, ({ plugin }) => second.push(plugin))
      assert.deepStrictEqual(
        first.filter((plugin) => second.includes(plugin)),
        []
      )
      assert.deepStrictEqual(
        results.map(({ outcome, plugin }) => [plugin, outcome]),
        some.map(({ manifest }) => [manifest.id, "reached"])
      )
      assert.isFalse(existsSync(stateFile))
    })
  )

  it.live("records what came as a case with its rows, and answers of stand-ins not as captured", () =>
    Effect.gen(function* () {
      const { port } = yield* standIns
      const { fixtures } = yield* contributor
      const plugin = all[hosts - 1]
      if (plugin === undefined) return assert.fail()
      const [probed] = yield* run({ fixtures, capture: true }, port, [plugin])
      assert.strictEqual(probed?.captured, "fixtures/sample-69/captured.json")
      const place = join(fixtures, "sample-69", "captured")
      const { recording, tape } = yield* Fixtures.load(place)
      assert.strictEqual(recording.origin, "written")
      assert.deepStrictEqual(yield* Fixtures.replay(plugin, tape), yield* Fixtures.expected(place))
    })
  )

  it.live("does not run a plugin without the key that it needs", () =>
    Effect.gen(function* () {
      const { port } = yield* standIns
      const { fixtures } = yield* contributor
      const plugin = Plugin.define({
        ...pluginOf(hosts - 1).manifest,
        auth: { [hostOf(hosts - 1)]: { setting: "SAMPLE_KEY", as: { query: "key" }, optional: false } },
        collect: () => Effect.die("it ran")
      })
      const [probed] = yield* run({ fixtures }, port, [plugin])
      assert.deepStrictEqual(
        [probed?.outcome, probed?.error?.message],
        ["needs_key", "SAMPLE_KEY is not set"]
      )
    })
  )
})

describe("plumbline probe", () => {
  it.live("reports in a terminal and as JSON, and says with its exit code whether a person should look", () =>
    Effect.gen(function* () {
      const { fixtures: folder } = yield* contributor
      const relays = { relays_published: "2026-09-05 10:00:00", relays: [{}], relays_truncated: 7999 }
      const bridges = { bridges_published: "2026-09-05 09:30:00", bridges: [{}], bridges_truncated: 99 }
      const server = yield* standIn((answer, { url }) =>
        url.startsWith("/summary?")
          ? answer.end(JSON.stringify({ ...relays, ...bridges }))
          : answer.end("<p>")
      )
      const environment = { UPSTREAM_MAP: `onionoo.torproject.org=http://127.0.0.1:${server.port}` }
      const report = join(folder, "report.md")
      const good = yield* plumbline(folder, environment, "probe", "tor", "--report", report)
      assert.strictEqual(good.code, 0, good.err)
      assert.match(good.out, /no database in DATA_DIR or DATABASE_URL/)
      assert.match(good.out, /^\[1\/1\] reached +tor +2 rows/m)
      assert.match(readFileSync(report, "utf8"), /^## tor$/m)
      assert.isFalse(existsSync(join(folder, "data")))

      const away = { UPSTREAM_MAP: "onionoo.torproject.org=http://127.0.0.1:9" }
      const none = yield* plumbline(folder, away, "probe", "tor", "--json")
      assert.strictEqual(none.code, 2, none.err)
      assert.strictEqual(JSON.parse(none.out)[0].outcome, "failed")

      const unsaid = yield* plumbline(folder, {}, "probe")
      assert.strictEqual(unsaid.code, 1)
      assert.match(unsaid.err, /name the plugins to probe, or use --all/)
    })
  )
})
