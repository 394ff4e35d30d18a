/** Local checks of a payment, cheapest first. */
import { canonical } from "../../proof/canonical.ts"
import type { Requirements } from "../../wire/credits/x402.ts"
import { PaymentRefused, type Terms } from "./Settler.ts"
import { type DecodedPayment, maxTimeoutSeconds } from "./wire.ts"

/** Seconds that an authorization must remain valid, to leave time for a broadcast; other sellers use the same. */
const margin = 6n
/** How many seconds a payer's clock may be ahead of ours. */
const skew = 120n

const refuse = (reason: string, message: string) =>
  new PaymentRefused({ reason, message: `${message} Nothing was charged.` })

const sameJson = (a: unknown, b: unknown): boolean => {
  try {
    return canonical(a) === canonical(b)
  } catch {
    return false
  }
}

/** Compares a payment with the current offer: version, scheme, network, asset, terms, recipient and amount. */
export const matchesOffer = (
  decoded: DecodedPayment,
  offer: Requirements,
  terms: Terms,
  version: 1 | 2
): PaymentRefused | undefined => {
  const { accepted, payment } = decoded
  // A client of version 1 repeats the version of the body, which names both.
  const versions: ReadonlyArray<unknown> = version === 1 ? [1, 2] : [2]
  if (!versions.includes(decoded.x402Version)) {
    return refuse("invalid_x402_version", `x402Version must be ${version} in this header.`)
  }
  if (decoded.scheme !== offer.scheme) return refuse("unsupported_scheme", "scheme must be exact.")
  const networks = version === 1 ? [terms.networkV1, terms.network] : [terms.network]
  if (typeof decoded.network !== "string" || !networks.includes(decoded.network)) {
    return refuse("invalid_network", `network must be ${networks[0] ?? terms.network}.`)
  }
  if (accepted !== undefined) {
    if (accepted["asset"] !== offer.asset) {
      return refuse("invalid_payment_requirements", `accepted.asset must be ${offer.asset}.`)
    }
    if (!sameJson(accepted, offer)) {
      return refuse("invalid_payment_requirements", "accepted does not match the current offer.")
    }
  }
  const { to, value } = payment.authorization
  if (to !== offer.payTo.toLowerCase()) {
    return refuse("invalid_exact_evm_payload_recipient_mismatch", `authorization.to must be ${offer.payTo}.`)
  }
  if (value !== BigInt(offer.amount)) {
    return refuse(
      "invalid_exact_evm_payload_authorization_value_mismatch",
      `authorization.value must be exactly ${offer.amount}.`
    )
  }
  return undefined
}

/** Checks that the authorization is valid long enough, and not for longer than allowed. `now` is in epoch milliseconds. */
export const holdsNow = ({ payment }: DecodedPayment, now: number): PaymentRefused | undefined => {
  const { validAfter, validBefore } = payment.authorization
  const second = BigInt(Math.floor(now / 1000))
  if (validAfter > second) {
    return refuse(
      "invalid_exact_evm_payload_authorization_valid_after",
      "authorization.validAfter is in the future."
    )
  }
  if (validBefore < second + margin) {
    return refuse(
      "invalid_exact_evm_payload_authorization_valid_before",
      "authorization.validBefore has passed or is too close."
    )
  }
  if (validBefore > second + BigInt(maxTimeoutSeconds) + skew) {
    return refuse(
      "invalid_exact_evm_payload_authorization_valid_before",
      `authorization.validBefore must be at most ${maxTimeoutSeconds} s from now.`
    )
  }
  return undefined
}
