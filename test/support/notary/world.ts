/** A notary on loopback whose names resolve to public addresses, behind which genuine upstreams are; and collectors that use it. */
import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { buildConnector } from "undici"
import type { Manifest } from "../../../core/plugin/Manifest.ts"
import { type Exchange, Upstream } from "../../../core/plugin/Upstream.ts"
import { isoTime } from "../../../core/plugin/Value.ts"
import type { RunExchange, RunResult } from "../../../core/readings/ingest/Run.ts"
import type { NotaryText } from "../../../runtime/notaries/drawing.ts"
import * as Notaries from "../../../runtime/notaries/Notaries.ts"
import { Exceptions } from "../../../runtime/notary/Exceptions.ts"
import { admitCollector, createFolder } from "../../../runtime/notary/Folder.ts"
import type { NotaryLimits } from "../../../runtime/notary/limits.ts"
import { layer } from "../../../runtime/notary/server.ts"
import { refusal } from "../../../runtime/upstream/address.ts"
import { Egress } from "../../../runtime/upstream/Egress.ts"
import * as Live from "../../../runtime/upstream/live.ts"
import { manifest } from "../../upstream/stand-in.ts"
import { authority, upstreamHost } from "./certificates.ts"

/** Ports on loopback by the names of hosts. */
export type Upstreams = Readonly<Record<string, number>>

const publicAddress = (n: number): string => `93.184.216.${n + 1}`

/** Each host has a public address, behind which is its port. */
export const exceptionsFor = (upstreams: Upstreams): typeof Exceptions.Service => {
  const hosts = Object.keys(upstreams)
  return {
    resolve: (host) => Promise.resolve([{ address: publicAddress(hosts.indexOf(host)), family: 4 }]),
    refusal,
    endpoint: (address) => ({
      host: "127.0.0.1",
      port: Object.values(upstreams)[Number(address.split(".")[3]) - 1] ?? 9
    }),
    roots: [authority().ca]
  }
}

export interface TestNotary {
  readonly folder: string
  readonly vkey: string
  readonly token: string
  /** `host:port`. */
  readonly authority: string
  /** As in the setting `NOTARIES`. */
  readonly text: NotaryText
}

/** The name of the log of the collector, as in `keyring.ts`. */
export const collectorName = "plumbline.test/log"

/** Creates the folder of a notary for one collector. */
export const notaryFolder = Effect.fnUntraced(function* (
  hosts: ReadonlyArray<string>,
  name = "notary.test/n1"
) {
  const folder = join(mkdtempSync(join(tmpdir(), "plumbline-notary-")), "n")
  const vkey = yield* createFolder(folder, name, hosts)
  const token = yield* admitCollector(folder, collectorName)
  return { folder, vkey, token }
})

export interface NotaryOptions {
  readonly limits?: Partial<NotaryLimits>
  readonly exceptions?: Partial<typeof Exceptions.Service>
  readonly name?: string
}

/** Runs the notary in a folder until the scope closes. */
export const serveNotary = Effect.fnUntraced(function* (
  { folder, token, vkey }: Pick<TestNotary, "folder" | "token" | "vkey">,
  upstreams: Upstreams,
  { exceptions, limits }: NotaryOptions = {}
) {
  const context = yield* Layer.build(
    Layer.fresh(layer(folder, { host: "127.0.0.1", port: 0 }, limits ?? {})).pipe(
      Layer.provide(Layer.succeed(Exceptions, { ...exceptionsFor(upstreams), ...exceptions }))
    )
  )
  const { address } = Context.get(context, HttpServer.HttpServer)
  const at = HttpServer.formatAddress(address).replace("http://", "")
  const notary: TestNotary = {
    folder,
    vkey,
    token,
    authority: at,
    text: { vkey, address: `http://${token}@${at}` }
  }
  return notary
})

export const runNotary = Effect.fnUntraced(function* (upstreams: Upstreams, options: NotaryOptions = {}) {
  const folder = yield* notaryFolder(Object.keys(upstreams), options.name)
  return yield* serveNotary(folder, upstreams, options)
})

/** The lines of a notary's log. */
export const entriesOf = ({ folder }: Pick<TestNotary, "folder">): ReadonlyArray<Record<string, unknown>> =>
  readFileSync(join(folder, "entries"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>)

const hosts = [upstreamHost, "other.test", "keyed.test"]

/** One run of a collector, whose direct connections lead to the same upstreams. */
export const collecting = Effect.fnUntraced(function* (
  notaries: ReadonlyArray<NotaryText>,
  upstreams: Upstreams,
  options: {
    readonly manifest?: Partial<Manifest>
    readonly keys?: Live.Run["keys"]
    /** Waits for notaries as the service does: half a second in all. Otherwise longer, since tests share their machine. */
    readonly asTheService?: true
  } = {}
) {
  const context = yield* Layer.build(
    Layer.fresh(Egress.layer({ limits: { retries: 0, timeout: "5 seconds" } }))
  )
  const egress = Context.get(context, Egress)
  const direct = buildConnector({ ca: authority().ca, allowH2: false })
  const draw = Notaries.make({
    notaries,
    ca: authority().ca,
    ...(options.asTheService === true ? {} : { patience: 20_000 }),
    egress: {
      ...egress,
      agentBy: (connect, keepsAlive) =>
        egress.agentBy(
          () =>
            connect((to, done) =>
              direct(
                {
                  ...to,
                  servername: to.hostname,
                  hostname: "127.0.0.1",
                  port: String(upstreams[to.hostname] ?? 9)
                },
                done
              )
            ),
          keepsAlive
        )
    }
  })
  let n = 0
  return {
    /** Begins a run: what its plugin reads with, and what comes of it. */
    begin: () =>
      Effect.gen(function* () {
        const id = `run-${++n}`
        const notarised = draw({ id, plugin: "sample" }, "0".repeat(64))
        if (notarised === undefined) return yield* Effect.die("no notary was drawn")
        const upstream = yield* Live.make({
          manifest: { ...manifest, hosts, ...options.manifest },
          now: Date.now(),
          targets: [],
          settings: {},
          keys: options.keys ?? {},
          carrier: notarised.carrier
        }).pipe(Effect.provideContext(context))
        const exchanges: Array<RunExchange> = []
        const get = (path: string, host: string = upstreamHost) =>
          Effect.tap(upstream.exchange({ method: "GET", url: `https://${host}${path}` }), (exchange) =>
            Effect.sync(() => exchanges.push(runExchange(exchange, exchanges.length)))
          )
        return {
          id,
          lot: notarised.lot,
          upstream: Upstream.of(upstream),
          get,
          exchanges,
          /** Ends the run without disclosing: its first session with the secrets that were to be shown. */
          sessions: async () => {
            const [session] = await notarised.carrier.end()
            if (session === undefined) throw new Error("there was no session")
            return session
          },
          via: (host: string) => notarised.carrier.via(host),
          notes: Effect.suspend(() => notarised.notes(runOf(id, exchanges)))
        }
      })
  }
})

const runExchange = (
  { at, body, confirmed, headers, request, sha256, status }: Exchange,
  n: number
): RunExchange => ({
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
})

const runOf = (id: string, exchanges: ReadonlyArray<RunExchange>): RunResult => ({
  id,
  plugin: "sample",
  started: isoTime(Date.now()),
  finished: isoTime(Date.now()),
  now: isoTime(Date.now()),
  code_hash: "0".repeat(64),
  targets_sha256: "0".repeat(64),
  settings: {},
  status: "ok",
  exchanges,
  observations: [],
  refused: []
})
