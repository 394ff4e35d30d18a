/**
 * The port behind which money moves for x402. An adapter knows one chain and one token and submits what the payer has
 * signed. An authorization (EIP-3009) can move money once, whoever submits it and however often: what is left to get
 * right is to say truly what became of it.
 */
import { Context, type Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** Where and in what is paid. Addresses as in the offer. */
export interface Terms {
  /** CAIP-2, such as `eip155:8453`. */
  readonly network: string
  /** The same network as version 1 calls it, where it has a name there. */
  readonly networkV1?: string
  readonly asset: string
  readonly payTo: string
  /** Name and version of the token's EIP-712 domain, as its contract says them. */
  readonly domain: { readonly name: string; readonly version: string }
}

/** `transferWithAuthorization` of EIP-3009; addresses and nonce in lower case, times in seconds. */
export interface Authorization {
  readonly from: string
  readonly to: string
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: string
}

/** What the payer sent: an authorization and its signature (lower-case hex; ERC-1271 wallets have any length). */
export interface Payment {
  readonly authorization: Authorization
  readonly signature: string
}

/** A transaction that was made for a payment; `raw` is what can be sent again. */
export interface Sent {
  readonly transaction: string
  readonly raw?: string
}

/** What became of an authorization. `Unknown` is not a failure: the money may have moved, or may still move. */
export type Outcome =
  | { readonly kind: "settled"; readonly transaction: string }
  | { readonly kind: "failed"; readonly reason: string; readonly message: string }
  | { readonly kind: "unknown"; readonly transaction?: string }

/** The payment cannot be taken; `reason` is a name of the protocol. Nothing was moved. */
export class PaymentRefused extends Schema.TaggedError<PaymentRefused>()("PaymentRefused", {
  reason: Schema.String,
  message: Schema.String
}) {}

/** The chain or the facilitator cannot be asked at the moment. Nothing was moved. */
export class SettlerUnavailable extends Schema.TaggedError<SettlerUnavailable>()("SettlerUnavailable", {
  message: Schema.String
}) {}

export interface Settler {
  /** Fails until the token's contract has been read. */
  readonly terms: Effect.Effect<Terms, SettlerUnavailable>
  /**
   * Would this payment settle now? Looks at signature, balance and a simulated call. `since` is the block to look from
   * later; `settled` is there when somebody else has already submitted the authorization and the money has come.
   */
  readonly verify: (
    payment: Payment
  ) => Effect.Effect<
    { readonly since: bigint; readonly settled?: string },
    PaymentRefused | SettlerUnavailable
  >
  /**
   * Submits it and waits a bounded time. `sending` runs before anything leaves, so that a crash after it can be
   * followed up; it may run again when the transaction had to be made anew. A failure of `sending` sends nothing.
   */
  readonly settle: (
    payment: Payment,
    since: bigint,
    sending: (sent: Sent | undefined) => Effect.Effect<void, SqlError>
  ) => Effect.Effect<Outcome, SqlError | SettlerUnavailable>
  /**
   * What became of it by now. With `resending`, one that is not on the chain is submitted again, in a new transaction
   * where the old one has lost its place; without, it is only looked for.
   */
  readonly follow: (
    payment: Payment,
    since: bigint,
    sent: Sent | undefined,
    resending?: (sent: Sent | undefined) => Effect.Effect<void, SqlError>
  ) => Effect.Effect<Outcome, SqlError>
  /** Where a transaction stands: beyond any reorganisation, on the chain, or no longer there. */
  readonly standing: (transaction: string) => Effect.Effect<"final" | "included" | "gone", SettlerUnavailable>
}

/** The adapter of this service; null where the operator has set up none. */
export const X402Settler = Context.Reference<Settler | null>("core/credits/x402/Settler", {
  defaultValue: () => null
})
