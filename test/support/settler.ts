/**
 * The port of x402 over a chain of the test's own making, so that a test can choose how a settlement goes and thousands
 * are cheap. As on a real one an authorization moves money once, while it holds, whoever submits it.
 */
import { Clock, Effect } from "effect"
import {
  type Payment,
  type Settlement,
  type Settler,
  SettlerUnavailable,
  type SubmittedTransaction
} from "../../core/credits/x402/Settler.ts"

export const terms = {
  network: "eip155:8453",
  networkV1: "base",
  asset: `0x${"aa".repeat(20)}`,
  payTo: `0x${"bb".repeat(20)}`,
  domain: { name: "USD Coin", version: "2" }
}

export const scenarios = [
  "settles",
  "settles and is not heard of",
  "fails",
  "is never sent",
  "is lost on its way",
  "is front-run"
] as const
/** How a settlement goes. */
export type Scenario = (typeof scenarios)[number]

export const makeSettler = () => {
  /** The transaction that moved the money of a nonce. */
  const moved = new Map<string, string>()
  /** Nonces of which a transaction of ours was reverted. */
  const reverted = new Set<string>()
  /** Transactions that no reorganisation undoes any more. */
  const final = new Set<string>()
  /** How the next settlement of a nonce goes; without an entry it settles. */
  const scenarioOf = new Map<string, Scenario>()

  const hash = (nonce: string, by: "us" | "others") => `0x${by === "us" ? "a" : "f"}${nonce.slice(3)}`

  const submit = Effect.fnUntraced(function* (
    { authorization: { nonce, validBefore } }: Payment,
    by: "us" | "others"
  ) {
    if (moved.has(nonce) || BigInt(yield* Clock.currentTimeMillis) >= validBefore * 1000n) return
    moved.set(nonce, hash(nonce, by))
  })

  const look = Effect.fnUntraced(function* (
    { authorization }: Payment,
    submitted: SubmittedTransaction | undefined
  ) {
    const transaction = moved.get(authorization.nonce)
    if (transaction !== undefined) return { kind: "settled", transaction } satisfies Settlement
    const over = BigInt(yield* Clock.currentTimeMillis) >= authorization.validBefore * 1000n
    if (over || (submitted !== undefined && reverted.has(authorization.nonce))) {
      return {
        kind: "failed",
        reason: "invalid_transaction_state",
        message: "It was reverted.",
        ...(over ? {} : { submittable: true })
      } satisfies Settlement
    }
    return { kind: "unknown", ...(submitted === undefined ? {} : submitted) } satisfies Settlement
  })

  /** What our own broadcast comes to. */
  const broadcast = Effect.fnUntraced(function* (payment: Payment) {
    const { nonce } = payment.authorization
    if (scenarioOf.get(nonce) === "fails") reverted.add(nonce)
    else if (scenarioOf.get(nonce) !== "is lost on its way") yield* submit(payment, "us")
  })

  const settler: Settler = {
    terms: Effect.succeed(terms),

    unfunded: Effect.succeed(undefined),

    verify: ({ authorization: { nonce } }) => {
      const settled = moved.get(nonce)
      return Effect.succeed({ since: 0n, ...(settled === undefined ? {} : { settled }) })
    },

    settle: Effect.fnUntraced(function* (payment, _since, sending) {
      const { nonce } = payment.authorization
      if (scenarioOf.get(nonce) === "is never sent")
        return yield* new SettlerUnavailable({ message: "no chain" })
      if (scenarioOf.get(nonce) === "is front-run") yield* submit(payment, "others")
      // As the simulated call tells before anything is sent.
      const before = yield* look(payment, undefined)
      if (before.kind !== "unknown") return before
      const submitted = { transaction: hash(nonce, "us"), raw: "0x00" }
      yield* sending(submitted)
      yield* broadcast(payment)
      return scenarioOf.get(nonce) === "settles and is not heard of"
        ? { kind: "unknown", transaction: submitted.transaction }
        : yield* look(payment, submitted)
    }),

    follow: Effect.fnUntraced(function* (payment, _since, submitted, resending) {
      const outcome = yield* look(payment, submitted)
      if (outcome.kind !== "unknown" || resending === undefined) return outcome
      const { nonce } = payment.authorization
      yield* resending({ transaction: hash(nonce, "us"), raw: "0x00" })
      yield* broadcast(payment)
      return { kind: "unknown", transaction: hash(nonce, "us") }
    }),

    finality: (transaction) =>
      Effect.sync(() =>
        [...moved.values()].includes(transaction) ? (final.has(transaction) ? "final" : "included") : "gone"
      )
  }

  return { settler, moved, reverted, final, scenarioOf, submit }
}

export type PretendSettler = ReturnType<typeof makeSettler>
