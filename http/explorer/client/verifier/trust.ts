/** Whom the reader trusts: keys, witnesses and notaries that he was given elsewhere, kept in this browser. */
import { Malformed } from "../../../../core/proof/bytes.ts"
import type { Check } from "../../../../core/proof/check.ts"
import { type Cosigner, parseCosigner } from "../../../../core/proof/cosignature.ts"
import { type NotaryPolicy, notaryPolicyOf } from "../../../../core/proof/notaryPolicy.ts"
import { quorumOf } from "../../../../core/proof/policy.ts"
import type { Trust } from "../../../../core/proof/trust.ts"
import { nobody, type Trusted } from "../parts/store.ts"

const lines = (text: string): ReadonlyArray<string> => text.split(/\s+/).filter((one) => one !== "")

const keyForm = /^(?:[A-Za-z0-9_-]{43}|[0-9a-f]{64}|[^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+)$/

const notaryPolicy = ({ leastNotaries, notaries }: Trusted): NotaryPolicy | undefined => {
  const keys = lines(notaries)
  const least = leastNotaries.trim()
  return notaryPolicyOf(keys, keys.length === 0 || least === "" ? undefined : least)
}

/** Whom the reader trusts to sign blocks of chains. */
export const chainSigners = ({ signers }: Trusted): ReadonlyArray<string> =>
  lines(signers.toLowerCase()).map((hash) => hash.replace(/^0x/, ""))

/** Those of them that the same command of a shell is told: it asks of the value what a page only looks at. */
export const signersFor = (signers: ReadonlyArray<string>, checks: ReadonlyArray<Check>) =>
  checks.some(({ name, ok }) => name === "block signed on the chain" && ok === true) ? signers : []

/** Why what a field says cannot be used; undefined if it can. */
const wrongIn = (what: string, use: () => void): string | undefined => {
  try {
    use()
    return undefined
  } catch (error) {
    if (error instanceof Malformed) return `${what} cannot be used: ${error.message}.`
    throw error
  }
}

/** Why one of the fields cannot be used; undefined if all can. */
export const notTrustable = (what: Trusted): string | undefined => {
  const wrong = lines(what.keys).find((key) => !keyForm.test(key))
  if (wrong !== undefined)
    return `“${wrong.slice(0, 80)}” is not a key. A key is a kid (43 letters, digits, - and _), 64 hex digits, or a verifier key such as example.net/log+0a1b2c3d+AbC…`
  const other = chainSigners(what).find((hash) => !/^[0-9a-f]{64}$/.test(hash))
  if (other !== undefined) return `“${other.slice(0, 80)}” is not a hash of 64 hex digits.`
  return (
    wrongIn("A witness", () => lines(what.witnesses).map(parseCosigner)) ??
    wrongIn("The notaries", () => notaryPolicy(what))
  )
}

/** As the verifier takes it, from what is kept. */
export const trustNow = (what: Trusted): Trust => {
  const readable = notTrustable(what) === undefined ? what : nobody
  const witnesses: ReadonlyArray<Cosigner> = lines(readable.witnesses).map(parseCosigner)
  const notaries = notaryPolicy(readable)
  return {
    pins: lines(readable.keys),
    now: Date.now(),
    ...(witnesses.length === 0 ? {} : { witnesses, quorum: quorumOf(witnesses, 1) }),
    ...(notaries === undefined ? {} : { notaries })
  }
}
