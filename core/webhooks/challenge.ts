/**
 * The challenge of a target: it gets events once it has echoed a token, so nobody can have this service send to a host whose
 * owner did not ask for it.
 */
import { minute } from "../plugin/time.ts"

export const challengeType = "webhook.challenge"

/** A challenge is retried so long, in milliseconds; afterwards a test sends another. */
export const challengedFor = 2 * minute

/** `data` of the message. */
export const challengeBody = (token: string): string =>
  JSON.stringify({
    challenge: token,
    message:
      'Answer 2xx with {"challenge": "<challenge>"}, or with the challenge alone as text: events are sent from then on.'
  })

const tokenIn = (text: string | undefined, member: (value: object) => unknown): unknown => {
  try {
    const value: unknown = JSON.parse(text ?? "")
    return typeof value === "object" && value !== null ? member(value) : value
  } catch {
    return text?.trim()
  }
}

const challengeOf = (value: object): unknown => ("challenge" in value ? value.challenge : undefined)

/** True if the body of an answer has the token of the challenge whose `data` was sent: in JSON, or alone. */
export const echoes = (data: string | null, body: string | undefined): boolean => {
  const token = tokenIn(data ?? "", challengeOf)
  return typeof token === "string" && token.length > 0 && tokenIn(body, challengeOf) === token
}
