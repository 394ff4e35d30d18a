/**
 * A document that is signed as it stands: `kid` and `signature` beside its members, over the canonical JSON of the others. Its tag says
 * what it states, so that none can pass for another.
 */
import { Malformed, utf8 } from "./bytes.ts"
import { canonical, isRecord } from "./canonical.ts"
import { verifyEd25519 } from "./ed25519.ts"
import { parseSignatureHeader, signatureHeader } from "./statement.ts"

/** The document as it is served. */
export const withSignature = <A extends object>(
  document: A,
  key: { readonly kid: string; readonly sign: (message: Uint8Array) => Uint8Array }
) => ({ ...document, kid: key.kid, signature: signatureHeader(key.sign(utf8(canonical(document)))) })

/** A served document, taken apart; `read` checks its members. Throws `Malformed`. */
export const readSigned = <A>(what: string, value: unknown, read: (members: unknown) => A) => {
  if (!isRecord(value)) throw new Malformed(`${what} must be an object`)
  const { kid, signature, ...members } = value
  if (typeof kid !== "string" || typeof signature !== "string")
    throw new Malformed(`${what} must have \`kid\` and \`signature\``)
  const document = read(members)
  const mark = parseSignatureHeader(signature)
  return {
    document,
    kid,
    isSignedBy: (publicKey: Uint8Array) => verifyEd25519(mark, utf8(canonical(document)), publicKey)
  }
}
