/**
 * The port that moves money for x402. An adapter knows one chain and one token, and submits what the payer has signed. An
 * authorization (EIP-3009) moves money only once, no matter who submits it or how often. The hard part is to report its
 * outcome correctly.
 */
import { Context, type Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** Recipient, token and network of payments. Addresses as in the offer. */
export interface Terms {
  /** CAIP-2, e.g. `eip155:8453`. */
  readonly network: string
  /** The name of the network in version 1, if it has one. */
  readonly networkV1?: string
  readonly asset: string
  readonly payTo: string
  /** Name and version of the token's EIP-712 domain, read from its contract. */
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

/** A transaction for a payment; `raw` can be sent again. */
export interface SubmittedTransaction {
  readonly transaction: string
  readonly raw?: string
}

/** The outcome of an authorization. `Unknown` is not a failure: the money may have moved or may still move. */
export type Settlement =
  | { readonly kind: "settled"; readonly transaction: string }
  | {
      readonly kind: "failed"
      readonly reason: string
      readonly message: string
      /** The authorization is unused and still holds: whoever submits it moves the money after all. */
      readonly submittable?: true
    }
  | { readonly kind: "unknown"; readonly transaction?: string }

/** The payment is not acceptable; `reason` is an x402 error code. Nothing was moved. */
export class PaymentRefused extends Schema.TaggedError<PaymentRefused>()("PaymentRefused", {
  reason: Schema.String,
  message: Schema.String
}) {}

/** The chain or the facilitator is unreachable right now. Nothing was moved. */
export class SettlerUnavailable extends Schema.TaggedError<SettlerUnavailable>()("SettlerUnavailable", {
  message: Schema.String
}) {}

export interface Settler {
  /** Fails until the token's contract has been read. */
  readonly terms: Effect.Effect<Terms, SettlerUnavailable>
  /**
   * Why the gas of the next settlements is not there; undefined where it is, or where somebody else pays it. As it was read lately;
   * what cannot be read is not there.
   */
  readonly unfunded: Effect.Effect<string | undefined>
  /**
   * Checks signature, balance and a simulated call to see if this payment would settle now. `since` is the block to search
   * from later. `settled` is present if someone has already submitted the authorization and the money has arrived.
   */
  readonly verify: (
    payment: Payment
  ) => Effect.Effect<
    { readonly since: bigint; readonly settled?: string },
    PaymentRefused | SettlerUnavailable
  >
  /**
   * Submits the payment and waits a limited time. `sending` runs before anything is sent, so the sale can be resumed after
   * a crash; it runs again if the transaction has to be rebuilt. If `sending` fails, nothing is sent.
   */
  readonly settle: (
    payment: Payment,
    since: bigint,
    sending: (submission: SubmittedTransaction | undefined) => Effect.Effect<void, SqlError>
  ) => Effect.Effect<Settlement, SqlError | SettlerUnavailable>
  /**
   * Looks up the outcome. With `resending`, a payment that is not on the chain is submitted again, in a new transaction if
   * the old one can no longer be included.
   */
  readonly follow: (
    payment: Payment,
    since: bigint,
    submission: SubmittedTransaction | undefined,
    resending?: (submission: SubmittedTransaction | undefined) => Effect.Effect<void, SqlError>
  ) => Effect.Effect<Settlement, SqlError>
  /** Whether a transaction is final, included, or no longer on the chain; one that was reverted counts as gone. */
  readonly finality: (transaction: string) => Effect.Effect<"final" | "included" | "gone", SettlerUnavailable>
}

/** The adapter of this service; null if none is configured. */
export const X402Settler = Context.Reference<Settler | null>("core/credits/x402/Settler", {
  defaultValue: () => null
})
