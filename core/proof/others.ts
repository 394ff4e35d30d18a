/** Nobody is his own witness: who says something of a service has neither a key of it nor the name of its log. */
import { Malformed } from "./bytes.ts"
import { type KeyDocument, thumbprint } from "./keys.ts"

/** What is the service's own. */
export interface Own {
  /** The name of its log. */
  readonly origin: string
  /** Its keys of every purpose and time. */
  readonly kids: ReadonlySet<string>
}

export const ownOf = ({
  answers,
  checkpointOrigin,
  log
}: Pick<KeyDocument, "answers" | "checkpointOrigin" | "log">): Own => ({
  origin: checkpointOrigin,
  kids: new Set([...answers, ...log].map(({ kid }) => kid))
})

/** Somebody who is named beside the service: an observer by the kid of his key, a witness or notary by the key itself. */
type Other =
  | { readonly name: string; readonly kid: string }
  | { readonly name: string; readonly publicKey: Uint8Array }

/** Throws `Malformed` if an observer, a witness or a notary, as `what` calls him, is the service itself under another title. */
export const demandOther = (what: string, other: Other, own: Own): void => {
  const kid = "kid" in other ? other.kid : thumbprint(other.publicKey)
  if (own.kids.has(kid))
    throw new Malformed(`the ${what} ${other.name} has the key ${kid} of the service itself`, "key")
  if (other.name.toLowerCase() === own.origin.toLowerCase())
    throw new Malformed(`the ${what} ${other.name} has the name of the service's own log`, "origin")
}
