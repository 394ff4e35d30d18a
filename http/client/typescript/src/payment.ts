/** Payment per request (x402 version 2): the offer is signed by whoever holds the wallet, not here. */
import type { components } from "../generated/api.ts"
import type { SendRequest } from "./verifying.ts"

/** The decoded `PAYMENT-REQUIRED` header. */
export interface Offer {
  readonly x402Version: 2
  readonly resource: components["schemas"]["X402Resource"]
  readonly accepts: ReadonlyArray<components["schemas"]["PaymentRequirements"]>
  readonly [member: string]: unknown
}

/** Signs an offer and gives the value of `PAYMENT-SIGNATURE`, or undefined so as not to pay. */
export type Pay = (offer: Offer) => Promise<string | undefined>

const decoded = (header: string): Offer =>
  JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(header), (byte) => byte.charCodeAt(0))))

/** Answers a 402 that has an offer with a payment, once. */
export const paying = (pay: Pay | undefined, send: SendRequest): SendRequest => {
  if (pay === undefined) return send
  return async (request) => {
    const response = await send(request.clone())
    const header = response.headers.get("payment-required")
    if (response.status !== 402 || header === null) return response
    const payment = await pay(decoded(header))
    if (payment === undefined) return response
    const paid = new Request(request)
    paid.headers.set("PAYMENT-SIGNATURE", payment)
    return send(paid)
  }
}
