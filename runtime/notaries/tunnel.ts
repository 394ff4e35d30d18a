/** Connects to a host through a notary: `CONNECT`, and then TLS with the host itself. */
import { connect, type Socket } from "node:net"
import { connect as connectTls, type TLSSocket } from "node:tls"
import { guarded } from "../../core/process/guarded.ts"
import type { Notary } from "./drawing.ts"

/** Why there is no tunnel. */
export class NoTunnel extends Error {
  override readonly name = "NoTunnel"
  /** `notary`: it is down, slow or full, and rests. `host`: it does not carry to this host, or the host does not do TLS 1.3 over it. */
  readonly of: "host" | "notary"

  constructor(of: "host" | "notary", message: string) {
    super(message)
    this.of = of
  }
}

/** Secrets of a TLS session by their names in a key log (RFC 9850). */
export type KeyLog = Readonly<Record<string, string>>

export interface Tunnel {
  /** TLS with the host. */
  readonly socket: TLSSocket
  /** By which the notary knows the session. */
  readonly id: string
  readonly secrets: () => KeyLog
  /** Resolves when the connection to the notary is closed. */
  readonly over: Promise<void>
}

const longestHead = 4096

/** Reads the head of the answer to `CONNECT`, and no byte more: what follows belongs to TLS. Calls `done` with its lines. */
const readHead = (socket: Socket, done: (head: string | Error) => void): void => {
  let head = ""
  const read = guarded(
    "the answer of a notary",
    () => {
      for (let byte: Buffer | null = socket.read(1); byte !== null; byte = socket.read(1)) {
        head += byte.toString("latin1")
        if (head.length > longestHead) return done(new NoTunnel("notary", "the notary says too much"))
        if (!head.endsWith("\r\n\r\n")) continue
        socket.off("readable", read)
        return done(head)
      }
    },
    () => done(new NoTunnel("notary", "the answer of the notary cannot be read"))
  )
  // biome-ignore lint/plugin/callback: guarded above
  socket.on("readable", read)
}

const openSocket = ({ url }: Notary): Socket => {
  const host = url.hostname.replace(/^\[|\]$/g, "")
  return url.protocol === "https:"
    ? connectTls({
        host,
        servername: host,
        port: Number(url.port || 443),
        ALPNProtocols: ["http/1.1"]
      })
    : connect({ host, port: Number(url.port || 80) })
}

/** The session's id in the head of an answer. Throws `NoTunnel`. */
const sessionOf = (head: string): string => {
  const [, status = ""] = /^HTTP\/1\.1 (\d{3}) [ -~]*\r\n/.exec(head) ?? []
  const id = /^plumbline-session: ([0-9a-f]{32})\r$/im.exec(head)?.[1]
  if (status === "200" && id !== undefined) return id
  const reply =
    head
      .split("\r\n")[0]
      ?.replace(/[^ -~]/g, "?")
      .slice(0, 100) ?? ""
  // It refuses this host, which says nothing of others; a token that it does not know concerns all.
  const isOfHost = status === "403" || status === "502"
  throw new NoTunnel(isOfHost ? "host" : "notary", `the notary answered ${reply}`)
}

const connectRequest = (host: string, { token }: Notary): string =>
  [`CONNECT ${host}:443 HTTP/1.1`, `Host: ${host}:443`, `Proxy-Authorization: Bearer ${token}`, "", ""].join(
    "\r\n"
  )

/** The socket of an accepted `CONNECT`, within the time of the signal. Rejects with `NoTunnel`. */
export const openTunnel = (
  notary: Notary,
  host: string,
  signal: AbortSignal
): Promise<{ readonly socket: Socket; readonly id: string }> =>
  new Promise((resolve, reject) => {
    const socket = openSocket(notary)
    const fail = (error: Error) => {
      socket.destroy()
      reject(error)
    }
    const failed = guarded("connecting to a notary", () =>
      fail(new NoTunnel("notary", "the notary does not answer"))
    )
    const late = guarded("connecting to a notary", () => fail(new NoTunnel("notary", "the notary is slow")))
    // biome-ignore lint/plugin/callback: guarded above
    signal.addEventListener("abort", late, { once: true })
    // biome-ignore lint/plugin/callback: guarded above; the error listener stays, since an error without one ends the process
    socket.on("error", failed).once("close", failed)
    readHead(socket, (head) => {
      try {
        if (head instanceof Error) throw head
        const id = sessionOf(head)
        socket.off("close", failed)
        signal.removeEventListener("abort", late)
        resolve({ socket, id })
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)))
      }
    })
    socket.setNoDelay(true)
    socket.write(connectRequest(host, notary))
  })

/** Labels of the secrets that a notary may be shown. */
const labels: ReadonlySet<string> = new Set([
  "SERVER_HANDSHAKE_TRAFFIC_SECRET",
  "SERVER_TRAFFIC_SECRET_0",
  "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
  "CLIENT_TRAFFIC_SECRET_0"
])

/** TLS 1.3 with the host over a tunnel, within the time of the signal. Rejects with `NoTunnel`. */
export const startTls = (
  { id, socket }: { readonly socket: Socket; readonly id: string },
  host: string,
  ca: string | undefined,
  signal: AbortSignal
): Promise<Tunnel> =>
  new Promise((resolve, reject) => {
    const secrets: Record<string, string> = {}
    const over = new Promise<void>((resolve) => {
      socket.once("close", () => resolve())
    })
    const secure = connectTls({
      socket,
      servername: host,
      ALPNProtocols: ["http/1.1"],
      minVersion: "TLSv1.3",
      ...(ca === undefined ? {} : { ca })
    })
    const fail = (error: NoTunnel) => {
      secure.destroy()
      socket.destroy()
      reject(error)
    }
    const failed = guarded("TLS through a notary", ({ message }: Error) =>
      fail(new NoTunnel("host", `no TLS 1.3 with ${host} through the notary: ${message}`))
    )
    const late = guarded("TLS through a notary", () => fail(new NoTunnel("notary", "the notary is slow")))
    // biome-ignore lint/plugin/callback: guarded above
    signal.addEventListener("abort", late, { once: true })
    secure.on(
      "keylog",
      guarded("the secrets of a session", (line: Buffer) => {
        const [label = "", , secret = ""] = line.toString("latin1").trim().split(" ")
        if (labels.has(label)) secrets[label] = secret
      })
    )
    // biome-ignore lint/plugin/callback: guarded above
    secure.once("error", failed)
    secure.once(
      "secureConnect",
      guarded("TLS through a notary", () => {
        secure.off("error", failed)
        signal.removeEventListener("abort", late)
        resolve({ socket: secure, id, secrets: () => ({ ...secrets }), over })
      })
    )
  })
