/** Addresses that do something without a key: only who got the message, or made the alert, knows them. */
import { timingSafeEqual } from "node:crypto"
import type { Secret } from "../credits/Secret.ts"

/** What an address of an alert does. `never` is of a mailbox (`mailboxId`) and lasts as long as the service does. */
export type LinkKind = "confirm" | "end" | "feed" | "never" | "pause" | "resume"

const tokenOf = (secret: Secret["Service"], kind: LinkKind, alert: string): string =>
  Buffer.from(secret.hmac("alert link", `${kind}\n${alert}`).subarray(0, 18)).toString("base64url")

/** True if the token is the one of this kind of address; nothing is stored that could make it. */
export const isToken = (secret: Secret["Service"], kind: LinkKind, alert: string, token: string): boolean => {
  const expected = Buffer.from(tokenOf(secret, kind, alert))
  const candidate = Buffer.from(token)
  return expected.length === candidate.length && timingSafeEqual(expected, candidate)
}

/** `place` is where addresses of its kind are: of alerts, or of mornings. */
export const linkOf = (
  base: string,
  secret: Secret["Service"],
  kind: LinkKind,
  alert: string,
  place: "alerts" | "mornings" = "alerts"
): string => `${base}/${place}/${alert}/${kind}/${tokenOf(secret, kind, alert)}`
