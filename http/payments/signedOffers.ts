/** The x402 extension `offer-receipt`: what we offer and what we sold, signed with the key for answers. */
import type { Item } from "../../core/credits/x402/offer.ts"
import type { SaleHead } from "../../core/credits/x402/saleRecord.ts"
import type { PaymentRequired } from "../../core/credits/x402/wire.ts"
import { type SignedJws, signJws } from "../../core/proof/jws.ts"
import type { OfferPayload, ReceiptPayload } from "../../core/proof/receipt.ts"
import type { WarrantyPromise } from "../../core/proof/warranty.ts"
import { type HttpSettings, placeOf } from "../HttpSettings.ts"
import type { SigningKey } from "../signing/Signer.ts"

const $schema = "https://json-schema.org/draft/2020-12/schema"

const signedAs = (properties: object) => ({
  type: "object",
  properties: { format: { type: "string" }, ...properties, signature: { type: "string" } },
  required: ["format", "signature"]
})

const offersSchema = {
  $schema,
  type: "object",
  properties: { offers: { type: "array", items: signedAs({ acceptIndex: { type: "integer" } }) } },
  required: ["offers"]
}
const receiptSchema = {
  $schema,
  type: "object",
  properties: { receipt: signedAs({}) },
  required: ["receipt"]
}

/** Signs each way to pay, with what is promised of it, in the name of the service at `baseUrl`; `now` is in epoch milliseconds. */
export const signedOffers = (
  required: PaymentRequired,
  baseUrl: string,
  warranty: WarrantyPromise | undefined,
  key: SigningKey,
  now: number
) => ({
  "offer-receipt": {
    info: {
      offers: required.accepts.map(
        ({ amount, asset, maxTimeoutSeconds, network, payTo, scheme }, acceptIndex) => {
          const offer: OfferPayload = {
            version: 1,
            resourceUrl: required.resource.url,
            scheme,
            network,
            asset,
            payTo,
            amount,
            validUntil: Math.floor(now / 1000) + maxTimeoutSeconds,
            ...(warranty === undefined ? {} : { warranty })
          }
          return { acceptIndex, ...signJws(offer, placeOf(baseUrl), key) }
        }
      )
    },
    schema: offersSchema
  }
})

/** The receipt of a sale: always the same for the same sale, if the key is the one of that time. */
export const signedReceipt = (
  sale: SaleHead,
  { baseUrl, mode }: Pick<HttpSettings["Service"], "baseUrl" | "mode">,
  key: SigningKey,
  { url }: Pick<Item, "url">
): SignedJws => {
  const { payment } = sale
  const receipt: ReceiptPayload = {
    version: 1,
    network: payment.network,
    resourceUrl: url,
    payer: payment.payer,
    issuedAt: Math.floor(Date.parse(sale.purchased_at) / 1000),
    transaction: payment.transaction,
    purchaseId: sale.purchase_id,
    productKey: sale.product_key,
    asset: payment.asset,
    payTo: payment.pay_to,
    amount: payment.amount,
    payloadSha256: sale.payload_sha256,
    checkpoint: sale.checkpoint,
    ...(sale.warranty === undefined ? {} : { warranty: sale.warranty }),
    ...(mode === "replay" ? { simulated: true } : {})
  }
  return signJws(receipt, placeOf(baseUrl), key)
}

export const receiptExtension = (receipt: SignedJws) => ({
  "offer-receipt": { info: { receipt }, schema: receiptSchema }
})
