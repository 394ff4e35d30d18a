/** A stand-in for the upstreams of a week: it knows what is true, lies where a fault says so, and remembers both. */
import { hash } from "node:crypto"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { Effect } from "effect"
import type { Certificate } from "../support/notary/certificates.ts"

/** How an upstream fails: times the truth, or with something else than an answer. */
export type Failure =
  | { readonly times: number; readonly onlyTo?: "observer" }
  | "shape"
  | "html"
  | "503"
  | "429"
  | "silence"
  | "half"

export interface WeekUpstream {
  readonly ports: { readonly service: number; readonly observer: number }
  readonly fail: (plugin: string, failure: Failure) => void
  readonly heal: (plugin: string) => void
  /** Whether a value was ever the true one of a plugin. */
  readonly isTrue: (plugin: string, value: number) => boolean
  /** How many answers were asked for a plugin by the service. */
  readonly asked: (plugin: string) => number
  /** Whether a body with this hash was ever answered. */
  readonly answered: (sha256: string) => boolean
}

/** The upstream that is reached by TLS at its own name and address, as all of them are outside of tests. */
export interface TlsUpstream {
  readonly address: string
  readonly certificate: Certificate
}

/** Nodes of a plugin at a time: a level of its own, a wave of a day, and a little noise, so that no two answers are the same. */
const truth = (plugin: string, at: number): number => {
  const n = Number(plugin.split("-").at(-1))
  const wave = Math.sin((at / 86_400_000) * 2 * Math.PI + n)
  return Math.round(1000 * (n + 2) * (1 + 0.03 * wave)) + (Math.floor(at / 60_000) % 97)
}

const failWith = (failure: Exclude<Failure, object>, nodes: number, response: ServerResponse): void => {
  switch (failure) {
    case "shape":
      return void response
        .setHeader("Content-Type", "application/json")
        .end(JSON.stringify({ data: { total: nodes } }))
    case "html":
      return void response
        .setHeader("Content-Type", "text/html")
        .end("<html><title>Just a moment</title></html>")
    case "503":
      return void response.writeHead(503).end("busy")
    case "429":
      return void response.writeHead(429, { "Retry-After": "7200" }).end("slow down")
    case "half":
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "400" })
      response.write('{"nodes": ')
      return void setTimeout(() => response.destroy(), 50)
    case "silence":
      return
  }
}

type Whom = "service" | "observer"

/** The observer names itself where both ask at one address. */
const whomOf = ({ headers }: IncomingMessage): Whom =>
  headers["user-agent"]?.includes("observer.test") === true ? "observer" : "service"

export const weekUpstream = (now: () => number, { address, certificate }: TlsUpstream) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const failures = new Map<string, Failure>()
      const truths = new Map<string, Set<number>>()
      const counts = new Map<string, number>()
      const hashes = new Set<string>()
      const answer = (request: IncomingMessage, response: ServerResponse, whom: Whom) => {
        const plugin = (request.url ?? "").slice(1)
        const nodes = truth(plugin, now())
        response.setHeader("Date", new Date(now()).toUTCString())
        if (whom === "service") counts.set(plugin, (counts.get(plugin) ?? 0) + 1)
        const failure = failures.get(plugin)
        if (typeof failure === "string") return failWith(failure, nodes, response)
        const isLie = failure !== undefined && (failure.onlyTo === undefined || failure.onlyTo === whom)
        if (!isLie) truths.set(plugin, (truths.get(plugin) ?? new Set()).add(nodes))
        const value = isLie ? Math.round(nodes * failure.times) : nodes
        const body = JSON.stringify({ nodes: value })
        hashes.add(hash("sha256", body))
        response.setHeader("Content-Type", "application/json").end(body)
      }
      const serverFor = async (whom: Whom) => {
        const server = createServer((request, response) => answer(request, response, whom))
        server.listen(0, "127.0.0.1")
        await once(server, "listening")
        const place = server.address()
        return { server, port: typeof place === "object" ? (place?.port ?? 0) : 0 }
      }
      const [service, observer] = [await serverFor("service"), await serverFor("observer")]
      const tls = createTlsServer(
        {
          key: readFileSync(certificate.key),
          cert: readFileSync(certificate.chain),
          minVersion: "TLSv1.3"
        },
        (request, response) => answer(request, response, whomOf(request))
      )
      tls.listen(443, address)
      await once(tls, "listening")
      const upstream: WeekUpstream = {
        ports: { service: service.port, observer: observer.port },
        fail: (plugin, failure) => failures.set(plugin, failure),
        heal: (plugin) => failures.delete(plugin),
        isTrue: (plugin, value) => truths.get(plugin)?.has(value) === true,
        asked: (plugin) => counts.get(plugin) ?? 0,
        answered: (sha256) => hashes.has(sha256)
      }
      return { upstream, servers: [service.server, observer.server, tls] }
    }),
    ({ servers }) =>
      Effect.sync(() => {
        for (const server of servers) {
          server.closeAllConnections()
          server.close()
        }
      })
  ).pipe(Effect.map(({ upstream }) => upstream))
