/** What a notary states of a session must be possible: names, times in their order, a certificate that was in force, bodies that fit their sizes. */
import { sha256 } from "@noble/hashes/sha2.js"
import { toHex } from "./bytes.ts"
import { demand } from "./check.ts"

interface Answer {
  readonly status: number
  readonly whole: string
  readonly sha256: string
  readonly size: number
  readonly encoded_size: number
}

interface Exchange {
  readonly asked_at?: string
  readonly answered_at: string
  readonly request?: { readonly method: string }
  readonly response: Answer
}

/** What of a statement (`notarisation.ts`) must be possible together. */
interface Session {
  readonly day: string
  readonly host: string
  readonly certificate: { readonly not_after: string }
  readonly opened_at: string
  readonly closed_at: string
  readonly stated_at: string
  readonly exchanges: ReadonlyArray<Exchange>
}

/** A name of two labels at least, in lower case, whose last one is no number: no address, and nothing of this machine. */
const hostForm = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** True for the name of a host that a notary may carry to. It has no scheme and no port: those are always https and 443. */
export const isHostName = (text: string): boolean => hostForm.test(text)

const nothing = toHex(sha256(new Uint8Array()))

/** Answers that never have a body (RFC 9110, 6.4.1). */
const isBare = (status: number): boolean => status === 204 || status === 304

const demandBody = (
  { encoded_size, sha256: hash, size, status, whole }: Answer,
  method: string | undefined
): void => {
  demand(status >= 200 && status <= 599, `an answer with the status ${status} is none`)
  demand(
    (size === 0) === (hash === nothing),
    `an answer of ${size} bytes cannot have the hash ${hash}`,
    "contradiction"
  )
  demand(
    (size === 0 || encoded_size > 0) && (whole !== "none" || (size === 0 && encoded_size === 0)),
    `an answer of ${encoded_size} bytes, ${size} when decoded, cannot have ended by ${whole}`,
    "contradiction"
  )
  demand(
    // Where the request is hidden it may have been a HEAD.
    whole === "none" ? isBare(status) || method === "HEAD" || method === undefined : !isBare(status),
    `an answer with the status ${status} to a ${method ?? "hidden request"} cannot have ended by ${whole}`,
    "contradiction"
  )
}

/** Throws `Malformed` unless the times follow one another. */
const demandOrder = (times: ReadonlyArray<readonly [what: string, time: string | undefined]>): void => {
  let before: readonly [what: string, time: string] | undefined
  for (const [what, time] of times) {
    if (time === undefined) continue
    demand(
      before === undefined || Date.parse(time) >= Date.parse(before[1]),
      `a session that was ${what} at ${time}, and before that ${before?.[0]} at ${before?.[1]}`,
      "time"
    )
    before = [what, time]
  }
}

const timesOf = ({ answered_at, asked_at }: Exchange) =>
  [
    ["asked", asked_at],
    ["answered", answered_at]
  ] as const

/** Throws `Malformed` if a statement contradicts itself. */
export const demandPossible = (session: Session): void => {
  const { certificate, closed_at, day, exchanges, host, opened_at, stated_at } = session
  demand(isHostName(host), `"${host}" is not the name of a host in lower case, without a port`)
  demand(
    day === opened_at.slice(0, 10),
    `a session that was opened at ${opened_at} is not of the day ${day}`,
    "time"
  )
  demandOrder([
    ["opened", opened_at],
    ...exchanges.flatMap(timesOf),
    ["closed", closed_at],
    ["stated", stated_at]
  ])
  demand(
    Date.parse(certificate.not_after) >= Date.parse(opened_at),
    `the host's certificate had ended at ${certificate.not_after}, before the session was opened at ${opened_at}`,
    "time"
  )
  for (const { request, response } of exchanges) demandBody(response, request?.method)
}
