/** `plumbline money`: what is held, unmatched or owed, how to settle it, and whether the books balance. */
import { Clock, Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as SqlClient from "effect/sql/SqlClient"
import { Bookkeeping, type Place, type Proposal } from "../../core/credits/books/Bookkeeping.ts"
import { openItems as heldNow, unmatched as unmatchedNow } from "../../core/credits/books/open.ts"
import { type Report, report as reportOn } from "../../core/credits/books/report.ts"
import { houses } from "../../core/credits/Ledger.ts"
import { parse } from "../../core/credits/Money.ts"
import { day as dayMs } from "../../core/plugin/time.ts"
import { operate } from "../admin/run.ts"
import { asJson } from "../cli/arguments.ts"
import { NotPassed, UsageError } from "../cli/usage.ts"
import { warranty } from "./moneyWarranty.ts"
import { unreachable, withBooks } from "./withBooks.ts"

const by = {
  by: Flag.String("by").pipe(Flag.withDescription("Who you are; stored in the ledger")),
  reason: Flag.String("reason").pipe(
    Flag.withDescription("Why; stored in the ledger and shown in the account's statement")
  ),
  yes: Flag.Boolean("yes").pipe(
    Flag.withDescription("Do it; without this, only say what would be done"),
    Flag.withDefault(false)
  )
}

/** Does what is proposed, if it is confirmed. */
const confirmed = Effect.fnUntraced(function* ({ act, says }: Proposal, yes: boolean) {
  if (yes) return yield* Console.log(yield* act)
  yield* Console.log(`would ${says}\nNothing was done. Repeat the command with --yes to do it.`)
  return yield* new NotPassed({ code: 2 })
})

const named = ({ by, reason }: { readonly by: string; readonly reason: string }) => ({
  operator: by.trim(),
  reason
})

const requireName = (by: string) =>
  by.trim() === "" ? Effect.fail(new UsageError({ message: "--by must name you" })) : Effect.void

const onHold = Command.make("held", { json: asJson }, ({ json }) =>
  operate(
    Effect.gen(function* () {
      const suspense = yield* heldNow(yield* SqlClient.SqlClient)
      if (json) return yield* Console.log(JSON.stringify(suspense))
      for (const { note, order, ordered_usd, received_usd, settle, since, sku } of suspense.orders) {
        yield* Console.log(
          `${order}  ${sku}, ordered ${ordered_usd} USD, received ${received_usd ?? "another currency"}, since ${since}: ${note}`
        )
        for (const line of settle) yield* Console.log(`  ${line}`)
      }
      for (const { account, because, owed_usd, settle } of suspense.debts) {
        yield* Console.log(`${account}  owes ${owed_usd} USD; a top-up by its owner pays it off first`)
        for (const { at, description, open, order_id, payment_id } of because) {
          yield* Console.log(
            `  ${open} USD since ${at}: ${description} (${order_id ?? ""} ${payment_id ?? ""})`
          )
        }
        for (const line of settle) yield* Console.log(`  ${line}`)
      }
      for (const { account, settle, subscriptions } of suspense.doubled) {
        yield* Console.log(`${account}  pays for two subscriptions: ${subscriptions.join(", ")}`)
        for (const line of settle) yield* Console.log(`  ${line}`)
      }
      if (suspense.orders.length + suspense.debts.length + suspense.doubled.length === 0) {
        yield* Console.log("no card order is held, and no account owes anything")
      }
    })
  )
).pipe(Command.withDescription("List held card orders and debts, with the command that settles each"))

const unmatched = Command.make("unmatched", { json: asJson }, ({ json }) =>
  operate(
    Effect.gen(function* () {
      const transfers = yield* unmatchedNow(yield* SqlClient.SqlClient)
      if (json) return yield* Console.log(JSON.stringify(transfers))
      if (transfers.length === 0) return yield* Console.log("every transfer is matched or settled")
      for (const { amount_usdc, reason, sender, settle, time, transfer } of transfers) {
        yield* Console.log(`${transfer}  ${amount_usdc} USDC from ${sender}, ${time}: ${reason}`)
        for (const line of settle) yield* Console.log(`  ${line}`)
      }
    })
  )
).pipe(Command.withDescription("List transfers that no quote explains, with the commands that settle each"))

const refund = Command.make(
  "refund",
  {
    what: Argument.String("what").pipe(
      Argument.withDescription("An order (ord_...), or an unmatched transfer (<tx>:<log index>)")
    ),
    transaction: Flag.String("transaction").pipe(
      Flag.withDescription("For a transfer: the transaction by which you sent it back"),
      Flag.optional
    ),
    amount: Flag.String("amount").pipe(
      Flag.withDescription("For a paid order: how much of it, in USD (default: what is left)"),
      Flag.optional
    ),
    ...by
  },
  Effect.fnUntraced(function* ({ amount, transaction, what, yes, ...who }) {
    yield* requireName(who.by)
    const part = Option.isNone(amount) ? undefined : parse(amount.value)
    if (Option.isSome(amount) && (part === undefined || part === 0n)) {
      return yield* new UsageError({
        message: `--amount: "${amount.value}" is not an amount in USD above 0 (expected e.g. 5 or 5.50)`
      })
    }
    yield* operate(
      withBooks(
        Effect.gen(function* () {
          const books = yield* Bookkeeping
          const how = { transaction: Option.getOrUndefined(transaction), amount: part }
          yield* confirmed(yield* books.refund(what, named(who), how), yes)
        })
      )
    )
  })
).pipe(
  Command.withDescription(
    "Refund a card order through Stripe, in full or in part, or record that a transfer was sent back"
  )
)

/** An account, or a counter-account. */
const placeOf = (flag: string, text: string): Effect.Effect<Place, UsageError> => {
  const house = houses.find((name) => name === text)
  return house !== undefined
    ? Effect.succeed({ house })
    : /^acc_\w+$/.test(text)
      ? Effect.succeed({ account: text })
      : Effect.fail(
          new UsageError({
            message: `${flag}: "${text}" is not an account (acc_...) and not one of ${houses.join(", ")}`
          })
        )
}

const required = (flag: string, value: Option.Option<string>) =>
  Option.match(value, {
    onNone: () => Effect.fail(new UsageError({ message: `${flag} is needed to move an amount` })),
    onSome: Effect.succeed
  })

const adjust = Command.make(
  "adjust",
  {
    what: Argument.String("what").pipe(
      Argument.withDescription("A held order, an unmatched transfer, or an amount in USD")
    ),
    to: Flag.String("to").pipe(
      Flag.withDescription("The account that gets it; for an amount also a counter-account")
    ),
    from: Flag.String("from").pipe(
      Flag.withDescription(`For an amount: where it comes from: ${houses.join(", ")}, or an account`),
      Flag.optional
    ),
    key: Flag.String("key").pipe(
      Flag.withDescription(
        "For an amount: its name; it happens once per name, however often you run the command"
      ),
      Flag.optional
    ),
    reference: Flag.String("reference").pipe(
      Flag.withDescription("For an amount: what it belongs to, such as a payment (default: the key)"),
      Flag.optional
    ),
    ...by
  },
  Effect.fnUntraced(function* ({ from, key, reference, to, what, yes, ...who }) {
    yield* requireName(who.by)
    const target = yield* placeOf("--to", to)
    const amount = parse(what)
    if (amount === 0n) return yield* new UsageError({ message: "the amount must be above 0" })
    const proposed =
      amount === undefined
        ? Effect.gen(function* () {
            if ("house" in target)
              return yield* new UsageError({ message: "--to must be an account (acc_...)" })
            return yield* (yield* Bookkeeping).credit(what, target.account, named(who))
          })
        : Effect.gen(function* () {
            const source = yield* placeOf("--from", yield* required("--from", from))
            const once = yield* required("--key", key)
            return yield* (yield* Bookkeeping).correct(amount, source, target, {
              ...named(who),
              key: once,
              reference: Option.getOrElse(reference, () => once)
            })
          })
    yield* operate(withBooks(Effect.flatMap(proposed, (proposal) => confirmed(proposal, yes))))
  })
).pipe(
  Command.withDescription(
    "Credit what arrived for a held order or by an unmatched transfer, or move an amount in the books"
  )
)

const dayOf = (flag: string, text: string) => {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return Number.isNaN(ms)
    ? Effect.fail(new UsageError({ message: `${flag}: "${text}" is not a day (expected e.g. 2026-09-05)` }))
    : Effect.succeed(ms)
}

const rangeOf = Effect.fnUntraced(function* (from: Option.Option<string>, to: Option.Option<string>) {
  const now = yield* Clock.currentTimeMillis
  const first = Option.isSome(from) ? yield* dayOf("--from", from.value) : now - (now % dayMs) - dayMs
  const last = Option.isSome(to) ? yield* dayOf("--to", to.value) : first
  if (last < first) return yield* new UsageError({ message: "--to must not be before --from" })
  return { from: first, to: last + dayMs }
})

const printed = ({ balances, differences, from, sides, to, ...sums }: Report): ReadonlyArray<string> => [
  `${from === to ? from : `${from} to ${to}`} (UTC)`,
  ...sides.flatMap(
    ({ books_usd, differences, fees_usd, n_compared, name, other_usd, skipped, theirs_usd }) => [
      skipped === undefined
        ? `${name}: the books have ${books_usd} USD, ${name === "card" ? "Stripe" : "the chain"} has ${theirs_usd} USD in these days; ${n_compared} compared` +
          (fees_usd === undefined ? "" : `; fees ${fees_usd}`)
        : `${name}: not compared, ${skipped}`,
      ...Object.entries(other_usd ?? {}).map(([kind, amount]) => `  ${kind}: ${amount} USD`),
      ...differences.map((difference) => `  DIFFERS  ${difference}`)
    ]
  ),
  `in suspense: ${sums.suspense_usd} USD (held ${sums.held_usd}, unmatched ${sums.unmatched_usd}); owed by accounts: ${sums.owed_usd} USD`,
  ...(sums.warranty_paid_usd === "0.00" && sums.warranty_open_usd === "0.00"
    ? []
    : [
        `paid back by warranties: ${sums.warranty_paid_usd} USD; not paid yet: ${sums.warranty_open_usd} USD`
      ]),
  ...differences.map((difference) => `DIFFERS  ${difference}`),
  verdict(balances, sides)
]

/** In words, never more than what was compared. */
const verdict = (balances: boolean, sides: Report["sides"]): string => {
  if (!balances) return "the books do not balance"
  const compared = sides.filter(isCompared).map(({ name }) => name)
  return compared.length === 0
    ? "nothing was compared, so this says nothing of the books"
    : compared.length === sides.length
      ? "the books balance"
      : `the books balance with what was compared: ${compared.join(", ")}`
}

const isCompared = ({ skipped }: Report["sides"][number]): boolean => skipped === undefined

const report = Command.make(
  "report",
  {
    from: Flag.String("from").pipe(Flag.withDescription("First UTC day (default: yesterday)"), Flag.optional),
    to: Flag.String("to").pipe(Flag.withDescription("Last UTC day (default: the first)"), Flag.optional),
    json: asJson
  },
  Effect.fnUntraced(function* ({ from, json, to }) {
    const range = yield* rangeOf(from, to)
    yield* operate(
      withBooks(
        Effect.gen(function* () {
          const statement = yield* reportOn(range).pipe(
            Effect.catchTags({
              CardsUnreachable: () => unreachable("Stripe does not answer"),
              ChainUnreachable: ({ message }) => unreachable(message)
            })
          )
          for (const line of json ? [JSON.stringify(statement)] : printed(statement)) yield* Console.log(line)
          if (!statement.balances) return yield* new NotPassed({ code: 1 })
          if (!statement.sides.some(isCompared)) return yield* new NotPassed({ code: 2 })
        })
      )
    )
  })
).pipe(
  Command.withDescription(
    "Compare the books with Stripe's balance and the chain's transfers. Exits with 0 if they balance, 1 if not, 2 if a source does not answer or nothing was compared"
  )
)

export const money = Command.make("money").pipe(
  Command.withDescription("Settle what is held, unmatched or owed, and check that the books balance"),
  Command.withSubcommands([onHold, unmatched, refund, adjust, warranty, report])
)
