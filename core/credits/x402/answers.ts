/** What the payer hears: our offer, the data, a failed settlement, or that the outcome is not known yet. */
import { Clock, Effect } from "effect"
import { day } from "../../plugin/time.ts"
import { DeliveryOver } from "../../wire/problems/x402.ts"
import { format, toNumber } from "../Money.ts"
import { type Item, offerOf } from "./offer.ts"
import type { Sales } from "./Sales.ts"
import type { Terms } from "./Settler.ts"
import { type Delivered, headOf, PaymentNeeded, type Sale, SettlementPending } from "./saleRecord.ts"
import type { Settlement } from "./wire.ts"

/** Seconds until a client should retry while settlement is pending. */
const retryAfter = 5
/** How long the same authorization gets the data again. Limited, because the chain shows it to everyone. */
export const deliveredAgainMs = day

/** What a request is for, and what an offer for it contains. */
export interface OfferRequest {
  readonly item: Item
  readonly terms: Terms
}

/** The offer, with the reason why a payment was not accepted if there was one. */
export const needed = (
  { item, terms }: OfferRequest,
  refused?: { readonly reason: string; readonly message: string },
  settlement?: Settlement
) =>
  new PaymentNeeded({
    message:
      refused?.message ??
      `${item.key} costs ${format(item.price)} USD. Send a payment in the PAYMENT-SIGNATURE header.`,
    ...(refused === undefined ? {} : { reason: refused.reason }),
    price: toNumber(item.price),
    required: offerOf(item, terms, refused?.reason),
    ...(settlement === undefined ? {} : { settlement })
  })

const settlementOf = (sale: Sale): Settlement => ({
  success: sale.state === "settled",
  transaction: sale.tx ?? "",
  network: sale.network,
  payer: sale.payer,
  amount: sale.amount.toString()
})

const pending = (sale: Sale) =>
  new SettlementPending({
    message:
      "It is not yet known whether the payment settled. Send the same request with the same header again: it " +
      "cannot pay twice. Do not sign another payment.",
    ...(sale.tx === null ? {} : { transaction: sale.tx }),
    retry_after: retryAfter,
    settlement: { ...settlementOf(sale), success: false, errorReason: "settlement_pending" }
  })

/** The result of a closed sale; fails as pending if it is still open. */
export const answer = Effect.fnUntraced(function* (
  sales: Sales["Service"],
  sale: Sale,
  request: OfferRequest
) {
  if (sale.state === "settled" && sale.settled_at !== null && sale.tx !== null) {
    const isOver = (yield* Clock.currentTimeMillis) > sale.settled_at.getTime() + deliveredAgainMs
    const data = isOver ? undefined : yield* sales.payload(sale)
    if (data === undefined) {
      return yield* new DeliveryOver({
        message:
          "This authorization paid for a sale that could be downloaded for 24 hours, and that time is over."
      })
    }
    return {
      head: headOf(sale, sale.settled_at, sale.tx, {
        commitment: yield* sales.commitment(sale.id),
        warranty: yield* sales.warranty(sale.id)
      }),
      data,
      ...(sale.read === null ? {} : { read: sale.read }),
      settlement: settlementOf(sale)
    } satisfies Delivered
  }
  if (sale.state === "failed") {
    const reason = sale.reason ?? "unexpected_settle_error"
    const message = sale.message ?? "The settlement failed. Nothing was charged."
    return yield* needed(
      request,
      { reason, message },
      { ...settlementOf(sale), transaction: "", errorReason: reason }
    )
  }
  return yield* pending(sale)
})
