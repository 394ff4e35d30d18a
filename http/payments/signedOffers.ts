/** The x402 extension `offer-receipt`, and warranties beside it: what we offer and what we sold, signed with the key for answers. */
import type { Item } from "../../core/credits/x402/offer.ts"
import type { SaleHead } from "../../core/credits/x402/saleRecord.ts"
import type { PaymentRequired } from "../../core/credits/x402/wire.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { type SignedJws, signJws } from "../../core/proof/jws.ts"
import { tagged } from "../../core/proof/leaf.ts"
import type { OfferPayload, ReceiptPayload } from "../../core/proof/receipt.ts"
import {
  signWarranty,
  signWarrantyOffer,
  type WarrantyPromise,
  warrantyTag
} from "../../core/proof/warranty.ts"
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
/** Signs each way to pay, in the name of the service at `baseUrl`; `now` is in epoch milliseconds. */
export const signedOffers = (required: PaymentRequired, baseUrl: string, key: SigningKey, now: number) => ({
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
            validUntil: Math.floor(now / 1000) + maxTimeoutSeconds
          }
          return { acceptIndex, ...signJws(offer, placeOf(baseUrl), key) }
        }
      )
    },
    schema: offersSchema
  }
})

const warrantySchema = {
  $schema,
  type: "object",
  properties: { v: { type: "string" }, says: { type: "string" }, signature: { type: "string" } },
  required: ["v", "says", "signature"]
}

/** What is promised of what is offered, signed; nothing where nothing is. */
export const signedPromise = (
  required: PaymentRequired,
  { mode }: Pick<HttpSettings["Service"], "mode">,
  promise: WarrantyPromise | undefined,
  key: SigningKey,
  now: number
) => {
  if (promise === undefined) return {}
  const seconds = Math.max(0, ...required.accepts.map(({ maxTimeoutSeconds }) => maxTimeoutSeconds))
  const info = signWarrantyOffer(
    {
      resource_url: required.resource.url,
      valid_until: isoTime(now + seconds * 1000),
      ...promise,
      simulated: mode === "replay"
    },
    key
  )
  return { warranty: { info, schema: warrantySchema } }
}

/** The receipt of a sale: always the same for the same sale, if the key is the one of that time. */
const signedReceipt = (
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
    ...(mode === "replay" ? { simulated: true } : {})
  }
  return signJws(receipt, placeOf(baseUrl), key)
}

/** The warranty of a sale; always the same for the same sale, as its receipt is. */
const signedWarranty = (
  { payload_sha256, purchase_id, warranty }: SaleHead,
  { mode }: Pick<HttpSettings["Service"], "mode">,
  key: SigningKey
) => {
  if (warranty === undefined) return {}
  const isDemo = mode === "replay"
  return {
    warranty: signWarranty(
      {
        v: tagged(warrantyTag, isDemo),
        purchase_id,
        payload_sha256,
        ...warranty,
        ...(isDemo ? { simulated: true } : {})
      },
      key
    )
  }
}

/** What is signed of a sale: its receipt, and its warranty if it has one. */
export const signedSale = (
  sale: SaleHead,
  settings: Pick<HttpSettings["Service"], "baseUrl" | "mode">,
  key: SigningKey,
  item: Pick<Item, "url">
) => ({
  receipt: signedReceipt(sale, settings, key, item),
  ...signedWarranty(sale, settings, key)
})
export type SignedSale = ReturnType<typeof signedSale>

/** In a header, where there is no room for its schema. */
export const receiptExtension = (receipt: SignedJws) => ({
  "offer-receipt": { info: { receipt }, schema: { type: "object" } }
})
