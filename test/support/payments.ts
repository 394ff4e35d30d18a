/** Payments as a payer of x402 signs them, with every member open to be wrong. */
import { randomBytes } from "node:crypto"
import { type Address, type Hex, toHex } from "viem"
import type { PrivateKeyAccount } from "viem/accounts"
import type { Requirements } from "../../core/wire/credits/x402.ts"

export const authorizationTypes = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" }
  ]
} as const

export interface Message {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
}

export interface Signed {
  readonly message: Message
  readonly signature: Hex
}

/** Signs for an offer; `over` replaces members of the message, `chainId` of its domain. */
export const sign = async (
  payer: PrivateKeyAccount,
  offer: Requirements,
  over: Partial<Message> & { readonly chainId?: number } = {}
): Promise<Signed> => {
  const { chainId, ...rest } = over
  const message: Message = {
    from: payer.address,
    to: offer.payTo as Address,
    value: BigInt(offer.amount),
    validAfter: 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1000) + offer.maxTimeoutSeconds),
    nonce: toHex(randomBytes(32)),
    ...rest
  }
  const signature = await payer.signTypedData({
    domain: {
      ...offer.extra,
      chainId: chainId ?? Number(offer.network.split(":")[1]),
      verifyingContract: offer.asset as Address
    },
    types: authorizationTypes,
    primaryType: "TransferWithAuthorization",
    message
  })
  return { message, signature }
}

/** The members of a `PaymentPayload`; what is in `over` stands in their place. */
export const payloadOf = (
  { message, signature }: Signed,
  offer: Requirements,
  over: Readonly<Record<string, unknown>> = {}
) => ({
  x402Version: 2,
  accepted: offer,
  payload: {
    signature,
    authorization: {
      from: message.from,
      to: message.to,
      value: String(message.value),
      validAfter: String(message.validAfter),
      validBefore: String(message.validBefore),
      nonce: message.nonce
    }
  },
  ...over
})

export const encode = (payload: unknown): string => Buffer.from(JSON.stringify(payload)).toString("base64")

/** The extension that names a payment. */
export const named = (id: unknown) => ({
  extensions: { "payment-identifier": { info: { required: false, id } } }
})
