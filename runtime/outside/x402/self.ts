/**
 * Settles by ourselves: a key of our own pays the gas and submits what the payer has signed. It can move nobody's money
 * but its own gas. Each transaction is signed and written down before it is sent, so it can be sent again.
 */
import { Clock, Effect, Redacted, Semaphore } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type BaseError, type Hex, keccak256 } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import {
  type Payment,
  type Settlement,
  type Settler,
  SettlerUnavailable,
  type SubmittedTransaction
} from "../../../core/credits/x402/Settler.ts"
import { minute } from "../../../core/plugin/time.ts"
import { localNonceLock, type NonceLock, type NonceTurn } from "./nonceLock.ts"
import { isReverted, makeToken, type Where } from "./token.ts"

/** A settlement takes 60 to 90 thousand; a contract wallet's own check comes on top. */
const mostGas = 400_000n
/** What a settlement takes of it, with a margin: settlements that are to come are counted with it. */
const typicalGas = 110_000n
/** A sale is offered only while the account can pay for so many settlements. */
export const fewestSettlements = 20n
/** For how long the account's balance is taken as read, and for how long where it cannot be read again; milliseconds. */
const gasIsFresh = 10_000
const gasIsKnown = minute
/** Wei. Base has asked for less than a hundredth of it for years; above it we do not settle. */
const mostPerGas = 10_000_000_000n
const mostTries = 3

const text = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${(error as BaseError).details ?? ""}` : ""

const dear = new SettlerUnavailable({
  message: "the chain's fees are above what this service pays at the moment."
})
const broke = new SettlerUnavailable({ message: "the service cannot pay for the transaction." })
const quiet = new SettlerUnavailable({ message: "the chain cannot be asked at the moment." })

export interface Options extends Where {
  readonly key: Redacted.Redacted<Hex>
  /** Default: nobody else submits with this key. */
  readonly nonceLock?: (address: string) => NonceLock
}

export const make = (options: Options) => {
  const token = makeToken(options)
  const { client } = token
  const account = privateKeyToAccount(Redacted.value(options.key))
  // One at a time: two transactions with one nonce of ours would take each other's place.
  const nonceLock = (options.nonceLock ?? localNonceLock)(account.address)

  const ask = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: () => quiet })

  const looking = Semaphore.makeUnsafe(1)
  let gas: { readonly at: number; readonly short: string | undefined } | undefined

  const readGas = Effect.gen(function* () {
    const [balance, fees] = yield* ask(() =>
      Promise.all([
        client.getBalance({ address: account.address }),
        client.estimateFeesPerGas({ chain: null, type: "eip1559" })
      ])
    )
    return balance < fewestSettlements * typicalGas * fees.maxFeePerGas
      ? `the account that pays the gas of settlements has less than that of ${fewestSettlements} of them.`
      : undefined
  })

  const unfunded = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (gas !== undefined && now - gas.at < gasIsFresh) return gas.short
    return yield* Effect.match(readGas, {
      onSuccess: (short) => {
        gas = { at: now, short }
        return short
      },
      onFailure: ({ message }) => (gas !== undefined && now - gas.at < gasIsKnown ? gas.short : message)
    })
  }).pipe(looking.withPermits(1))

  /** A transaction ready to be sent; fails as reverted where the call would not do. */
  const prepare = Effect.fnUntraced(function* (payment: Payment, atLeast: number) {
    const data = token.callData(payment)
    const estimated = yield* Effect.tryPromise({
      try: () => client.estimateGas({ account, to: options.asset, data }),
      catch: (error) => (isReverted(error) ? ("reverted" as const) : quiet)
    })
    const gas = (estimated * 12n) / 10n
    const fees = yield* ask(() => client.estimateFeesPerGas({ chain: null, type: "eip1559" }))
    if (fees.maxFeePerGas > mostPerGas || gas > mostGas) return yield* dear
    const [balance, pending] = yield* ask(() =>
      Promise.all([
        client.getBalance({ address: account.address }),
        client.getTransactionCount({ address: account.address, blockTag: "pending" })
      ])
    )
    if (balance < gas * fees.maxFeePerGas) {
      yield* Effect.logError("X402_SETTLER_KEY: its account cannot pay the gas; send it some", {
        account: account.address
      })
      return yield* broke
    }
    const nonce = Math.max(pending, atLeast)
    // biome-ignore lint/plugin/promise: signs in memory
    const raw = yield* Effect.promise(() =>
      account.signTransaction({
        type: "eip1559",
        chainId: options.chainId,
        to: options.asset,
        data,
        gas,
        nonce,
        maxFeePerGas: fees.maxFeePerGas,
        maxPriorityFeePerGas: fees.maxPriorityFeePerGas
      })
    )
    return { raw, nonce, transaction: keccak256(raw) }
  })

  /** `taken` also where nothing came back: then it may have arrived. */
  const broadcast = (raw: Hex): Effect.Effect<"taken" | "nonce"> =>
    // biome-ignore lint/plugin/promise: every rejection of the node is told apart inside
    Effect.promise(() =>
      client.sendRawTransaction({ serializedTransaction: raw }).then(
        () => "taken" as const,
        (error) => (/nonce too low|underpriced/i.test(text(error)) ? ("nonce" as const) : ("taken" as const))
      )
    )

  /** Sends, and gives what was sent; undefined where the contract would not take it any more. */
  const send = Effect.fnUntraced(function* (
    payment: Payment,
    sending: (submission: SubmittedTransaction) => Effect.Effect<void, SqlError>,
    turn: NonceTurn
  ) {
    let next = turn.next
    for (let attempt = 0; attempt < mostTries; attempt++) {
      const prepared = yield* prepare(payment, next).pipe(
        Effect.catch((error) => (error === "reverted" ? Effect.succeed(undefined) : Effect.fail(error)))
      )
      if (prepared === undefined) return undefined
      const { nonce, raw, transaction } = prepared
      yield* sending({ transaction, raw })
      next = nonce + 1
      const came = yield* Effect.uninterruptible(
        Effect.tap(broadcast(raw), (came) => (came === "taken" ? turn.used(next) : Effect.void))
      )
      if (came === "taken") return { transaction, raw } satisfies SubmittedTransaction
      // Somebody else sends with this key, or a node lags behind: the nonce was taken, nothing of ours is there.
    }
    yield* turn.used(0)
    return yield* quiet
  })

  const settle: Settler["settle"] = Effect.fn("SelfSettler.settle")(function* (payment, since, sending) {
    const submission = yield* nonceLock.take((turn) => send(payment, sending, turn))
    if (submission === undefined) {
      const chainOutcome = yield* token.outcome(payment, since, undefined)
      return chainOutcome.kind === "unknown"
        ? ({
            kind: "failed",
            reason: "invalid_transaction_state",
            message: "The token's contract would not take the payment. Nothing was charged."
          } satisfies Settlement)
        : chainOutcome
    }
    const outcome = yield* token.awaited(payment, since, submission)
    // A transaction of ours that is not in a block may have been dropped: the nonce is then asked for anew.
    if (outcome.kind === "unknown") yield* nonceLock.take((turn) => turn.used(0))
    return outcome
  })

  const settler: Settler = {
    terms: token.terms,
    unfunded,
    verify: token.verify,
    settle,
    follow: Effect.fn("SelfSettler.follow")(function* (payment, since, submission, resending) {
      const outcome = yield* token.outcome(payment, since, submission)
      if (outcome.kind !== "unknown" || resending === undefined) return outcome
      if (submission?.raw !== undefined && (yield* broadcast(submission.raw as Hex)) === "taken")
        return outcome
      // Another transaction took its nonce. If ours were on the chain after all, the new one would not be sent.
      const anew = yield* nonceLock
        .take((turn) => send(payment, resending, turn))
        .pipe(Effect.catchTag("SettlerUnavailable", () => Effect.succeed(undefined)))
      return anew === undefined ? outcome : { kind: "unknown", transaction: anew.transaction }
    }),
    finality: token.finality
  }
  return { settler, token, readTerms: token.readTerms }
}
