/** Whom the reader trusts: keys and witnesses that he was given elsewhere, kept in this browser. */
import { Malformed } from "../../../../core/proof/bytes.ts"
import { type Cosigner, parseCosigner } from "../../../../core/proof/cosignature.ts"
import { quorumOf } from "../../../../core/proof/policy.ts"
import type { Trust } from "../../../../core/proof/trust.ts"
import type { Trusted } from "../parts/store.ts"

const lines = (text: string): ReadonlyArray<string> => text.split(/\s+/).filter((one) => one !== "")

const keyForm = /^(?:[A-Za-z0-9_-]{43}|[0-9a-f]{64}|[^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+)$/

/** Why one of the fields cannot be used; undefined if both can. */
export const notTrustable = ({ keys, witnesses }: Trusted): string | undefined => {
  const wrong = lines(keys).find((key) => !keyForm.test(key))
  if (wrong !== undefined)
    return `“${wrong.slice(0, 80)}” is not a key. A key is a kid (43 letters, digits, - and _), 64 hex digits, or a verifier key such as example.net/log+0a1b2c3d+AbC…`
  try {
    for (const one of lines(witnesses)) parseCosigner(one)
    return undefined
  } catch (error) {
    if (error instanceof Malformed) return `A witness cannot be read: ${error.message}.`
    throw error
  }
}

/** As the verifier takes it, from what is kept. */
export const trustNow = (what: Trusted): Trust => {
  const readable = notTrustable(what) === undefined ? what : { keys: "", witnesses: "" }
  const witnesses: ReadonlyArray<Cosigner> = lines(readable.witnesses).map(parseCosigner)
  return {
    pins: lines(readable.keys),
    now: Date.now(),
    ...(witnesses.length === 0 ? {} : { witnesses, quorum: quorumOf(witnesses, 1) })
  }
}
