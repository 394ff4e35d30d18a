/** The wire format of x402: the objects of version 2, how version 1 differs, and the headers. */
import { Result } from "effect"
import { isRecord } from "../../proof/canonical.ts"
import type { BodyRequirements, Requirements, Resource } from "../../wire/credits/x402.ts"
import { PaymentMalformed } from "../../wire/problems/x402.ts"
import type { Payment, Terms } from "./Settler.ts"

/** `PaymentRequired` of version 2, which is also the content of the header of the same name. */
export interface PaymentRequired {
  readonly x402Version: 2
  readonly error: string
  readonly resource: typeof Resource.Type
  readonly accepts: ReadonlyArray<Requirements>
  readonly extensions: Readonly<Record<string, unknown>>
}

/** Content of `PAYMENT-RESPONSE`. */
export interface Settlement {
  readonly success: boolean
  /** Empty if there is none. */
  readonly transaction: string
  readonly network: string
  readonly payer?: string
  readonly amount?: string
  readonly errorReason?: string
}

/** Standard base64 with padding, because the official clients reject the URL-safe alphabet. */
export const encodeHeader = (value: object): string =>
  Buffer.from(JSON.stringify(value), "utf8").toString("base64")

/** How long the seller waits for settlement, and so how long an authorization may be valid. */
export const maxTimeoutSeconds = 300

export const requirementsOf = (terms: Terms, amount: bigint): Requirements => ({
  scheme: "exact",
  network: terms.network,
  amount: amount.toString(),
  asset: terms.asset,
  payTo: terms.payTo,
  maxTimeoutSeconds,
  extra: { ...terms.domain }
})

/** Clients may name a payment themselves, and use that name for retries. */
export const paymentIdentifier = {
  "payment-identifier": {
    info: { required: false },
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        required: { type: "boolean" },
        id: { type: "string", minLength: 16, maxLength: 128, pattern: "^[a-zA-Z0-9_-]+$" }
      },
      required: ["required"]
    }
  }
}

/**
 * The ways to pay as a body lists them, with the members of both versions. The network has its name of version 1 where there is one:
 * clients of version 2 read the header, and those of version 1 refuse any other name.
 */
export const bodyAccepts = (
  { accepts, resource }: Pick<PaymentRequired, "accepts" | "resource">,
  terms: Terms | null
): ReadonlyArray<BodyRequirements> =>
  accepts.map(({ amount, network, ...rest }) => ({
    ...rest,
    amount,
    network: terms?.networkV1 ?? network,
    maxAmountRequired: amount,
    resource: resource.url,
    description: resource.description,
    mimeType: resource.mimeType
  }))

/** The content of a payment header. `accepted` is the payer's copy of the offer: compare it, never use it. */
export interface DecodedPayment {
  readonly x402Version: unknown
  readonly scheme: unknown
  readonly network: unknown
  /** Absent in version 1. */
  readonly accepted?: Readonly<Record<string, unknown>>
  readonly payment: Payment
  readonly paymentId?: string
}

/** The most characters of a header, with room for the signature of a contract wallet. */
const longest = 16 * 1024

const address = /^0x[0-9a-fA-F]{40}$/
const decimal = /^(0|[1-9]\d{0,77})$/
const largest = 2n ** 256n - 1n

/** Decodes `PAYMENT-SIGNATURE` (version 2) or `X-PAYMENT` (version 1). */
export const decodePayment = (name: string, header: string, version: 1 | 2) => {
  const wrong = (what: string) =>
    Result.fail(
      new PaymentMalformed({
        message: `${name}: ${what}. Nothing was charged; see GET /x402 for the format.`,
        field: name
      })
    )
  if (header.length > longest) return wrong(`the header is longer than ${longest} characters`)
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(header)) return wrong("the header is not base64")
  const document = parse(Buffer.from(header.replaceAll("-", "+").replaceAll("_", "/"), "base64"))
  if (document === undefined) return wrong("the header does not decode to a JSON object in UTF-8")
  const { accepted, extensions, payload } = document
  if (!isRecord(payload)) return wrong("payload must be an object")
  const { authorization, signature } = payload
  if (typeof signature !== "string" || !/^0x([0-9a-fA-F]{2})+$/.test(signature)) {
    return wrong("payload.signature must be hex with a 0x prefix")
  }
  if (!isRecord(authorization)) return wrong("payload.authorization must be an object")
  const { from, nonce, to } = authorization
  if (typeof from !== "string" || !address.test(from)) {
    return wrong("payload.authorization.from must be an address")
  }
  if (typeof to !== "string" || !address.test(to)) return wrong("payload.authorization.to must be an address")
  if (typeof nonce !== "string" || !/^0x[0-9a-fA-F]{64}$/.test(nonce)) {
    return wrong("payload.authorization.nonce must be 32 bytes as hex with a 0x prefix")
  }
  const value = numberOf(authorization["value"])
  const validAfter = numberOf(authorization["validAfter"])
  const validBefore = numberOf(authorization["validBefore"])
  if (value === undefined || validAfter === undefined || validBefore === undefined) {
    return wrong("payload.authorization: value, validAfter and validBefore must be whole numbers as strings")
  }
  if (version === 2 && !isRecord(accepted)) return wrong("accepted must be the chosen offer, as an object")
  const named = nameOf(extensions)
  if (named === null) {
    return wrong("extensions.payment-identifier.info.id: it takes 16 to 128 letters, digits, - and _")
  }
  const of = version === 2 && isRecord(accepted) ? accepted : document
  const decoded: DecodedPayment = {
    x402Version: document["x402Version"],
    scheme: of["scheme"],
    network: of["network"],
    ...(version === 2 && isRecord(accepted) ? { accepted } : {}),
    payment: {
      signature: signature.toLowerCase(),
      authorization: {
        from: from.toLowerCase(),
        to: to.toLowerCase(),
        value,
        validAfter,
        validBefore,
        nonce: nonce.toLowerCase()
      }
    },
    ...(named === undefined ? {} : { paymentId: named })
  }
  return Result.succeed(decoded)
}

const parse = (bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

const numberOf = (value: unknown): bigint | undefined => {
  if (typeof value !== "string" || !decimal.test(value)) return undefined
  const number = BigInt(value)
  return number > largest ? undefined : number
}

/** The payer's name for the payment: undefined if there is none, null if it is invalid. */
const nameOf = (extensions: unknown): string | undefined | null => {
  if (!isRecord(extensions)) return extensions === undefined || extensions === null ? undefined : null
  const extension = Object.hasOwn(extensions, "payment-identifier")
    ? extensions["payment-identifier"]
    : undefined
  if (extension === undefined) return undefined
  if (!isRecord(extension) || !isRecord(extension["info"])) return null
  const { id } = extension["info"]
  if (id === undefined) return undefined
  return typeof id === "string" && /^[a-zA-Z0-9_-]{16,128}$/.test(id) ? id : null
}
