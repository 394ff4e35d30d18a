/**
 * A notary: what a session costs it, how many of the real collectors' keyless runs it states over stand-ins on HTTPS, and how many of
 * 200 forgeries. One that its limit allows, by a relay in its path that the collector helps, is not among them.
 */
import { readFileSync } from "node:fs"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Context, Effect, Layer } from "effect"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import { type Exchange, Upstream } from "../../core/plugin/Upstream.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { isHostName } from "../../core/proof/sessionSense.ts"
import type { RunResult } from "../../core/readings/ingest/Run.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import * as Notaries from "../../runtime/notaries/Notaries.ts"
import { Refused } from "../../runtime/notary/Refused.ts"
import { Egress } from "../../runtime/upstream/Egress.ts"
import * as Live from "../../runtime/upstream/live.ts"
import * as Recording from "../../runtime/upstream/recording.ts"
import type { Tape } from "../../runtime/upstream/replay.ts"
import { authority } from "../support/notary/certificates.ts"
import { type Captured, capture, doctored, findingsOf } from "../support/notary/tap.ts"
import { nodeServer } from "../support/notary/upstreams.ts"
import { runNotary } from "../support/notary/world.ts"
import { median, type Row, within } from "./row.ts"

const sizes = { "5 kB": 5e3, "50 kB": 5e4, "2 MB": 2e6, "20 MB": 2e7 } as const

/** Milliseconds of processor time that one examination takes, the median of several. */
const cost = (captured: Captured, times: number): number => {
  findingsOf(captured)
  return median(
    Array.from({ length: times }, () => {
      const before = process.cpuUsage()
      findingsOf(captured)
      const { system, user } = process.cpuUsage(before)
      return (system + user) / 1000
    })
  )
}

const examining = Effect.gen(function* () {
  const rows: Array<Row> = []
  for (const [name, size] of Object.entries(sizes)) {
    const port = yield* nodeServer((_request, answer) => answer.end(Buffer.alloc(size, 65)))
    const captured = yield* capture(port, ["/"])
    const limit = size <= 5e4 ? 5 : size <= 2e6 ? 50 : 300
    const what = `a session of ${name}, processor time of its examination`
    rows.push(within(what, "ms", cost(captured, size > 1e7 ? 5 : 30), ["<=", limit]))
  }
  return rows
})

/** What a forger tries with a genuine tape: other bytes, records in another order, other secrets, another host. */
const forgeries = (real: Captured, other: Captured): ReadonlyArray<() => Captured> => {
  const count = 200
  return Array.from({ length: count }, (_, k) => () => {
    const way = k % 3 === 0 ? "toHost" : "fromHost"
    const kind = k % 5
    if (kind === 0) return { ...real, secrets: other.secrets }
    if (kind === 1) return { ...real, tape: { ...real.tape, host: "other.test" } }
    if (kind === 2) return { ...real, tape: { ...real.tape, [way]: other.tape[way] } }
    return doctored(real, way, (records) => {
      const at = k % records.length
      if (kind === 3) return records.filter((_, n) => n !== at)
      return records.map((record, n) => {
        if (n !== at) return record
        const bytes = Buffer.from(record.bytes)
        const place = (k * 7919) % bytes.length
        bytes[place] = (bytes[place] ?? 0) ^ (1 + (k % 255))
        return { ...record, bytes }
      })
    })
  })
}

const forging = Effect.gen(function* () {
  const port = yield* nodeServer((request, answer) => answer.end(JSON.stringify({ path: request.url })))
  const real = yield* capture(port, ["/a"])
  const other = yield* capture(port, ["/b"])
  const truth = JSON.stringify(findingsOf(real).exchanges)
  const all = forgeries(real, other)
  const accepted = all.filter((make) => {
    try {
      return JSON.stringify(findingsOf(make()).exchanges) !== truth
    } catch (error) {
      if (error instanceof Refused) return false
      throw error
    }
  })
  return [within(`of ${all.length} forgeries, stated`, "forgeries", accepted.length, ["<=", 0])]
})

/** A plugin whose every exchange is a request without a key to a host at the usual port. */
interface Keyless {
  readonly plugin: Plugin
  readonly tape: Tape
}

const keyless = Effect.gen(function* () {
  const all: Array<Keyless> = []
  for (const plugin of yield* Plugins.all()) {
    if (plugin.manifest.auth !== undefined || plugin.manifest.disabled !== undefined) continue
    const { tape } = yield* Fixtures.load(join(Fixtures.root, plugin.manifest.id, "ok"))
    const urls = tape.exchanges.map(({ request }) => URL.parse(request.url))
    const isCarried = urls.every(
      (url) => url?.protocol === "https:" && url.port === "" && isHostName(url.host)
    )
    if (isCarried && urls.length > 0) all.push({ plugin, tape })
  }
  return all
})

const keyOf = (method: string, url: string, body: string): string => `${method} ${new URL(url).href} ${body}`

/** One server on HTTPS for all hosts, which answers as they were recorded; its port. */
const standIns = Effect.fnUntraced(function* (plugins: ReadonlyArray<Keyless>, hosts: ReadonlyArray<string>) {
  const certificate = authority().issue("all", {
    extensions: `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(",")}\nextendedKeyUsage=serverAuth\n`
  })
  const answers = new Map<string, Exchange>()
  for (const { tape } of plugins)
    for (const exchange of tape.exchanges) {
      const { body = "", method, url } = exchange.request
      answers.set(keyOf(method, url, body), exchange)
    }
  const files = { key: readFileSync(certificate.key), cert: readFileSync(certificate.chain) }
  const server = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer({ ...files, minVersion: "TLSv1.3" }, (request, answer) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const { headers, method = "", url = "" } = request
          const exchange = answers.get(
            keyOf(method, `https://${headers.host}${url}`, Buffer.concat(chunks).toString())
          )
          if (exchange === undefined) return answer.writeHead(404).end()
          answer.writeHead(exchange.status, { ...exchange.headers, "content-length": exchange.body.length })
          return answer.end(exchange.body)
        })
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  return (server.address() as AddressInfo).port
})

const resultOf = (plugin: Plugin, exchanges: ReadonlyArray<Exchange>): RunResult => {
  const at = isoTime(Date.now())
  const hash = "0".repeat(64)
  return {
    id: plugin.manifest.id,
    plugin: plugin.manifest.id,
    started: at,
    finished: at,
    now: at,
    code_hash: hash,
    targets_sha256: hash,
    settings: {},
    status: "ok",
    exchanges: exchanges.map(({ at, body, confirmed, headers, request, sha256, status }, n) => ({
      n,
      method: request.method,
      url: request.url,
      ...(request.body === undefined ? {} : { request_body: request.body }),
      at: isoTime(at),
      status,
      headers,
      sha256,
      size: body.length,
      confirmed: confirmed === true
    })),
    observations: [],
    refused: []
  }
}

const stating = Effect.gen(function* () {
  const plugins = yield* keyless
  const hosts = [
    ...new Set(plugins.flatMap(({ tape }) => tape.exchanges.map(({ request }) => new URL(request.url).host)))
  ]
  const port = yield* standIns(plugins, hosts)
  const notary = yield* runNotary(Object.fromEntries(hosts.map((host) => [host, port])), {
    exceptions: {
      resolve: () => Promise.resolve([{ address: "93.184.216.1", family: 4 }]),
      endpoint: () => ({ host: "127.0.0.1", port })
    }
  })
  const limits = { perSecond: 1000, perHost: 4, retries: 0 }
  const context = yield* Layer.build(Egress.layer({ limits, allowed: () => [] }))
  let whole = 0
  let answers = 0
  let connections = 0
  for (const { plugin, tape } of plugins) {
    // A notary that was slow once rests for a minute, and all of these runs are made within seconds.
    const draw = Notaries.make({
      notaries: [notary.text],
      ca: authority().ca,
      egress: Context.get(context, Egress)
    })
    const notarised = draw({ id: plugin.manifest.id, plugin: plugin.manifest.id }, "0".repeat(64))
    if (notarised === undefined) return yield* Effect.die("no notary")
    const live = yield* Live.make({
      manifest: plugin.manifest,
      now: tape.now,
      targets: tape.targets,
      settings: tape.settings,
      keys: {},
      carrier: notarised.carrier
    }).pipe(Effect.provideContext(context))
    const recorder = Recording.make(live)
    yield* Effect.exit(Effect.provideService(plugin.collect, Upstream, recorder.upstream))
    const run = resultOf(plugin, recorder.exchanges())
    const notes = yield* notarised.notes(run)
    if (run.exchanges.length > 0 && notes?.exchanges.length === run.exchanges.length) whole++
    answers += run.exchanges.length
    connections += notes?.notes.length ?? 0
  }
  return [
    within(
      `of ${plugins.length} keyless runs over ${hosts.length} stand-ins, stated whole`,
      "%",
      (100 * whole) / plugins.length,
      [">=", 90]
    ),
    within(`connections for each of their ${answers} answers`, "connections", connections / answers, [
      "<=",
      1
    ])
  ]
})

export const run = (): Promise<ReadonlyArray<Row>> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        return [...(yield* examining), ...(yield* forging), ...(yield* stating)]
      })
    )
  )

if (import.meta.main) {
  console.table(await run())
  process.exit(0)
}
