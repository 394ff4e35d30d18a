/** Opens a recorded TLS 1.3 session with its traffic secrets, and checks that the host of the certificate sent it (RFC 8446). */
import type { X509Certificate } from "node:crypto"
import { demand, refuse } from "../Refused.ts"
import type { Arrival, Tape } from "../tape.ts"
import { clientFlight, type ServerFlight, serverFlight } from "./flight.ts"
import { type Greeting, greet } from "./hellos.ts"
import { Messages, messageType } from "./messages.ts"
import { contentType, RecordKeys, recordsOf, type TlsRecord } from "./records.ts"
import { digest } from "./suites.ts"

/** Secrets by their names in a key log (RFC 9850). Without `CLIENT_TRAFFIC_SECRET_0` the requests stay hidden. */
export interface Secrets {
  readonly SERVER_HANDSHAKE_TRAFFIC_SECRET?: Uint8Array
  readonly SERVER_TRAFFIC_SECRET_0?: Uint8Array
  readonly CLIENT_HANDSHAKE_TRAFFIC_SECRET?: Uint8Array
  readonly CLIENT_TRAFFIC_SECRET_0?: Uint8Array
}

/** Application data of one record. */
export interface Part {
  readonly data: Buffer
  readonly first: Arrival
  readonly last: Arrival
}

/** The application data of one direction. */
export interface Direction {
  readonly parts: ReadonlyArray<Part>
  /** True if it ended with close_notify, so that nothing can have been cut off its end. */
  readonly closed: boolean
  /** KeyUpdates in it. */
  readonly updates: number
}

/** What went through the tunnel. The caller still has to check `chain` against roots, name and time. */
export interface Session {
  readonly chain: readonly [X509Certificate, ...Array<X509Certificate>]
  /** The hash of the transcript through the server's Finished, which names the session. */
  readonly transcriptHash: Buffer
  readonly suite: string
  readonly scheme: string
  readonly retried: boolean
  /** Undefined where the requests are hidden. */
  readonly toHost: Direction | undefined
  readonly fromHost: Direction
}

/** Alerts that are no error (RFC 8446, 6.1). */
const closeNotify = 0
const userCanceled = 90

const applicationData = (
  records: ReadonlyArray<TlsRecord>,
  keys: RecordKeys,
  mayTicket: boolean
): Direction => {
  const parts: Array<Part> = []
  const messages = new Messages()
  let end: "alert" | "close_notify" | undefined
  let updates = 0
  for (const record of records) {
    demand(end === undefined, "a record after the last one")
    const { data, type } = keys.open(record)
    demand(type === contentType.handshake || !messages.isWithin, "another record within a handshake message")
    if (type === contentType.applicationData) parts.push({ data, first: record.first, last: record.last })
    else if (type === contentType.handshake) {
      const whole = messages.take(data)
      for (const [place, message] of whole.entries()) {
        const isLast = place === whole.length - 1 && !messages.isWithin
        if (message.type === messageType.keyUpdate && message.body.length === 1 && isLast) {
          keys.update()
          updates++
        } else
          demand(
            mayTicket && message.type === messageType.newSessionTicket,
            `an unexpected handshake message (${message.type})`
          )
      }
    } else {
      demand(type === contentType.alert && data.length === 2, "a record of an unknown kind")
      const alert = data[1]
      // Any other alert ends the session as a lost connection does: what was whole before it is whole.
      if (alert !== userCanceled) end = alert === closeNotify ? "close_notify" : "alert"
    }
  }
  return { parts, closed: end === "close_notify", updates }
}

const requestsOf = ({ suite, toHost }: Greeting, server: ServerFlight, secrets: Secrets): Direction => {
  const { rest } = clientFlight(toHost, suite, secrets.CLIENT_HANDSHAKE_TRAFFIC_SECRET, server.transcript)
  return applicationData(rest, new RecordKeys(suite, secrets.CLIENT_TRAFFIC_SECRET_0), false)
}

/** Throws `Refused` unless the tape is a whole TLS 1.3 session for the tape's host under these secrets. */
export const openSession = (
  { fromHost, host, toHost }: Pick<Tape, "fromHost" | "host" | "toHost">,
  secrets: Secrets
): Session => {
  if (fromHost.length === 0 || toHost.length === 0) return refuse("nothing was carried")
  const greeting = greet(recordsOf(toHost), recordsOf(fromHost), host)
  const { retried, suite } = greeting
  const server = serverFlight(
    greeting.fromHost,
    suite,
    secrets.SERVER_HANDSHAKE_TRAFFIC_SECRET,
    greeting.transcript
  )
  const answers = applicationData(server.rest, new RecordKeys(suite, secrets.SERVER_TRAFFIC_SECRET_0), true)
  return {
    chain: server.chain,
    transcriptHash: digest(suite, server.transcript),
    suite: suite.name,
    scheme: server.scheme,
    retried,
    fromHost: answers,
    toHost: secrets.CLIENT_TRAFFIC_SECRET_0 === undefined ? undefined : requestsOf(greeting, server, secrets)
  }
}
