/** A tape without a notary: a socket in front of an upstream that records what passes, as a notary does. */
import { createHash } from "node:crypto"
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from "node:net"
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls"
import { Deferred, Effect } from "effect"
import { Agent, type Dispatcher, request } from "undici"
import { carry } from "../../../runtime/notary/carry.ts"
import { examine, type Findings } from "../../../runtime/notary/examine.ts"
import { defaults } from "../../../runtime/notary/limits.ts"
import { Recording } from "../../../runtime/notary/Recording.ts"
import type { Tape } from "../../../runtime/notary/tape.ts"
import { recordsOf } from "../../../runtime/notary/tls/records.ts"
import type { Secrets } from "../../../runtime/notary/tls/session.ts"
import { authority, upstreamHost } from "./certificates.ts"

export interface Captured {
  readonly tape: Tape
  readonly secrets: Secrets
}

export const sha256 = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex")

/** Records the one connection that comes; its port, and the tape once it is closed. */
const tapOf = Effect.fnUntraced(function* (port: number, host: string) {
  const done = yield* Deferred.make<Tape>()
  const context = yield* Effect.context()
  const server = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer({ allowHalfOpen: true }, (client: Socket) => {
        const opened = Date.now()
        const recording = new Recording({ bytes: 0 }, defaults)
        const upstream = connectTcp({ host: "127.0.0.1", port, allowHalfOpen: true })
        const taped = carry(client, upstream, recording).pipe(
          Effect.andThen(
            Effect.sync(() =>
              Deferred.doneUnsafe(
                done,
                Effect.succeed(recording.tape({ host, address: "93.184.216.1", opened, closed: Date.now() }))
              )
            )
          )
        )
        Effect.runForkWith(context)(taped)
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }),
    (server) => Effect.sync(() => server.close())
  )
  return { port: (server.address() as AddressInfo).port, tape: Deferred.await(done) }
})

/** Collects the secrets of a session by their labels. */
export class KeyLog {
  readonly secrets: Record<string, Uint8Array> = {}
  /** As a file for other programs. */
  lines = ""

  listen(socket: TLSSocket): void {
    socket.on("keylog", (line: Buffer) => {
      this.lines += line.toString()
      const [label = "", , secret = ""] = line.toString().trim().split(" ")
      this.secrets[label] = Buffer.from(secret, "hex")
    })
  }
}

export interface Session {
  /** TLS options of the client. */
  readonly tls?: ConnectionOptions
  /** The name that the client connects to. */
  readonly host?: string
  /** Where the secrets are collected. */
  readonly keys?: KeyLog
}

/** What a client that speaks TLS itself does on a recorded connection. */
export const playing = Effect.fnUntraced(function* (
  port: number,
  play: (socket: TLSSocket) => Promise<void>,
  { host = upstreamHost, keys = new KeyLog(), tls }: Session = {}
) {
  const tap = yield* tapOf(port, host)
  const socket = connectTls({
    host: "127.0.0.1",
    port: tap.port,
    servername: host,
    ca: authority().ca,
    ALPNProtocols: ["http/1.1"],
    ...tls
  })
  socket.on("error", () => {})
  keys.listen(socket)
  yield* Effect.promise(async () => {
    await new Promise((resolve) => socket.once("secureConnect", resolve))
    await play(socket)
    socket.end()
    socket.resume()
    await new Promise((resolve) => (socket.destroyed ? resolve(undefined) : socket.once("close", resolve)))
  })
  const captured: Captured = { tape: yield* tap.tape, secrets: keys.secrets }
  return captured
})

export interface Get {
  readonly path: string
  readonly options?: Omit<Dispatcher.RequestOptions, "method" | "origin" | "path"> & {
    readonly method?: Dispatcher.HttpMethod
  }
}

/** What came back, as undici read it; undefined where it failed. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Buffer
}

const ask = async (agent: Agent, host: string, { options, path }: Get): Promise<Reply | undefined> => {
  try {
    const answer = await request(`https://${host}${path}`, { dispatcher: agent, ...options })
    const body = Buffer.from(await answer.body.arrayBuffer())
    return { status: answer.statusCode, headers: answer.headers, body }
  } catch {
    return undefined
  }
}

/** Genuine requests, one after the other, on one recorded connection to a port. */
export const capture = Effect.fnUntraced(function* (
  port: number,
  gets: ReadonlyArray<Get | string>,
  { host = upstreamHost, tls }: Session = {}
) {
  const tap = yield* tapOf(port, host)
  const keys = new KeyLog()
  const agent = new Agent({
    allowH2: false,
    connections: 1,
    connect: (_to, callback) => {
      const socket = connectTls({
        host: "127.0.0.1",
        port: tap.port,
        servername: host,
        ca: authority().ca,
        ALPNProtocols: ["http/1.1"],
        ...tls
      })
      keys.listen(socket)
      socket.once("error", (error) => callback(error, null))
      socket.once("secureConnect", () => callback(null, socket))
    }
  })
  const replies: Array<Reply | undefined> = []
  yield* Effect.promise(async () => {
    for (const one of gets)
      replies.push(await ask(agent, host, typeof one === "string" ? { path: one } : one))
    await agent.destroy()
  })
  return { tape: yield* tap.tape, secrets: keys.secrets, replies }
})

/** What a notary would find. Throws `Refused`. */
export const findingsOf = ({ secrets, tape }: Captured, roots = authority().roots): Findings =>
  examine(tape, secrets, roots).findings

export interface RawRecord {
  readonly bytes: Buffer
  readonly n: number
  readonly at: number
}

/** The same tape after a change of one direction's records. */
export const doctored = (
  { secrets, tape }: Captured,
  way: "fromHost" | "toHost",
  change: (records: ReadonlyArray<RawRecord>) => ReadonlyArray<RawRecord>
): Captured => {
  const records = recordsOf(tape[way]).map(({ body, header, last }) => ({
    bytes: Buffer.concat([header, body]),
    ...last
  }))
  return { secrets, tape: { ...tape, [way]: change(records) } }
}
