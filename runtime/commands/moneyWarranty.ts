/** `plumbline money warranty`: what warranties owe and have not paid, and the decision on what a ceiling stopped. */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { openPayments, release } from "../../core/credits/warranty/payments.ts"
import { program } from "../../core/process/program.ts"
import { operate } from "../admin/run.ts"
import { asJson } from "../cli/arguments.ts"
import { UsageError } from "../cli/usage.ts"

/** Payments that one call lists. */
const most = 500

export const warranty = Command.make(
  "warranty",
  {
    sale: Argument.String("sale").pipe(
      Argument.withDescription(
        "With --release: the sale whose payment is made (default: all that are stopped)"
      ),
      Argument.optional
    ),
    release: Flag.Boolean("release").pipe(
      Flag.withDescription("Let stopped payments be made, whatever the ceilings say"),
      Flag.withDefault(false)
    ),
    by: Flag.String("by").pipe(Flag.withDescription("With --release: who you are; stored"), Flag.optional),
    reason: Flag.String("reason").pipe(Flag.withDescription("With --release: why; stored"), Flag.optional),
    json: asJson
  },
  Effect.fnUntraced(function* ({ by, json, reason, release: releases, sale }) {
    if (!releases) {
      if (Option.isSome(sale))
        return yield* new UsageError({ message: "a sale is named only with --release" })
      return yield* operate(list(json))
    }
    const who = yield* decider(by, reason)
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
    "List what warranties owe and have not paid: stopped, or due to a wallet that no account has verified. With --release, let stopped payments be made"
  )
)

/** Who decides, and why. */
const decider = Effect.fnUntraced(function* (by: Option.Option<string>, reason: Option.Option<string>) {
  const [operator, why] = [by, reason].map((text) => Option.getOrElse(text, () => "").trim())
  if (operator === undefined || operator === "")
    return yield* new UsageError({ message: "--release needs --by: who you are" })
  if (why === undefined || why === "")
    return yield* new UsageError({ message: "--release needs --reason: why" })
  return { operator, reason: why }
})

const list = Effect.fnUntraced(function* (json: boolean) {
  const open = yield* openPayments(most)
  if (json) return yield* Console.log(JSON.stringify(open))
  if (open.length === 0) return yield* Console.log("warranties owe nothing")
  for (const { amount_usd, because, payer, proof, sale, since, state } of open) {
    const why = payer === undefined ? state : `${state}, no account has verified ${payer}`
    yield* Console.log(`${sale}  ${amount_usd} USD since ${since}, ${why}: ${because} (${proof})`)
  }
  if (open.some(({ state }) => state === "stopped"))
    yield* Console.log(
      `make what is stopped with: ${program} money warranty --release --by <you> --reason "<why>"`
    )
  if (open.length === most) yield* Console.log(`the first ${most} are listed`)
})
