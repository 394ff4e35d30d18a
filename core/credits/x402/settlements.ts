/** The settlement of a sale: driven, resumed after an interruption, and watched until no reorganisation can undo it. */
import { Effect, Fiber, type Scope } from "effect"
import type { Sales } from "./Sales.ts"
import type { Settlement, Settler, SubmittedTransaction } from "./Settler.ts"
import { paymentOf, type Sale, submissionOf } from "./saleRecord.ts"

type Stored = Sales["Service"]

/** How long a request waits for another one that is driving the same sale. */
const polling = { times: 75, every: "200 millis" } as const

/** Stores the outcome of a sale. */
const finish = Effect.fnUntraced(function* (sales: Stored, sale: Sale, outcome: Settlement) {
  switch (outcome.kind) {
    case "settled":
      return yield* sales.settled(sale.id, outcome.transaction)
    case "failed":
      return yield* sales.failed(sale.id, outcome.reason, outcome.message)
    case "unknown": {
      yield* sales.release(sale.id)
      return outcome.transaction === undefined ? sale : { ...sale, tx: outcome.transaction }
    }
  }
})

const sendingOf = (sales: Stored, sale: Sale) => (submission: SubmittedTransaction | undefined) =>
  sales.sending(sale.id, submission)

/** Follows a sale, and sends its transaction again if that is needed. */
const follow = (sales: Stored, port: Settler, sale: Sale) =>
  port.follow(paymentOf(sale), sale.since_block, submissionOf(sale), sendingOf(sales, sale))

/** Continues a sale whose lease we hold. */
export const drive = Effect.fn("X402.drive")(function* (sales: Stored, port: Settler, sale: Sale) {
  const outcome: Settlement =
    sale.state === "reserved"
      ? yield* port
          .settle(paymentOf(sale), sale.since_block, sendingOf(sales, sale))
          .pipe(Effect.catchTag("SettlerUnavailable", () => Effect.succeed<Settlement>({ kind: "unknown" })))
      : yield* follow(sales, port, sale)
  return yield* finish(sales, sale, outcome)
})

/** Runs in the scope of the service, so a disconnecting client does not interrupt its payment. */
export const apart = <A, E>(effect: Effect.Effect<A, E>, scope: Scope.Scope) =>
  Effect.flatMap(Effect.forkIn(effect, scope), Fiber.join)

/** The outcome of an earlier sale. It is still open if nobody learned the outcome in time. */
export const conclude = Effect.fnUntraced(function* (
  sales: Stored,
  port: Settler,
  earlier: Sale,
  scope: Scope.Scope
) {
  if (earlier.state === "failed") {
    // Anyone can still submit the authorization and move the money.
    const outcome = yield* port.follow(paymentOf(earlier), earlier.since_block, undefined)
    return outcome.kind === "settled" ? yield* sales.settled(earlier.id, outcome.transaction) : earlier
  }
  let sale = earlier
  for (let waited = 0; sale.state === "reserved" || sale.state === "settling"; waited++) {
    const leased = yield* sales.lease(sale.id)
    if (leased !== undefined) return yield* apart(drive(sales, port, leased), scope)
    if (waited >= polling.times) return sale
    yield* Effect.sleep(polling.every)
    sale = (yield* sales.find(sale)) ?? sale
  }
  return sale
})

/** Resumes an interrupted sale. One that was never submitted waits for its payer until it expires. */
export const resume = Effect.fnUntraced(function* (sales: Stored, port: Settler, id: string) {
  const sale = yield* sales.lease(id)
  if (sale === undefined) return
  const outcome =
    sale.state === "settling"
      ? yield* follow(sales, port, sale)
      : yield* port.follow(paymentOf(sale), sale.since_block, submissionOf(sale))
  yield* finish(sales, sale, outcome)
})

/** Checks whether a settled sale is final, or was undone. */
export const watch = Effect.fnUntraced(
  function* (sales: Stored, port: Settler, sale: Sale) {
    if (sale.tx === null) return
    const finality = yield* port.finality(sale.tx)
    if (finality === "final") return yield* sales.final(sale.id)
    if (finality === "included") return
    const outcome = yield* follow(sales, port, sale)
    if (outcome.kind === "settled") return yield* sales.paidBy(sale.id, outcome.transaction)
    // Until its time is over the money may come after all, and a sale that is lost is not looked at again.
    if (outcome.kind === "unknown" || outcome.submittable === true) return
    yield* Effect.logError("a reorganisation undid a settled sale for good", { sale: sale.id })
    yield* sales.lost(sale.id, sale.amount)
  },
  Effect.catchTag("SettlerUnavailable", () => Effect.void)
)
