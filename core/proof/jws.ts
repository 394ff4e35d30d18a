/** Compact JWS (RFC 7515) of canonical JSON, signed with Ed25519 (RFC 8037). Its `kid` is a `did:web` URL of a key. */
import { fromBase64Url, fromUtf8, Malformed, toBase64Url, utf8 } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import { verifyEd25519 } from "./ed25519.ts"
import * as s from "./shape.ts"

/** A JWS as the x402 extension `offer-receipt` wraps it. */
export interface SignedJws {
  readonly format: "jws"
  readonly signature: string
}

export interface ReadJws {
  /** Whose key it is: the host and the path below it, as in a URL, without a slash at the end. */
  readonly place: string
  /** The key's RFC 7638 thumbprint. */
  readonly kid: string
  /** Not yet checked against a shape. */
  readonly payload: unknown
  readonly isSignedBy: (publicKey: Uint8Array) => boolean
}

interface Header {
  readonly alg: "EdDSA"
  readonly kid: string
}
const header: s.Shape<Header> = { alg: s.oneOf("EdDSA"), kid: s.name }

/**
 * The DID of a place on the web (`did:web`), which is a host, and maybe a path below it: a port's colon is escaped in it, and
 * colons stand for slashes.
 */
export const didOf = (place: string): string => `did:web:${place.replace(":", "%3A").replaceAll("/", ":")}`

const placeOf = (did: string): string => did.replaceAll(":", "/").replace("%3A", ":")

/** Signs a JSON value in the name of a place on the web. */
export const signJws = (
  payload: unknown,
  place: string,
  key: { readonly kid: string; readonly sign: (message: Uint8Array) => Uint8Array }
): SignedJws => {
  const head = canonical({ alg: "EdDSA", kid: `${didOf(place)}#${key.kid}` })
  const signed = `${toBase64Url(utf8(head))}.${toBase64Url(utf8(canonical(payload)))}`
  return { format: "jws", signature: `${signed}.${toBase64Url(key.sign(utf8(signed)))}` }
}

/** Takes a compact JWS apart. Throws `Malformed`. */
export const readJws = (text: string): ReadJws => {
  const [head = "", body = "", mark = "", ...more] = text.split(".")
  if (mark === "" || more.length > 0) throw new Malformed("a JWS must have three parts, separated by dots")
  const { kid } = s.readShape("a JWS header", parseCanonical(fromUtf8(fromBase64Url(head))), header)
  const named = /^did:web:([^#:/]+(?::[^#:/]+)*)#([A-Za-z0-9_-]{43})$/.exec(kid)
  if (named?.[1] === undefined || named[2] === undefined)
    throw new Malformed("a JWS header's kid must be did:web:<host, or host:path>#<thumbprint of the key>")
  const signature = fromBase64Url(mark, 64)
  return {
    place: placeOf(named[1]),
    kid: named[2],
    payload: parseCanonical(fromUtf8(fromBase64Url(body))),
    isSignedBy: (publicKey) => verifyEd25519(signature, utf8(`${head}.${body}`), publicKey)
  }
}
