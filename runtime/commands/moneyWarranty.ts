/** `plumbline money warranty`: what warranties owe and have not paid, and the decision on what a ceiling stopped. */
import { Console, Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { format } from "../../core/credits/Money.ts"
import { markPaid } from "../../core/credits/warranty/markPaid.ts"
import { openPayments, release } from "../../core/credits/warranty/payments.ts"
import { program } from "../../core/process/program.ts"
import { operate } from "../admin/run.ts"
import { asJson } from "../cli/arguments.ts"
import { UsageError } from "../cli/usage.ts"
import { Settings } from "../settings/Settings.ts"

/** Payments that one call lists. */
const most = 500

export const warranty = Command.make(
  "warranty",
  {
    sale: Argument.String("sale").pipe(
      Argument.withDescription(
        "With --release: the sale whose payment is made (default: all that are stopped); with --paid: the one that was paid"
      ),
      Argument.optional
    ),
    release: Flag.Boolean("release").pipe(
      Flag.withDescription("Let stopped payments be made, whatever the ceilings say"),
      Flag.withDefault(false)
    ),
    paid: Flag.String("paid").pipe(
      Flag.withDescription(
        "Mark the payment of a sale, which may already be paid, as paid by this transaction; the chain must have it"
      ),
      Flag.optional
    ),
    by: Flag.String("by").pipe(
      Flag.withDescription("With --release or --paid: who you are; stored"),
      Flag.optional
    ),
    reason: Flag.String("reason").pipe(
      Flag.withDescription("With --release or --paid: why; stored"),
      Flag.optional
    ),
    json: asJson
  },
  Effect.fnUntraced(function* ({ by, json, paid, reason, release: releases, sale }) {
    if (releases && Option.isSome(paid))
      return yield* new UsageError({ message: "--release and --paid exclude each other" })
    if (Option.isSome(paid)) {
      if (Option.isNone(sale)) return yield* new UsageError({ message: "--paid needs the sale" })
      return yield* operate(book(sale.value, paid.value, yield* decider("--paid", by, reason)))
    }
    if (!releases) {
      if (Option.isSome(sale))
        return yield* new UsageError({ message: "a sale is named only with --release or --paid" })
      return yield* operate(list(json))
    }
    const who = yield* decider("--release", by, reason)
    yield* operate(
      Effect.gen(function* () {
        const released = yield* release(Option.getOrUndefined(sale), who)
        yield* Console.log(
          released === 0
            ? "no such payment is stopped; nothing was done"
            : `released ${released === 1 ? "one payment" : `${released} payments`}; the service makes them within a minute`
        )
      })
    )
  })
).pipe(
  Command.withDescription(
    "List what warranties owe and have not paid: stopped, on its way, or due to a wallet that no account has verified. With --release, let stopped payments be made; with --paid, book one that the chain already has"
  )
)

/** Who decides, and why. */
const decider = Effect.fnUntraced(function* (
  flag: string,
  by: Option.Option<string>,
  reason: Option.Option<string>
) {
  const [operator, why] = [by, reason].map((text) => Option.getOrElse(text, () => "").trim())
  if (operator === undefined || operator === "")
    return yield* new UsageError({ message: `${flag} needs --by: who you are` })
  if (why === undefined || why === "")
    return yield* new UsageError({ message: `${flag} needs --reason: why` })
  return { operator, reason: why }
})

/** Loaded only for this command: the EVM library is large. */
const refunds = Effect.promise(() => import("../service/refunds.ts"))

const book = Effect.fnUntraced(function* (
  sale: string,
  transaction: string,
  who: { readonly operator: string; readonly reason: string }
) {
  const { warrantyRefunder } = yield* refunds
  const { amount, payer } = yield* Effect.provide(
    markPaid(sale, transaction, who),
    Layer.provide(warrantyRefunder, Settings.layer)
  )
  yield* Console.log(
    `${sale} is paid: ${format(amount)} USDC to ${payer} in ${transaction}; it is in the books`
  )
})

const list = Effect.fnUntraced(function* (json: boolean) {
  const open = yield* openPayments(most)
  if (json) return yield* Console.log(JSON.stringify(open))
  if (open.length === 0) return yield* Console.log("warranties owe nothing")
  for (const { amount_usd, because, payer, proof, refusal, sale, since, state, transaction } of open) {
    const why =
      state === "sending"
        ? `on its way to ${payer ?? "the wallet that paid"}${transaction === undefined ? "" : ` in ${transaction}`}`
        : payer === undefined
          ? state
          : `${state}, no account has verified ${payer}`
    yield* Console.log(`${sale}  ${amount_usd} USD since ${since}, ${why}: ${because} (${proof})`)
    if (refusal !== undefined) yield* Console.log(`  ${refusal}`)
  }
  if (open.some(({ state }) => state === "stopped"))
    yield* Console.log(
      `make what is stopped with: ${program} money warranty --release --by <you> --reason "<why>"`
    )
  if (open.some(({ refusal, state }) => state === "stopped" && refusal !== undefined))
    yield* Console.log(
      `if it was paid: ${program} money warranty <sale> --paid <transaction> --by <you> --reason "<why>"`
    )
  if (open.length === most) yield* Console.log(`the first ${most} are listed`)
})
