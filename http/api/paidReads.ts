/** Reads that are sold by the page: the same answers as the keyless paths give the Design Partner tier. */
import { Context } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, OpenApi } from "effect/http-api"
import { type ReadPath, soldReads } from "../../core/wire/credits/reads.ts"
import {
  DeliveryOver,
  OfferUnavailable,
  PaymentMalformed,
  PaymentRequired,
  PaymentReused,
  SettlementPending,
  SettlementUnavailable
} from "../../core/wire/problems/x402.ts"
import { Contract, Sample } from "./Contract.ts"
import { alsoCsv, alsoCsvAndCut, alsoCsvByAccept } from "./parameters.ts"
import { reads, readsRows, sampleQuery } from "./reads.ts"

/**
 * Sells the answer of an endpoint. It asks for the payment before anything of the request is checked, and takes it after the
 * answer is made.
 */
export class Paid extends HttpApiMiddleware.Service<Paid>()("http/api/Paid", {
  error: [
    PaymentRequired,
    PaymentMalformed,
    PaymentReused,
    DeliveryOver,
    SettlementPending,
    OfferUnavailable,
    SettlementUnavailable
  ]
}) {}

/** The path in the price list that an endpoint sells a page of. */
export const SoldAs = Context.Reference<ReadPath | undefined>("http/api/SoldAs", {
  defaultValue: () => undefined
})

const headers = [
  ["payment-signature", "base64-encoded PaymentPayload of x402 version 2"],
  ["x-payment", "the same for version 1; send only one payment"],
  [
    "authorization",
    "`Payment` and the base64url-encoded credential of MPP, for the challenge in `WWW-Authenticate`"
  ],
  [
    "sign-in-with-x",
    "base64-encoded proof of the wallet that paid, for the challenge in the 402: returns its last purchase of the same page again"
  ]
].map(([name, description]) => ({
  name,
  in: "header",
  required: false,
  schema: { type: "string", description }
}))

/** How a path is paid, as its operation says it. */
const paid = (path: ReadPath) => (operation: Record<string, unknown>) => {
  const { parameters } = operation
  return {
    ...operation,
    parameters: [...(Array.isArray(parameters) ? parameters : []), ...headers],
    "x-payment-info": {
      protocols: ["x402", "mpp"],
      price_usd: Number(soldReads[path].price),
      offers: [
        {
          method: "evm",
          intent: "charge",
          amount: String(Math.round(Number(soldReads[path].price) * 1e6)),
          description: "The price of one page, in the smallest unit of USDC"
        }
      ]
    }
  }
}

const describe = (path: ReadPath) =>
  OpenApi.annotations({
    summary: `Buy a page of ${path}`,
    description:
      `The answer of ${path}, byte for byte as the Design Partner tier reads it: every network, 30 days of history. Without a ` +
      "payment, returns 402 with the offer, before the parameters are checked. With one, a request that would be refused is " +
      "refused and nothing is charged. `PAYMENT-RESPONSE` has the settlement and the signed receipt of the body. The same " +
      "authorization returns the same bytes for 24 hours. Outside the limits of reads."
  })

/** What makes the twin of a read: the path whose page it sells, how it is paid, and what its operation says. */
const soldAs = (
  path: ReadPath,
  takes: (operation: Record<string, unknown>) => Record<string, unknown> = alsoCsvAndCut
) =>
  Context.make(SoldAs, path).pipe(
    Context.add(OpenApi.Transform, (operation) => paid(path)(takes(operation))),
    Context.merge(describe(path))
  )

export const PaidReads = HttpApiGroup.make("paid")
  .add(
    HttpApiEndpoint.get("networks", "/x402/v1/networks", reads.networks).annotateMerge(
      soldAs("/v1/networks")
    ),
    HttpApiEndpoint.get("network", "/x402/v1/network/:symbol", reads.network).annotateMerge(
      soldAs("/v1/network/{symbol}")
    ),
    HttpApiEndpoint.get("supply", "/x402/v1/supply", reads.supply).annotateMerge(soldAs("/v1/supply")),
    HttpApiEndpoint.get("market", "/x402/v1/market", reads.market).annotateMerge(soldAs("/v1/market")),
    HttpApiEndpoint.get("revenue", "/x402/v1/revenue", reads.revenue).annotateMerge(soldAs("/v1/revenue")),
    HttpApiEndpoint.get("provenance", "/x402/v1/provenance", reads.provenance).annotateMerge(
      soldAs("/v1/provenance")
    ),
    HttpApiEndpoint.post("query", "/x402/v1/query", reads.query)
      .annotate(Sample, sampleQuery)
      .annotateMerge(soldAs("/v1/query", alsoCsv)),
    HttpApiEndpoint.post("asof", "/x402/v1/asof", reads.asof)
      .annotateMerge(readsRows)
      .annotateMerge(soldAs("/v1/asof", alsoCsvByAccept)),
    HttpApiEndpoint.get("history", "/x402/v1/history", reads.history).annotateMerge(soldAs("/v1/history"))
  )
  // The later one is around the earlier one: a probe without a payment gets the offer, whatever it asks for.
  .middleware(Contract)
  .middleware(Paid)
  .annotateMerge(
    OpenApi.annotations({
      title: "Reads by the page",
      description:
        "The keyless lists of every network, one page for a payment by x402 or MPP, without an account."
    })
  )
