/** The encrypted part of the handshake, up to Finished (RFC 8446, 4.3 and 4.4). */
import { createHmac, timingSafeEqual, X509Certificate } from "node:crypto"
import { demand, Refused } from "../Refused.ts"
import { extension, extensionsOf, Fields } from "./fields.ts"
import { type Message, Messages, messageType } from "./messages.ts"
import { contentType, RecordKeys, type TlsRecord } from "./records.ts"
import { checkSignature } from "./signature.ts"
import { digest, expandLabel, type Suite } from "./suites.ts"

export interface Flight {
  /** The transcript through this Finished. */
  readonly transcript: ReadonlyArray<Buffer>
  /** The records after it. */
  readonly rest: ReadonlyArray<TlsRecord>
}

/** Reads the messages of one side up to its Finished, which must fit; `see` checks each one before it, over the transcript so far. */
const readFlight = (
  records: ReadonlyArray<TlsRecord>,
  suite: Suite,
  secret: Uint8Array | undefined,
  before: ReadonlyArray<Buffer>,
  see: (message: Message, transcript: ReadonlyArray<Buffer>) => void
): Flight => {
  const keys = new RecordKeys(suite, secret)
  const split = new Messages()
  const transcript = [...before]
  for (const [index, record] of records.entries()) {
    if (record.type === contentType.changeCipherSpec) continue
    const { data, type } = keys.open(record)
    demand(type === contentType.handshake, "no handshake message")
    const messages = split.take(data)
    for (const [place, message] of messages.entries()) {
      if (message.type !== messageType.finished) {
        see(message, transcript)
        transcript.push(message.bytes)
        continue
      }
      checkFinished(message, suite, secret, transcript)
      transcript.push(message.bytes)
      demand(place === messages.length - 1 && !split.isWithin, "a handshake message after Finished")
      return { transcript, rest: records.slice(index + 1) }
    }
  }
  throw new Refused("the handshake did not end")
}

const checkFinished = (
  { body }: Message,
  suite: Suite,
  secret: Uint8Array = new Uint8Array(),
  transcript: ReadonlyArray<Buffer>
): void => {
  const key = expandLabel(suite, secret, "finished", suite.hashLength)
  const mac = createHmac(suite.hash, key).update(digest(suite, transcript)).digest()
  demand(body.length === mac.length && timingSafeEqual(mac, body), "Finished is not right")
}

const unexpected = (type: number): string => `an unexpected handshake message (${type})`

const mostCertificates = 10

/** Checks the server's messages, which come in one order. */
class ServerMessages {
  private readonly expected: Array<number> = [
    messageType.encryptedExtensions,
    messageType.certificateRequest,
    messageType.certificate,
    messageType.certificateVerify
  ]
  readonly chain: Array<X509Certificate> = []
  scheme: string | undefined
  private readonly suite: Suite

  constructor(suite: Suite) {
    this.suite = suite
  }

  see({ body, type }: Message, transcript: ReadonlyArray<Buffer>): void {
    // The one that may be missing.
    if (this.expected[0] === messageType.certificateRequest && type !== messageType.certificateRequest)
      this.expected.shift()
    demand(this.expected.shift() === type, unexpected(type))
    if (type === messageType.encryptedExtensions) checkExtensions(body)
    else if (type === messageType.certificate) this.chain.push(...chainOf(body))
    else if (type === messageType.certificateVerify) {
      const [host] = this.chain
      demand(host !== undefined, "no certificate")
      this.scheme = checkSignature(body, host.publicKey, digest(this.suite, transcript))
    }
  }
}

const checkExtensions = (body: Buffer): void => {
  const extensions = extensionsOf(new Fields(body).vector(2))
  const protocols = extensions.get(extension.protocols)
  const protocol =
    protocols === undefined
      ? "http/1.1"
      : new Fields(new Fields(protocols).vector(2)).vector(1).toString("latin1")
  demand(
    !extensions.has(extension.earlyData) && protocol === "http/1.1",
    "another protocol than HTTP/1.1, or early data"
  )
}

const chainOf = (body: Buffer): ReadonlyArray<X509Certificate> => {
  const fields = new Fields(body)
  fields.vector(1)
  const chain: Array<X509Certificate> = []
  for (const list = new Fields(fields.vector(3)); !list.isDone; list.vector(2)) {
    demand(chain.length < mostCertificates, "too many certificates")
    chain.push(parseCertificate(list.vector(3)))
  }
  return chain
}

const parseCertificate = (der: Buffer): X509Certificate => {
  try {
    return new X509Certificate(der)
  } catch {
    throw new Refused("a malformed certificate")
  }
}

export interface ServerFlight extends Flight {
  /** As the host sent it, its own certificate first. */
  readonly chain: readonly [X509Certificate, ...Array<X509Certificate>]
  /** The scheme of the host's signature. */
  readonly scheme: string
}

/** The server's flight: certificate, signature and Finished. */
export const serverFlight = (
  records: ReadonlyArray<TlsRecord>,
  suite: Suite,
  secret: Uint8Array | undefined,
  transcript: ReadonlyArray<Buffer>
): ServerFlight => {
  const messages = new ServerMessages(suite)
  const flight = readFlight(records, suite, secret, transcript, (message, before) =>
    messages.see(message, before)
  )
  const { scheme } = messages
  const [host, ...others] = messages.chain
  if (scheme === undefined || host === undefined) throw new Refused("no CertificateVerify")
  return { ...flight, chain: [host, ...others], scheme }
}

/** The client's flight: Finished, after an empty Certificate if the host asked for one. */
export const clientFlight = (
  records: ReadonlyArray<TlsRecord>,
  suite: Suite,
  secret: Uint8Array | undefined,
  transcript: ReadonlyArray<Buffer>
): Flight =>
  readFlight(records, suite, secret, transcript, ({ type }) =>
    demand(type === messageType.certificate, unexpected(type))
  )
