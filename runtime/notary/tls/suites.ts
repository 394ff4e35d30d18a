/** The cipher suites of TLS 1.3 and the key derivation that they share (RFC 8446, 7.1 and B.4). */
import {
  createDecipheriv,
  createHash,
  createHmac,
  type DecipherChaCha20Poly1305,
  type DecipherGCM
} from "node:crypto"
import { refuse } from "../Refused.ts"

export interface Suite {
  readonly name: string
  readonly decipher: (key: Uint8Array, nonce: Uint8Array) => DecipherChaCha20Poly1305 | DecipherGCM
  /** Bytes of a traffic key. */
  readonly keyLength: number
  readonly hash: "sha256" | "sha384"
  /** Bytes of the hash, which is the length of every secret. */
  readonly hashLength: number
}

/** Bytes of the tag at a record's end. */
export const tagLength = 16

const suites: ReadonlyMap<number, Suite> = new Map([
  [
    0x1301,
    {
      name: "TLS_AES_128_GCM_SHA256",
      decipher: (key, nonce) => createDecipheriv("aes-128-gcm", key, nonce, { authTagLength: tagLength }),
      keyLength: 16,
      hash: "sha256",
      hashLength: 32
    }
  ],
  [
    0x1302,
    {
      name: "TLS_AES_256_GCM_SHA384",
      decipher: (key, nonce) => createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagLength }),
      keyLength: 32,
      hash: "sha384",
      hashLength: 48
    }
  ],
  [
    0x1303,
    {
      name: "TLS_CHACHA20_POLY1305_SHA256",
      decipher: (key, nonce) =>
        createDecipheriv("chacha20-poly1305", key, nonce, { authTagLength: tagLength }),
      keyLength: 32,
      hash: "sha256",
      hashLength: 32
    }
  ]
])

export const suiteOf = (code: number): Suite => suites.get(code) ?? refuse("an unknown cipher suite")

/** HKDF-Expand-Label with an empty context. One HMAC is enough: nothing in TLS 1.3 is longer than the hash. */
export const expandLabel = (
  { hash }: Suite,
  secret: Uint8Array,
  label: "key" | "iv" | "finished" | "traffic upd",
  length: number
): Buffer => {
  const name = Buffer.from(`tls13 ${label}`)
  const info = Buffer.concat([
    Buffer.of(length >> 8, length & 255, name.length),
    name,
    // An empty context, and the number of HKDF's first block.
    Buffer.of(0, 1)
  ])
  return createHmac(hash, secret).update(info).digest().subarray(0, length)
}

/** The transcript hash of these messages. */
export const digest = ({ hash }: Suite, messages: ReadonlyArray<Uint8Array>): Buffer =>
  createHash(hash).update(Buffer.concat(messages)).digest()
