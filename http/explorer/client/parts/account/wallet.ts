/**
 * Paying with a wallet in the browser (EIP-1193), by x402. The signed payment is kept in the tab until the data have
 * arrived: the same payment again returns them and never pays twice, while a second signature could.
 */
import { accountOf, hexOf, type Provider, providerOf, switchTo, walletErrorMessage } from "./provider.ts"

interface Offer {
  readonly network: string
  readonly amount: string
  readonly asset: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra: { readonly name: string; readonly version: string }
}

export interface Sale {
  readonly purchase_id: string
  readonly price_paid: number
  readonly payload_sha256: string
  readonly payment: { readonly transaction: string }
  readonly data: unknown
}

export type Outcome = { readonly sale: Sale } | { readonly problem: string; readonly again: boolean }

const path = (product: string): string => `/x402/v1/data/${encodeURIComponent(product)}`
const place = (product: string): string => `payment ${product}`

/** A payment for the product that was signed in this tab and has not delivered yet. */
export const pendingPayment = (product: string): string | null => sessionStorage.getItem(place(product))

const types = {
  EIP712Domain: [
    { name: "name", type: "string" },
    { name: "version", type: "string" },
    { name: "chainId", type: "uint256" },
    { name: "verifyingContract", type: "address" }
  ],
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" }
  ]
}

/** The signed payment as a header. The wallet shows what it signs: this token, this amount, this recipient. */
const sign = async (provider: Provider, offer: Offer): Promise<string> => {
  const from = await accountOf(provider)
  const chainId = Number(offer.network.split(":")[1])
  await switchTo(provider, chainId)
  const authorization = {
    from,
    to: offer.payTo,
    value: offer.amount,
    validAfter: "0",
    validBefore: String(Math.floor(Date.now() / 1000) + offer.maxTimeoutSeconds),
    nonce: hexOf(crypto.getRandomValues(new Uint8Array(32)))
  }
  const typed = {
    domain: { ...offer.extra, chainId, verifyingContract: offer.asset },
    types,
    primaryType: "TransferWithAuthorization",
    message: authorization
  }
  const signature = await provider.request({
    method: "eth_signTypedData_v4",
    params: [from, JSON.stringify(typed)]
  })
  return btoa(JSON.stringify({ x402Version: 2, accepted: offer, payload: { signature, authorization } }))
}

const offerOf = async (product: string): Promise<Offer | string> => {
  const response = await fetch(path(product), { headers: { accept: "application/json" } })
  const header = response.headers.get("payment-required")
  const { accepts } =
    header === null ? {} : (JSON.parse(atob(header)) as { readonly accepts?: ReadonlyArray<Offer> })
  const body = (await response.json()) as { readonly message?: string }
  return accepts?.[0] ?? body.message ?? `The service answered ${response.status}.`
}

/** Sends a signed payment, for the first time or again. */
const deliver = async (product: string, header: string): Promise<Outcome> => {
  sessionStorage.setItem(place(product), header)
  const response = await fetch(path(product), {
    headers: { accept: "application/json", "payment-signature": header }
  })
  const body = (await response.json()) as Sale & { readonly message?: string }
  if (response.ok) {
    sessionStorage.removeItem(place(product))
    return { sale: body }
  }
  // Refused for good: nothing moved, so the next attempt may sign anew.
  const again = response.status >= 500
  if (!again) sessionStorage.removeItem(place(product))
  return { problem: body.message ?? `The service answered ${response.status}.`, again }
}

/** Buys a product; a payment that was signed before is sent again, never signed a second time. */
export const buyWithWallet = async (product: string): Promise<Outcome> => {
  try {
    const pendingHeader = pendingPayment(product)
    if (pendingHeader !== null) return await deliver(product, pendingHeader)
    const provider = providerOf()
    if (provider === undefined) {
      return {
        problem: "This browser has no wallet. Install one that signs typed data, or buy with credits.",
        again: false
      }
    }
    const offer = await offerOf(product)
    if (typeof offer === "string") return { problem: offer, again: false }
    return await deliver(product, await sign(provider, offer))
  } catch (error) {
    const again = pendingPayment(product) !== null
    return {
      problem: again
        ? "The service did not answer."
        : `${walletErrorMessage(error, "sign")} Nothing was charged.`,
      again
    }
  }
}
