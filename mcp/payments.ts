/**
 * x402 over MCP (`specs/transports-v2/mcp.md` of x402): what is for sale answers with `PaymentRequired` in an error result; the
 * payment comes in `_meta["x402/payment"]`, and the settlement goes out in `_meta["x402/payment-response"]`.
 */
import type { CallToolResult } from "@modelcontextprotocol/server"
import { Effect, Result } from "effect"
import { sha256 } from "../core/credits/Secret.ts"
import { queryItem } from "../core/credits/x402/offer.ts"
import type { Delivered, PaymentNeeded } from "../core/credits/x402/saleRecord.ts"
import { decodePayment, encodeHeader, type Settlement } from "../core/credits/x402/wire.ts"
import { type ReceivedPayment, X402 } from "../core/credits/x402/X402.ts"
import { canonical } from "../core/proof/canonical.ts"
import type { Feeds } from "../core/readings/Feeds.ts"
import { forSale } from "../core/readings/read/rights.ts"
import { BadParameter } from "../core/wire/problems/request.ts"
import { unlinked } from "./links.ts"
import { escaped, sanitize } from "./sanitize.ts"
import { isObject, record } from "./schema.ts"

/** The members of `_meta`. */
export const paymentKey = "x402/payment"
export const settlementKey = "x402/payment-response"

/** The URL of a tool, as the transport names what is paid for. */
export const toolUrl = (name: string): string => `mcp://tool/${name}`

/** The payment of a call as the sales of core take it. It has the same members as the header of HTTP. */
export const paymentOf = (value: unknown): ReceivedPayment | undefined =>
  typeof value === "object" && value !== null ? { version: 2, header: encodeHeader(value) } : undefined

/** True if a call carries a payment that decodes. */
export const carriesPayment = (value: unknown): boolean =>
  isObject(value) && Result.isSuccess(decodePayment(paymentKey, encodeHeader(value), 2))

const identifier = "payment-identifier"

/**
 * The payment with the buyer's idempotency key as its identifier: another payment with that key is refused, so that a retry that
 * signs anew pays nothing twice.
 */
export const namedPayment = Effect.fnUntraced(function* (payment: unknown, key: string | undefined) {
  if (key === undefined || !isObject(payment)) return payment
  const extensions = record(payment["extensions"])
  const extension = record(extensions[identifier])
  const info = record(extension["info"])
  if (info["id"] !== undefined) {
    return yield* new BadParameter({
      field: "idempotency_key",
      message:
        "The payment has a payment-identifier, which is its idempotency key. Leave idempotency_key out. Nothing was charged."
    })
  }
  const id = `idempotency_${sha256(key)}`
  return {
    ...payment,
    extensions: { ...extensions, [identifier]: { ...extension, info: { ...info, id } } }
  }
})

/** The settlement with what its buyer needs to prove the sale. */
const settlementOf = ({ head, settlement }: Pick<Delivered, "head" | "settlement">) => ({
  ...settlement,
  extensions: { sale: { info: head } }
})

/** An answer that was paid: its text is what was sold, or a page of it. */
export class PaidAnswer {
  readonly text: string
  readonly settlement: ReturnType<typeof settlementOf>

  constructor(text: string, settlement: ReturnType<typeof settlementOf>) {
    this.text = text
    this.settlement = settlement
  }

  static readonly of = (text: string, delivered: Delivered) => new PaidAnswer(text, settlementOf(delivered))
}

const decoder = new TextDecoder()

interface Query<E, R> {
  readonly name: string
  readonly title: string
  /** The arguments as sent, without those of the payment. */
  readonly args: object
  readonly payment: unknown
  /** Makes the answer; it runs after the payment is verified. */
  readonly answer: Effect.Effect<object, E, R>
}

/** Sells the answer of a tool at the list price of a query by MCP. */
export const sellQuery = Effect.fn("payments.sellQuery")(function* <E, R>(query: Query<E, R>) {
  const { answer, args, name, payment, title } = query
  const x402 = yield* X402
  const context = yield* Effect.context<R | Feeds>()
  const target = `${toolUrl(name)}?${sha256(canonical(args))}`
  const page = Effect.map(forSale(answer), (value) => {
    const bytes = new TextEncoder().encode(escaped(JSON.stringify(sanitize(unlinked(value), {}))))
    const headers = { "content-type": "application/json" }
    return { payload: { bytes, sha256: sha256(bytes) }, read: { target, headers } }
  }).pipe(Effect.provideContext(context))
  const item = queryItem(toolUrl(name), title, target)
  const delivered = yield* x402.sell(item, paymentOf(payment), () => page)
  return PaidAnswer.of(decoder.decode(delivered.data), delivered)
})

/** The result that asks for a payment, or says why one was not taken. */
export const offerResult = ({ message, required, settlement }: PaymentNeeded): CallToolResult => {
  const failed: Readonly<Record<string, Settlement>> =
    settlement === undefined ? {} : { [settlementKey]: settlement }
  const data = {
    ...required,
    error: settlement === undefined ? "Payment required" : message,
    ...failed
  }
  return {
    isError: true,
    structuredContent: data,
    content: [{ type: "text", text: JSON.stringify({ "x402/error": { code: 402, message, data } }) }]
  }
}
