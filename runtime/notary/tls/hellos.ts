/** The hellos, which are not encrypted (RFC 8446, 4.1): that this is TLS 1.3, with a certificate, for the name that was asked for. */
import { createHash } from "node:crypto"
import { demand, refuse } from "../Refused.ts"
import { extension, extensionsOf, Fields } from "./fields.ts"
import { type Message, Messages, messageType } from "./messages.ts"
import { contentType, type TlsRecord } from "./records.ts"
import { digest, type Suite, suiteOf } from "./suites.ts"

/** The messages before encryption, and the records after them. */
interface Opening {
  readonly messages: ReadonlyArray<Message>
  readonly rest: ReadonlyArray<TlsRecord>
}

const openingOf = (records: ReadonlyArray<TlsRecord>): Opening => {
  const split = new Messages()
  const messages: Array<Message> = []
  const encrypted = records.findIndex(
    ({ type }) => type !== contentType.handshake && type !== contentType.changeCipherSpec
  )
  const rest = encrypted < 0 ? [] : records.slice(encrypted)
  for (const { body, type } of records.slice(0, encrypted < 0 ? records.length : encrypted)) {
    if (type === contentType.changeCipherSpec) {
      demand(body.length === 1 && body[0] === 1, "a malformed change_cipher_spec")
      continue
    }
    messages.push(...split.take(body))
    demand(
      messages.every((message) => message.type <= messageType.serverHello),
      "not TLS 1.3: its Certificate would be encrypted"
    )
  }
  demand(!split.isWithin, "a handshake message without its end")
  return { messages, rest }
}

interface ServerHello {
  readonly random: Buffer
  readonly suite: number
  readonly extensions: ReadonlyMap<number, Buffer>
}

const serverHelloOf = ({ body, type }: Message): ServerHello => {
  demand(type === messageType.serverHello, "not TLS 1.3")
  const fields = new Fields(body)
  fields.take(2)
  const random = fields.take(32)
  fields.vector(1)
  const suite = fields.number(2)
  fields.take(1)
  return { random, suite, extensions: fields.isDone ? new Map() : extensionsOf(fields.vector(2)) }
}

const checkClientHello = ({ body, type }: Message, host: string): void => {
  demand(type === messageType.clientHello, "an unusual handshake")
  const fields = new Fields(body)
  fields.take(34)
  fields.vector(1)
  fields.vector(2)
  fields.vector(1)
  const extensions = extensionsOf(fields.vector(2))
  demand(fields.isDone, "a malformed ClientHello")
  demand(nameIn(extensions) === host, "the ClientHello asks for another name than CONNECT")
  demand(!extensions.has(extension.earlyData), "early data")
  demand(!extensions.has(extension.encryptedClientHello), "an encrypted ClientHello")
}

/** The one server name, in lower case (RFC 6066, 3). */
const nameIn = (extensions: ReadonlyMap<number, Buffer>): string | undefined => {
  const names = extensions.get(extension.serverName)
  if (names === undefined) return undefined
  const list = new Fields(new Fields(names).vector(2))
  const type = list.number(1)
  const name = list.vector(2).toString("latin1")
  return type === 0 && list.isDone ? name.toLowerCase() : undefined
}

/** The `random` by which a ServerHello is a HelloRetryRequest (RFC 8446, 4.1.3). */
const retryRandom = createHash("sha256").update("HelloRetryRequest").digest()

const tls13 = 0x0304
const messageHash = 254

export interface Greeting {
  readonly suite: Suite
  /** True if the host asked for another key share first. */
  readonly retried: boolean
  /** The messages so far, as the transcript has them. */
  readonly transcript: ReadonlyArray<Buffer>
  /** The encrypted records of each direction. */
  readonly toHost: ReadonlyArray<TlsRecord>
  readonly fromHost: ReadonlyArray<TlsRecord>
}

/** Reads the hellos of both sides. Refuses what is not a full TLS 1.3 handshake for `host`. */
export const greet = (
  toHost: ReadonlyArray<TlsRecord>,
  fromHost: ReadonlyArray<TlsRecord>,
  host: string
): Greeting => {
  const client = openingOf(toHost)
  const server = openingOf(fromHost)
  const hellos = server.messages.map(serverHelloOf)
  const retried = hellos.length === 2 && hellos[0]?.random.equals(retryRandom) === true
  const hello = hellos[retried ? 1 : 0]
  const [firstAsked, lastAsked] = [client.messages[0], client.messages.at(-1)]
  const [firstSaid, lastSaid] = [server.messages[0], server.messages.at(-1)]
  const isUsual = hellos.length === (retried ? 2 : 1) && client.messages.length === hellos.length
  if (
    !isUsual ||
    hello === undefined ||
    firstAsked === undefined ||
    lastAsked === undefined ||
    firstSaid === undefined ||
    lastSaid === undefined
  )
    return refuse("an unusual handshake")
  for (const message of client.messages) checkClientHello(message, host)
  const version = hello.extensions.get(extension.versions)
  demand(version?.length === 2 && version.readUInt16BE() === tls13, "not TLS 1.3")
  demand(!hello.extensions.has(extension.preSharedKey), "a resumed session, which has no certificate")
  const suite = suiteOf(hello.suite)
  demand(!retried || hellos[0]?.suite === hello.suite, "two cipher suites")
  const firstHash = digest(suite, [firstAsked.bytes])
  return {
    suite,
    retried,
    // After a retry the first ClientHello is there as its hash (RFC 8446, 4.4.1).
    transcript: [
      ...(retried ? [Buffer.of(messageHash, 0, 0, firstHash.length), firstHash, firstSaid.bytes] : []),
      lastAsked.bytes,
      lastSaid.bytes
    ],
    toHost: client.rest,
    fromHost: server.rest
  }
}
