/** What a notary finds in a tape, given the session's secrets. Pure, so that each attack is a test of this function. */
import { hash, type X509Certificate } from "node:crypto"
import {
  longestHeader,
  mostExchanges,
  type Notarisation,
  type NotarisedExchange
} from "../../core/proof/notarisation.ts"
import { checkChain, type Roots } from "./certificates/chain.ts"
import { exchangesOf, type HttpExchange } from "./http/exchanges.ts"
import type { Headers } from "./http/head.ts"
import { demand, refuse } from "./Refused.ts"
import type { Tape } from "./tape.ts"
import { openSession, type Secrets } from "./tls/session.ts"

/** The part of a statement that a tape gives. */
export type Findings = Pick<
  Notarisation,
  | "address"
  | "certificate"
  | "cipher"
  | "closed_at"
  | "cut"
  | "exchanges"
  | "host"
  | "opened_at"
  | "roots_sha256"
  | "session"
  | "signature"
>

export interface Examined {
  readonly findings: Findings
  /** As the host sent it, for a second opinion. */
  readonly chain: readonly [X509Certificate, ...Array<X509Certificate>]
}

/** Bytes of the largest body after content decoding: a collector reads no more. */
export const mostDecoded = 32 * 1024 * 1024

const sha256 = (bytes: Uint8Array): string => hash("sha256", bytes)

const iso = (ms: number): string => new Date(ms).toISOString()

const printable = /^[ -~]+$/

/** Headers as a statement has them, by their names there. What cannot be in one is left out. */
const headersOf = <Name extends string>(
  headers: Headers,
  names: Readonly<Record<Name, string>>
): { readonly [_ in Name]?: string } => {
  const members: { [_ in Name]?: string } = {}
  for (const name in names) {
    const value = headers.get(names[name])?.join(", ")
    if (value !== undefined && value.length <= longestHeader && printable.test(value)) members[name] = value
  }
  return members
}

const requestHeaders = {
  accept: "accept",
  if_none_match: "if-none-match",
  if_modified_since: "if-modified-since"
} as const

const responseHeaders = {
  date: "date",
  age: "age",
  etag: "etag",
  last_modified: "last-modified",
  location: "location",
  content_type: "content-type"
} as const

const exchangeOf = ({ answered, content, request, response }: HttpExchange): NotarisedExchange => ({
  answered_at: iso(answered.at),
  ...(request === undefined
    ? {}
    : {
        asked_at: iso(request.last.at),
        request: {
          method: request.method,
          target: request.target,
          ...(request.body.length === 0 ? {} : { body_sha256: sha256(request.body) }),
          ...headersOf(request.headers, requestHeaders)
        }
      }),
  response: {
    status: response.status,
    whole: response.whole,
    sha256: sha256(content),
    size: content.length,
    encoded_size: response.body.length,
    ...headersOf(response.headers, responseHeaders)
  }
})

/** Examines a session. Throws `Refused` unless the holder of a publicly trusted certificate of the host gave whole answers in it. */
export const examine = (tape: Tape, secrets: Secrets, roots: Roots, most = mostDecoded): Examined => {
  const session = openSession(tape, secrets)
  const [certificate] = session.chain
  const root = checkChain(session.chain, tape.host, roots, new Date(tape.opened))
  const { cut, exchanges } = exchangesOf(session, tape.host, most)
  if (exchanges.length === 0) return refuse("no whole answer")
  demand(exchanges.length <= mostExchanges, `more than ${mostExchanges} exchanges`)
  return {
    chain: session.chain,
    findings: {
      host: tape.host,
      address: tape.address,
      session: sha256(session.transcriptHash),
      cipher: session.suite,
      signature: session.scheme,
      certificate: {
        sha256: sha256(certificate.raw),
        root_sha256: sha256(root.raw),
        not_after: iso(certificate.validToDate.getTime())
      },
      roots_sha256: roots.sha256,
      opened_at: iso(tape.opened),
      closed_at: iso(tape.closed),
      cut,
      exchanges: exchanges.map(exchangeOf)
    }
  }
}
