/**
 * Settles through a facilitator (`POST /verify`, `POST /settle`). It pays the gas and submits; whether the money came is
 * read from the chain, never taken from its word, and a settlement that it says failed may still be on its way.
 */
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import {
  type Payment,
  type Settlement,
  type Settler,
  SettlerUnavailable,
  type SubmittedTransaction
} from "../../../core/credits/x402/Settler.ts"
import { requirementsOf } from "../../../core/credits/x402/wire.ts"
import { sendBounded } from "../boundedRequest.ts"
import { makeToken, type Where } from "./token.ts"

const Verified = Schema.fromJsonString(
  Schema.Struct({ isValid: Schema.Boolean, invalidReason: Schema.optional(Schema.NullOr(Schema.String)) })
)

const Settled = Schema.fromJsonString(
  Schema.Struct({
    success: Schema.Boolean,
    transaction: Schema.optional(Schema.NullOr(Schema.String)),
    errorReason: Schema.optional(Schema.NullOr(Schema.String))
  })
)

const noFacilitator = new SettlerUnavailable({ message: "the facilitator cannot be asked at the moment." })

/** A reason of the protocol, and nothing else that a facilitator may have put there. */
const reasonOf = (reason: string | null | undefined, otherwise: string): string =>
  reason != null && /^[a-z0-9_]{1,80}$/.test(reason) ? reason : otherwise

export interface Options extends Where {
  readonly url: string
}

export const make = (options: Options) => {
  const token = makeToken(options)
  const base = options.url.replace(/\/+$/, "")

  const post = Effect.fnUntraced(function* (path: "/verify" | "/settle", payment: Payment) {
    const terms = yield* token.terms
    const { authorization, signature } = payment
    const requirements = requirementsOf(terms, authorization.value)
    const { body, status } = yield* sendBounded({
      method: "POST",
      url: `${base}${path}`,
      headers: { "content-type": "application/json", accept: "application/json" },
      body: new TextEncoder().encode(
        JSON.stringify({
          x402Version: 2,
          paymentPayload: {
            x402Version: 2,
            accepted: requirements,
            payload: {
              signature,
              authorization: {
                from: authorization.from,
                to: authorization.to,
                value: authorization.value.toString(),
                validAfter: authorization.validAfter.toString(),
                validBefore: authorization.validBefore.toString(),
                nonce: authorization.nonce
              }
            }
          },
          paymentRequirements: requirements
        })
      ),
      most: 64 * 1024,
      timeout: path === "/verify" ? "10 seconds" : "45 seconds"
    })
    if (status >= 500 || status === 429 || status === 401 || status === 403) return yield* noFacilitator
    return new TextDecoder().decode(body)
  })

  const submit = Effect.fnUntraced(function* (payment: Payment) {
    const response = yield* post("/settle", payment)
    return yield* Schema.decodeUnknownEffect(Settled)(response)
  }, Effect.option)

  /** Asks for it to be settled and looks at the chain; what stays open is unknown. */
  const attempt = Effect.fnUntraced(function* (
    payment: Payment,
    since: bigint,
    mayWait: boolean,
    sending: (submission: SubmittedTransaction) => Effect.Effect<void, SqlError>
  ) {
    const answer = yield* submit(payment)
    const response = answer._tag === "Some" ? answer.value : undefined
    const submission =
      response?.transaction != null && /^0x[0-9a-fA-F]{64}$/.test(response.transaction)
        ? { transaction: response.transaction.toLowerCase() }
        : undefined
    if (submission !== undefined) yield* sending(submission)
    const look = mayWait && response?.success === true ? token.awaited : token.outcome
    return yield* look(payment, since, submission)
  })

  const settle: Settler["settle"] = Effect.fn("Facilitator.settle")(function* (payment, since, sending) {
    const answer = yield* post("/verify", payment).pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(Verified)),
      Effect.mapError(() => noFacilitator)
    )
    if (!answer.isValid) {
      const chainOutcome = yield* token.outcome(payment, since, undefined)
      return chainOutcome.kind === "unknown"
        ? ({
            kind: "failed",
            reason: reasonOf(answer.invalidReason, "unexpected_verify_error"),
            message: "The facilitator refused the payment. Nothing was charged."
          } satisfies Settlement)
        : chainOutcome
    }
    yield* sending(undefined)
    return yield* attempt(payment, since, true, sending)
  })

  const settler: Settler = {
    terms: token.terms,
    // It is the facilitator that submits.
    unfunded: Effect.succeed(undefined),
    verify: token.verify,
    settle,
    follow: Effect.fn("Facilitator.follow")(function* (payment, since, submission, resending) {
      const outcome = yield* token.outcome(payment, since, submission)
      // Its transaction is not known: the question may never have arrived, and asked twice it cannot pay twice.
      if (outcome.kind !== "unknown" || resending === undefined || submission !== undefined) return outcome
      return yield* attempt(payment, since, false, resending)
    }),
    finality: token.finality
  }
  return { settler, readTerms: token.readTerms }
}
