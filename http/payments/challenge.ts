/**
 * MPP: payments by HTTP authentication (`draft-ryan-httpauth-payment`), with its method `evm` and its intent `charge`. The
 * credential carries the same authorization (EIP-3009) as x402, so a sale is the same sale by either. The id of a challenge
 * is made from our key: nothing about it is stored, and nobody else can make one.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { Result } from "effect"
import { checksummed } from "../../core/credits/chain/signature.ts"
import type { DecodedPayment, Settlement } from "../../core/credits/x402/wire.ts"
import { minute } from "../../core/plugin/time.ts"
import { fromBase64Url, fromUtf8, Malformed, toBase64Url, toHex, utf8 } from "../../core/proof/bytes.ts"
import { canonical, isRecord } from "../../core/proof/canonical.ts"
import type { Requirements } from "../../core/wire/credits/x402.ts"
import { PaymentMalformed } from "../../core/wire/problems/x402.ts"
import type { SigningKey } from "../signing/Signer.ts"

type KeyAt = (at: number) => SigningKey

const validMs = 5 * minute
const longest = 16 * 1024

/** The parameters of a challenge that its id covers, in order. */
interface Challenge {
  readonly realm: string
  readonly method: string
  readonly intent: string
  readonly request: string
  readonly opaque: string
  readonly expires: string
}

const encoded = (value: unknown): string => toBase64Url(utf8(canonical(value)))

const idOf = (challenge: Challenge, key: KeyAt): string => {
  const { expires, intent, method, opaque, realm, request } = challenge
  const text = ["service-mpp-v1", realm, method, intent, request, opaque, expires].join("|")
  return toBase64Url(sha256(key(Date.parse(expires) - validMs).sign(utf8(text))))
}

const chainOf = (network: string): number => Number(network.slice(network.indexOf(":") + 1))

/** USDC. */
const decimals = 6

const resourceOf = (path: string): string => encoded({ resource: path })

/** The value of `WWW-Authenticate` for a way to pay for a path; `now` is in epoch milliseconds. */
export const challengeFor = (
  { amount, asset, network, payTo }: Requirements,
  path: string,
  realm: string,
  key: KeyAt,
  now: number
): string => {
  const challenge: Challenge = {
    realm,
    method: "evm",
    intent: "charge",
    request: encoded({
      amount,
      currency: checksummed(asset),
      methodDetails: { chainId: chainOf(network), credentialTypes: ["authorization"], decimals },
      recipient: checksummed(payTo)
    }),
    opaque: resourceOf(path),
    expires: new Date(now + validMs).toISOString()
  }
  const parameters = Object.entries({ id: idOf(challenge, key), ...challenge })
  return `Payment ${parameters.map(([name, value]) => `${name}="${value}"`).join(", ")}`
}

/** True if the header is a credential of this scheme; other schemes are not for us. */
export const isCredential = (authorization: string | undefined): authorization is string =>
  authorization !== undefined && /^payment\s/i.test(authorization)

const malformed = (what: string) =>
  Result.fail(
    new PaymentMalformed({
      message: `Authorization: ${what}. Nothing was charged; the 402 has a challenge in WWW-Authenticate.`,
      field: "Authorization"
    })
  )

const documentIn = (header: string): unknown => {
  try {
    return JSON.parse(fromUtf8(fromBase64Url(header.replace(/^payment\s+/i, "").replace(/=+$/, ""))))
  } catch (error) {
    if (error instanceof Malformed || error instanceof SyntaxError) return undefined
    throw error
  }
}

const textsIn = (
  value: unknown,
  names: ReadonlyArray<string>
): Readonly<Record<string, string>> | undefined =>
  isRecord(value) && names.every((name) => typeof value[name] === "string")
    ? Object.fromEntries(names.map((name) => [name, String(value[name])]))
    : undefined

const parts = ["id", "realm", "method", "intent", "request", "opaque", "expires"]
const members = ["type", "from", "to", "value", "validAfter", "validBefore", "nonce", "signature"]

/** A payment, or why its challenge is not ours for this path. */
export type Credential = { readonly decoded: DecodedPayment } | { readonly refused: string }

/** The challenge and the payment of a credential, whoever made them. */
export const decodeCredential = (
  header: string
): Result.Result<
  {
    readonly challenge: Readonly<Record<string, string>>
    readonly payload: Readonly<Record<string, string>>
  },
  PaymentMalformed
> => {
  if (header.length > longest) return malformed(`the header is longer than ${longest} characters`)
  const document = documentIn(header)
  if (!isRecord(document)) return malformed("the credential is not base64url of a JSON object")
  const challenge = textsIn(document["challenge"], parts)
  if (challenge === undefined) return malformed(`challenge must have ${parts.join(", ")} as strings`)
  const payload = textsIn(document["payload"], members)
  return payload === undefined
    ? malformed(`payload must have ${members.join(", ")} as strings`)
    : Result.succeed({ challenge, payload })
}

/** Decodes a credential, and checks that we made its challenge for this path and that it pays for that challenge. */
export const readCredential = (
  header: string,
  path: string,
  realm: string,
  network: string,
  key: KeyAt
): Result.Result<Credential, PaymentMalformed> => {
  const credential = decodeCredential(header)
  if (Result.isFailure(credential)) return Result.fail(credential.failure)
  const { challenge, payload } = credential.success
  const { expires = "", id = "", intent = "", method = "", opaque = "", request = "" } = challenge
  const {
    from = "",
    nonce = "",
    signature = "",
    to = "",
    type,
    validAfter = "",
    validBefore = "",
    value = ""
  } = payload
  if (type !== "authorization") return malformed("payload.type must be authorization")
  if (![from, to].every((address) => /^0x[0-9a-fA-F]{40}$/.test(address))) {
    return malformed("payload.from and payload.to must be addresses")
  }
  if (![value, validAfter, validBefore].every((number) => /^(0|[1-9]\d{0,18})$/.test(number))) {
    return malformed("payload.value, validAfter and validBefore must be whole numbers as strings")
  }
  if (!/^0x([0-9a-fA-F]{2})+$/.test(signature))
    return malformed("payload.signature must be hex with a 0x prefix")
  const refused = (what: string) => Result.succeed({ refused: `${what} Nothing was charged.` })
  const isIssuedHere =
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(expires) &&
    !Number.isNaN(Date.parse(expires)) &&
    challenge["realm"] === realm &&
    id === idOf({ realm, method, intent, request, opaque, expires }, key)
  if (!isIssuedHere) return refused("The challenge is not one of this service.")
  if (opaque !== resourceOf(path)) return refused("The challenge is for another product.")
  if (nonce.toLowerCase() !== `0x${toHex(keccak_256(utf8(`${id}${realm}`)))}`) {
    return refused("payload.nonce must be the hash of the challenge's id and realm.")
  }
  if (BigInt(validBefore) * 1000n > BigInt(Date.parse(expires))) {
    return refused("payload.validBefore must not be after the challenge expires.")
  }
  return Result.succeed({
    decoded: {
      x402Version: 2,
      scheme: "exact",
      network,
      payment: {
        signature: signature.toLowerCase(),
        authorization: {
          from: from.toLowerCase(),
          to: to.toLowerCase(),
          value: BigInt(value),
          validAfter: BigInt(validAfter),
          validBefore: BigInt(validBefore),
          nonce: nonce.toLowerCase()
        }
      }
    }
  })
}

/** The value of `Payment-Receipt`. */
export const receiptHeader = ({ transaction }: Settlement, soldAt: string): string =>
  encoded({ method: "evm", reference: transaction, status: "success", timestamp: soldAt })
