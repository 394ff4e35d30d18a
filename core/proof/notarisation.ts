/**
 * What a notary states of one session that it carried between a collector and a host: which whole answers the holder of the host's
 * certificate gave to which requests. A signed note (C2SP `signed-note`), whose text is one line of canonical JSON.
 *
 * It does not say that no third party wrote an answer: whoever sits between the notary and the host AND gets the session's secrets
 * from the collector can, since both sides of TLS have the same keys.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { Malformed, toHex, utf8 } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import { demand } from "./check.ts"
import { noteText, parseNote, signatureLine, type Verifier, verifyNote } from "./checkpoint.ts"
import { checkTag, type Tag } from "./leaf.ts"
import { demandPossible } from "./sessionSense.ts"
import * as s from "./shape.ts"

export type RequestMethod = "GET" | "HEAD" | "POST"

/** How the end of an answer is known: by its length, its last chunk, the end of the TLS session, or because it has no body. */
export type Whole = "length" | "chunked" | "close_notify" | "none"

/** Values of headers are there where they are printable ASCII of at most `longestHeader` characters. */
export interface NotarisedRequest {
  readonly method: RequestMethod
  /** Path and query. */
  readonly target: string
  /** SHA-256 of the body; absent where it had none. */
  readonly body_sha256?: string
  readonly accept?: string
  readonly if_none_match?: string
  readonly if_modified_since?: string
}

export interface NotarisedResponse {
  readonly status: number
  readonly whole: Whole
  /** SHA-256 of the body after content decoding. */
  readonly sha256: string
  /** Bytes of that body. */
  readonly size: number
  /** Bytes of the body before content decoding. */
  readonly encoded_size: number
  readonly date?: string
  readonly age?: string
  readonly etag?: string
  readonly last_modified?: string
  readonly location?: string
  readonly content_type?: string
}

export interface NotarisedExchange {
  /** When the request was whole; absent where the requests are hidden. */
  readonly asked_at?: string
  /** When the answer was whole, by the notary's clock. */
  readonly answered_at: string
  /** Absent where the requests are hidden: then neither the method, the target nor the Host header is stated. */
  readonly request?: NotarisedRequest
  readonly response: NotarisedResponse
}

export interface Notarisation {
  readonly v: Tag<"service-notarisation-v1">
  /** Name of the notary, as in its verifier key. */
  readonly notary: string
  /** For whom it carried the session: the name of the log of the collector's service. */
  readonly collector: string
  /** The UTC day on which the session was opened. */
  readonly day: string
  /** Counts the sessions that the notary opened for this collector on this day, from 1, without a gap. */
  readonly n: number
  /** At port 443. */
  readonly host: string
  /** What the notary resolved the name to, and connected to. */
  readonly address: string
  /** SHA-256 of the transcript hash through the host's Finished: names the session whoever carried it. */
  readonly session: string
  readonly cipher: string
  /** The signature scheme of the host's CertificateVerify. */
  readonly signature: string
  readonly certificate: {
    readonly sha256: string
    readonly root_sha256: string
    readonly not_after: string
  }
  /** Names the list of roots that the notary trusts: SHA-256 over the hashes of the certificates, in hex and ascending order. */
  readonly roots_sha256: string
  readonly opened_at: string
  readonly closed_at: string
  readonly stated_at: string
  /** The session ended within a request or an answer, which is not in `exchanges`. */
  readonly cut: boolean
  /** In their order; at least one. With hidden requests exactly one. */
  readonly exchanges: ReadonlyArray<NotarisedExchange>
  /** The head of the notary's own log when it signed. */
  readonly log: { readonly size: number; readonly root: string }
  readonly simulated?: true
}

export const notarisationTag = "service-notarisation-v1"

/** A longer header is left out of a statement. */
export const longestHeader = 2000

/** Exchanges of one session. */
export const mostExchanges = 1000

const header = s.optional(s.name)

const requestShape: s.Shape<NotarisedRequest> = {
  method: s.oneOf("GET", "HEAD", "POST"),
  target: s.name,
  body_sha256: s.optional(s.hash),
  accept: header,
  if_none_match: header,
  if_modified_since: header
}

const responseShape: s.Shape<NotarisedResponse> = {
  status: s.count,
  whole: s.oneOf("length", "chunked", "close_notify", "none"),
  sha256: s.hash,
  size: s.count,
  encoded_size: s.count,
  date: header,
  age: header,
  etag: header,
  last_modified: header,
  location: header,
  content_type: header
}

const exchangeShape: s.Shape<NotarisedExchange> = {
  asked_at: s.optional(s.time),
  answered_at: s.time,
  request: s.optional(s.nested("a request", requestShape)),
  response: s.nested("an answer", responseShape)
}

const shape: s.Shape<Notarisation> = {
  v: s.oneOf<Tag<"service-notarisation-v1">>(notarisationTag, `${notarisationTag}-demo`),
  notary: s.name,
  collector: s.name,
  day: s.day,
  n: s.ordinal,
  host: s.name,
  address: s.name,
  session: s.hash,
  cipher: s.name,
  signature: s.name,
  certificate: s.nested("the certificate", { sha256: s.hash, root_sha256: s.hash, not_after: s.time }),
  roots_sha256: s.hash,
  opened_at: s.time,
  closed_at: s.time,
  stated_at: s.time,
  cut: s.flag,
  exchanges: s.listOf(s.nested("an exchange", exchangeShape)),
  log: s.nested("the notary's log", { size: s.count, root: s.hash }),
  simulated: s.optional(s.trueOrAbsent)
}

const check = (value: unknown): Notarisation => {
  const statement = s.readShape("a notary's statement", value, shape)
  checkTag(statement, notarisationTag)
  const { exchanges } = statement
  demand(
    exchanges.length > 0 && exchanges.length <= mostExchanges,
    `a notary's statement must be of 1 to ${mostExchanges} exchanges`
  )
  const hidden = exchanges.filter(({ request }) => request === undefined).length
  demand(
    hidden === 0 || (hidden === 1 && exchanges.length === 1),
    "a statement with hidden requests must be of one exchange"
  )
  demand(
    exchanges.every(({ asked_at, request }) => (asked_at === undefined) === (request === undefined)),
    "an exchange must have `asked_at` exactly if it has its request"
  )
  demandPossible(statement)
  return statement
}

/** The text that a notary signs. Throws `Malformed` if the statement is not valid. */
export const notarisationText = (statement: Notarisation): string => `${canonical(check(statement))}\n`

/** The signed note. `sign` signs the bytes with the notary's key. */
export const notarisationNote = (
  statement: Notarisation,
  verifier: Verifier,
  sign: (message: Uint8Array) => Uint8Array
): string => {
  const text = notarisationText(statement)
  return noteText(text, [signatureLine(verifier, sign(utf8(text)))])
}

/** SHA-256 of a whole note, by which the leaf of a run names it. */
export const noteHash = (note: string): string => toHex(sha256(utf8(note)))

/** Parses the statement of a note, whoever signed it. Throws `Malformed`. */
export const parseNotarisation = (note: string): Notarisation => {
  const { text } = parseNote(note)
  return check(parseCanonical(text.slice(0, -1)))
}

/** The statement of a note that one of these notaries signed; undefined where none did. Throws `Malformed`, also for a signature that is wrong. */
export const readNotarisation = (
  note: string,
  notaries: ReadonlyArray<Verifier>
): { readonly statement: Notarisation; readonly notary: Verifier } | undefined => {
  const signers = verifyNote(parseNote(note), notaries)
  if (signers === undefined)
    throw new Malformed("the signature on a notary's statement does not verify", "signature")
  const [notary] = signers
  if (notary === undefined) return undefined
  const statement = parseNotarisation(note)
  demand(
    statement.notary === notary.name,
    "the statement names another notary than the one that signed it",
    "contradiction"
  )
  return { statement, notary }
}
