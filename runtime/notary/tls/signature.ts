/** CertificateVerify (RFC 8446, 4.4.3): the host signs this very handshake with the key of its certificate. */
import { constants, type KeyObject, verify } from "node:crypto"
import { demand, refuse } from "../Refused.ts"
import { Fields } from "./fields.ts"

interface Scheme {
  readonly name: string
  readonly hash: "sha256" | "sha384" | "sha512" | null
  readonly key: "ec" | "rsa" | "ed25519"
  readonly curve?: string
  readonly saltLength?: number
}

/** Those that TLS 1.3 allows in CertificateVerify, without SHA-1 and Ed448. */
const schemes: ReadonlyMap<number, Scheme> = new Map([
  [0x0403, { name: "ecdsa_secp256r1_sha256", hash: "sha256", key: "ec", curve: "prime256v1" }],
  [0x0503, { name: "ecdsa_secp384r1_sha384", hash: "sha384", key: "ec", curve: "secp384r1" }],
  [0x0603, { name: "ecdsa_secp521r1_sha512", hash: "sha512", key: "ec", curve: "secp521r1" }],
  [0x0804, { name: "rsa_pss_rsae_sha256", hash: "sha256", key: "rsa", saltLength: 32 }],
  [0x0805, { name: "rsa_pss_rsae_sha384", hash: "sha384", key: "rsa", saltLength: 48 }],
  [0x0806, { name: "rsa_pss_rsae_sha512", hash: "sha512", key: "rsa", saltLength: 64 }],
  [0x0807, { name: "ed25519", hash: null, key: "ed25519" }]
])

const context = Buffer.concat([Buffer.alloc(64, 0x20), Buffer.from("TLS 1.3, server CertificateVerify\0")])

/** Checks the message over the hash of the transcript before it. Returns the name of the signature scheme. */
export const checkSignature = (message: Buffer, publicKey: KeyObject, transcriptHash: Buffer): string => {
  const fields = new Fields(message)
  const scheme = schemes.get(fields.number(2)) ?? refuse("an unknown signature scheme")
  const signature = fields.vector(2)
  demand(
    publicKey.asymmetricKeyType === scheme.key &&
      (scheme.curve === undefined || publicKey.asymmetricKeyDetails?.namedCurve === scheme.curve),
    "the signature scheme is not the key's"
  )
  const key = {
    key: publicKey,
    dsaEncoding: "der" as const,
    ...(scheme.saltLength === undefined
      ? {}
      : { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: scheme.saltLength })
  }
  demand(
    fields.isDone && verify(scheme.hash, Buffer.concat([context, transcriptHash]), key, signature),
    "CertificateVerify is not the host's"
  )
  return scheme.name
}
