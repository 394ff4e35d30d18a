/** Genuine upstreams with certificates of the tests' authority: Node, nginx and `openssl s_server`, until the scope closes. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import type { RequestListener } from "node:http"
import { createServer, type ServerOptions } from "node:https"
import { type AddressInfo, connect } from "node:net"
import { createServer as createTlsServer, type TLSSocket } from "node:tls"
import { Effect, Schedule } from "effect"
import { freePort } from "../freePort.ts"
import { pathOf } from "../programs.ts"
import { until } from "../until.ts"
import { authority, type Certificate, type KeyKind } from "./certificates.ts"

const filesOf = ({ chain, key }: Certificate) => ({ key: readFileSync(key), cert: readFileSync(chain) })

/** A server on HTTPS; its port. */
export const nodeServer = (
  listener: RequestListener,
  certificate: Certificate = authority().of("p256"),
  options: ServerOptions = {}
) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer({ ...filesOf(certificate), minVersion: "TLSv1.3", ...options }, listener)
      server.on("tlsClientError", () => {})
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

/** A server that talks on TLS as it likes, once it was asked; its port. */
export const rawServer = (talk: (socket: TLSSocket) => void, isAtOnce = false) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<TLSSocket>()
      const options = { ...filesOf(authority().of("p256")), minVersion: "TLSv1.3" as const }
      const server = createTlsServer(options, (socket) => {
        sockets.add(socket)
        socket.on("error", () => {})
        if (isAtOnce) talk(socket)
        else socket.once("data", () => talk(socket))
        // Else the end of the other side is never seen.
        socket.resume()
      })
      server.on("tlsClientError", () => {})
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { server, sockets }
    }),
    ({ server, sockets }) =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
  ).pipe(Effect.map(({ server }) => (server.address() as AddressInfo).port))

const isListening = (port: number) =>
  Effect.promise(
    () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, "127.0.0.1", () => {
          socket.destroy()
          resolve(true)
        })
        socket.once("error", () => resolve(false))
      })
  )

export const suites = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256"
] as const

/** What nginx serves. */
export const nodesJson = JSON.stringify({ nodes: 900, pad: "x".repeat(50_000) })

interface NginxServer {
  readonly kind: KeyKind
  readonly suite: (typeof suites)[number]
}

/** One nginx with these servers; their ports. */
export const nginx = Effect.fnUntraced(function* (servers: ReadonlyArray<NginxServer>) {
  const { folder } = authority()
  const ports = yield* Effect.promise(() => Promise.all(servers.map(() => freePort())))
  mkdirSync(`${folder}/www`, { recursive: true })
  writeFileSync(`${folder}/www/nodes.json`, nodesJson)
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(" ")
  const blocks = servers.map(({ kind, suite }, n) => {
    const { chain, key } = authority().of(kind)
    const tls = `ssl_certificate ${chain}; ssl_certificate_key ${key}; ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites ${suite};`
    return `server { listen 127.0.0.1:${ports[n]} ssl; ${tls} location /echo { return 200 "asked $request_uri"; } }`
  })
  const gzip = "gzip on; gzip_types application/json; gzip_min_length 10; types { application/json json; }"
  writeFileSync(
    `${folder}/nginx.conf`,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/nginx.log; events {} http { access_log off; ${temporary} ${gzip} root ${folder}/www; ${blocks.join("\n")} }`
  )
  yield* child(pathOf("nginx"), ["-p", folder, "-c", `${folder}/nginx.conf`, "-e", "stderr"])
  for (const port of ports)
    yield* Effect.repeat(isListening(port), {
      until: (isThere) => isThere,
      schedule: Schedule.spaced("20 millis")
    })
  return ports
})

const child = (program: string, args: ReadonlyArray<string>, cwd?: string) =>
  Effect.acquireRelease(
    Effect.sync(
      (): ChildProcess => spawn(program, args, { stdio: "pipe", ...(cwd === undefined ? {} : { cwd }) })
    ),
    (process) => Effect.sync(() => process.kill())
  )

/** `openssl s_server`, typed into by `say`. */
export const sServer = Effect.fnUntraced(function* (kind: KeyKind, ...args: ReadonlyArray<string>) {
  const { folder } = authority()
  const { cert, key } = authority().of(kind)
  mkdirSync(`${folder}/www`, { recursive: true })
  const port = yield* Effect.promise(() => freePort())
  const own = ["-accept", `127.0.0.1:${port}`, "-naccept", "20", "-cert", cert, "-key", key]
  const process = yield* child(
    pathOf("openssl"),
    ["s_server", ...own, "-cert_chain", `${folder}/intermediate.pem`, "-tls1_3", ...args],
    `${folder}/www`
  )
  let output = ""
  process.stdout?.on("data", (bytes: Buffer) => {
    output += bytes.toString("latin1")
  })
  yield* until(() => output.includes("ACCEPT"))
  return {
    port,
    output: () => output,
    onHeard: (hear: (text: string) => void) => {
      process.stdout?.on("data", (bytes: Buffer) => hear(bytes.toString("latin1")))
    },
    say: (text: string) => void process.stdin?.write(text)
  }
})

/** A file that `s_server -HTTP` sends as it is. */
export const writeServed = (name: string, bytes: string | Buffer): void => {
  mkdirSync(`${authority().folder}/www`, { recursive: true })
  writeFileSync(`${authority().folder}/www/${name}`, bytes)
}
