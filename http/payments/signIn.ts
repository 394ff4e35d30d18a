/**
 * The x402 extension `sign-in-with-x`: the wallet that paid signs a text (EIP-4361) and gets its last purchase of the same
 * product again. Our nonce is made from our key, so nothing about a challenge is stored and nobody else can make one.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { Effect } from "effect"
import { signatureFault, signerOf } from "../../core/credits/chain/signature.ts"
import { minute } from "../../core/plugin/time.ts"
import { toHex, utf8 } from "../../core/proof/bytes.ts"
import { isRecord } from "../../core/proof/canonical.ts"
import { PaymentMalformed } from "../../core/wire/problems/x402.ts"
import { authorityOf } from "../HttpSettings.ts"
import type { Signer } from "../signing/Signer.ts"

type KeyAt = Signer["Service"]["key"]

const name = "SIGN-IN-WITH-X"
const statement = "Sign in to get what this wallet bought again. This signature pays nothing."
const validMs = 5 * minute

/** Short, because it travels in a header: the package knows the types. */
const schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  required: ["domain", "address", "uri", "version", "chainId", "type", "nonce", "issuedAt", "signature"]
}

const nonceOf = (uri: string, issuedAt: string, key: KeyAt): string =>
  toHex(sha256(key(Date.parse(issuedAt)).sign(utf8(`service-sign-in-v1|${issuedAt}|${uri}`)))).slice(0, 32)

/** What to sign for a resource, of a challenge issued at a time. */
const challengeOf = (uri: string, issuedAt: string, key: KeyAt) => ({
  domain: authorityOf(uri),
  uri,
  statement,
  version: "1",
  nonce: nonceOf(uri, issuedAt, key),
  issuedAt,
  expirationTime: new Date(Date.parse(issuedAt) + validMs).toISOString()
})

/** The challenge of a resource; `now` is in epoch milliseconds. */
export const signInOffer = (uri: string, network: string, key: KeyAt, now: number) => ({
  "sign-in-with-x": {
    info: challengeOf(uri, new Date(now).toISOString(), key),
    supportedChains: [{ chainId: network, type: "eip191" }],
    schema
  }
})

const messageOf = (
  challenge: ReturnType<typeof challengeOf>,
  address: string,
  network: string
): string => `${challenge.domain} wants you to sign in with your Ethereum account:
${address}

${challenge.statement}

URI: ${challenge.uri}
Version: ${challenge.version}
Chain ID: ${network.slice(network.indexOf(":") + 1)}
Nonce: ${challenge.nonce}
Issued At: ${challenge.issuedAt}
Expiration Time: ${challenge.expirationTime}`

const wrong = (what: string) =>
  new PaymentMalformed({
    message: `${name}: ${what}. Nothing was charged; the 402 without this header has a new challenge.`,
    field: name
  })

const parsed = (header: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(header, "base64").toString("utf8"))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The wallet that signed in, in lower case. `now` is in epoch milliseconds. */
export const verifySignIn = Effect.fnUntraced(function* (
  header: string,
  uri: string,
  network: string,
  key: KeyAt,
  now: number
) {
  const signedFields = header.length > 8192 ? undefined : parsed(header)
  if (signedFields === undefined) return yield* wrong("the header is not base64 of a JSON object")
  const { address, chainId, issuedAt, signature } = signedFields
  if (typeof issuedAt !== "string" || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(issuedAt)) {
    return yield* wrong("issuedAt must be the one of the challenge")
  }
  const age = now - Date.parse(issuedAt)
  if (!(age >= 0 && age <= validMs)) return yield* wrong("the challenge is older than five minutes")
  if (chainId !== network) return yield* wrong(`chainId must be ${network}`)
  const challenge = challengeOf(uri, issuedAt, key)
  const other = Object.entries(challenge).find(([member, value]) => signedFields[member] !== value)
  if (other !== undefined) return yield* wrong(`${other[0]} must be the one of the challenge of ${uri}`)
  if (typeof address !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(address)) {
    return yield* wrong("address must be the address of a wallet")
  }
  const signatureProblem = typeof signature === "string" ? signatureFault(signature) : "signature is missing."
  if (typeof signature !== "string" || signatureProblem !== undefined)
    return yield* wrong(String(signatureProblem).slice(0, -1))
  const message = messageOf(challenge, address, network)
  // biome-ignore lint/plugin/promise: recovers a key in memory; an invalid signature gives undefined
  const signer = yield* Effect.promise(() => signerOf(message, signature))
  if (signer !== address.toLowerCase()) {
    return yield* wrong("the signature is not that of the address over the challenge")
  }
  return signer
})
