/** The steps of a payment, as the 402 and the catalog say them. */
import type { Terms } from "../../core/credits/x402/Settler.ts"
import type { HowToPay } from "../../core/wire/credits/x402.ts"

/** How mppx is told of the token; without it, its client does not sign. */
const mppxCharge = ({ name, version }: Terms["domain"]): string =>
  `evm.charge({ account, authorization: { name: ${JSON.stringify(name)}, version: ${JSON.stringify(version)} } })`

/** `price` in USD. */
export const howToPay = (price: number, terms: Terms | null): typeof HowToPay.Type => ({
  steps: [
    "Sign accepts[0] as an EIP-712 TransferWithAuthorization (EIP-3009) with a new nonce. @x402/fetch with ExactEvmScheme of @x402/evm does this for you.",
    "Repeat the GET with the base64-encoded PaymentPayload in PAYMENT-SIGNATURE.",
    "Read the data from the body and the settlement from PAYMENT-RESPONSE."
  ],
  spending_cap:
    price <= 1
      ? "No change needed: by default @x402/core allows payments of up to 1 USD."
      : `By default @x402/core allows payments of up to 1 USD. Raise the limit with client.setSpendControls({ maxAmountPerPayment: "$${price}" }), or set spendControls: false in its configuration.`,
  retry:
    "After a dropped connection or a 503 settlement_pending, send the same request with the same header again: it returns the data and never pays twice. Do not sign again.",
  mpp: {
    method: "evm",
    intent: "charge",
    steps: [
      "Read the challenge of the scheme Payment in WWW-Authenticate.",
      `Sign the same EIP-3009 authorization, with the hash (keccak-256) of the challenge's id and realm as nonce.${terms === null ? "" : ` ${mppxCharge(terms.domain)} of mppx does this for you.`}`,
      "Repeat the GET with the credential in Authorization, instead of PAYMENT-SIGNATURE, and read the settlement from Payment-Receipt."
    ]
  }
})
