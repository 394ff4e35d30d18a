/**
 * What operators settle by hand: held card orders, unmatched transfers, corrections. Each is proposed first, and acts only
 * when it is told to. Each has a name that it happens under once, and its postings name who did it and why.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { program } from "../../process/program.ts"
import { providing } from "../../process/providing.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Accounts } from "../Accounts.ts"
import { CardProcessor, type CardsUnreachable } from "../card/CardProcessor.ts"
import { Chain, type ChainUnreachable } from "../chain/Chain.ts"
import { type BalanceShort, type House, Ledger } from "../Ledger.ts"
import { format, type Micros } from "../Money.ts"
import { findHeld, findTransfer, type HeldOrder, type OpenTransfer } from "./open.ts"
import { bookHeld, bookUnmatched, transferName } from "./suspense.ts"

/** It cannot be settled as asked. The message says why, and what to do. */
export class NotSettled extends Schema.TaggedError<NotSettled>()("NotSettled", { message: Schema.String }) {}

export interface By {
  /** Who does it. */
  readonly operator: string
  readonly reason: string
}

type Failure = BalanceShort | CardsUnreachable | ChainUnreachable | NotSettled | SqlError

/** What would be done. `act` does it and says what it did; the same again changes nothing. */
export interface Proposal {
  readonly says: string
  readonly act: Effect.Effect<string, Failure>
}

export interface RefundOptions {
  readonly transaction?: string | undefined
  readonly amount?: Micros | undefined
}

/** Who corrects, under which name it happens once, and what it refers to. */
export interface Correction extends By {
  readonly key: string
  readonly reference: string
}

/** Where a correction takes money from, or puts it. */
export type Place = { readonly house: House } | { readonly account: string }

const settledRows = rowsOf({ kind: Schema.String, operator: Schema.String, settled_at: Schema.Date })
const paidRows = rowsOf({
  session: Schema.NullOr(Schema.String),
  state: Schema.String,
  amount: Schema.BigInt
})
/** Stripe moves whole cents. */
const cent: Micros = 10_000n

const noteRows = rowsOf({ outside: Schema.NullOr(Schema.String) })

export class Bookkeeping extends Context.Service<
  Bookkeeping,
  {
    /**
     * Refunds an order (`ord_…`) through Stripe, or records the refund of an unmatched transfer (`<tx>:<log index>`), which
     * the operator has sent: `transaction` names it. With `amount`, a paid order is refunded in part, once for each amount.
     */
    readonly refund: (
      what: string,
      by: By,
      options?: RefundOptions
    ) => Effect.Effect<Proposal, CardsUnreachable | ChainUnreachable | NotSettled | SqlError>
    /** Credits what arrived for a held order or by an unmatched transfer to an account. */
    readonly credit: (what: string, account: string, by: By) => Effect.Effect<Proposal, NotSettled | SqlError>
    /** Moves an amount between an account and a counter-account, or between two of those. */
    readonly correct: (
      amount: Micros,
      from: Place,
      to: Place,
      correction: Correction
    ) => Effect.Effect<Proposal, NotSettled | SqlError>
  }
>()("core/credits/books/Bookkeeping") {
  static readonly layer = Layer.effect(
    Bookkeeping,
    Effect.gen(function* () {
      const provided = yield* providing(SqlClient.SqlClient, Accounts, CardProcessor, Chain, Ledger)
      return Bookkeeping.of({
        refund: provided(refund),
        credit: provided(credit),
        correct: provided(correct)
      })
    })
  )
}

const refund = Effect.fn("Bookkeeping.refund")(function* (
  what: string,
  by: By,
  { amount, transaction }: RefundOptions = {}
) {
  const sql = yield* SqlClient.SqlClient
  yield* requireOpen(what)
  const transfer = yield* findTransfer(sql, what)
  const order = transfer === undefined ? yield* findHeld(sql, what) : undefined
  if (transfer === undefined && order === undefined) return yield* refundPaid(what, by, amount)
  if (amount !== undefined) {
    return yield* fail(`${what} is held or unmatched: it is refunded in full, without --amount.`)
  }
  if (transfer !== undefined) return yield* refundTransfer(transfer, by, transaction)
  return order === undefined ? yield* fail(`no order ${what}`) : yield* refundHeld(order, by)
})

const refundHeld = Effect.fnUntraced(function* (order: HeldOrder, by: By) {
  const sql = yield* SqlClient.SqlClient
  const ledger = yield* Ledger
  const processor = yield* CardProcessor
  if (processor === null)
    return yield* fail("Stripe is not configured (STRIPE_SECRET_KEY), so nothing can be refunded.")
  const payment =
    order.payment ?? (order.session === null ? undefined : yield* processor.paymentOf(order.session))
  if (payment === undefined) {
    return yield* fail(
      `The checkout of ${order.id} has no single payment (${order.note}). Cancel and refund it in Stripe's dashboard.`
    )
  }
  const { received } = order
  return {
    says: `refund ${payment} in full through Stripe, for the held order ${order.id} (${order.note})`,
    act: Effect.gen(function* () {
      const refund = yield* processor.refund(payment, order.id)
      const post =
        received === null || received === 0n
          ? Effect.void
          : Effect.andThen(
              bookHeld(ledger, order.id, received),
              ledger.between("suspense", "card", received, {
                cause: "card_held_settled",
                reference: order.id,
                key: `card_held_settled:${order.id}`,
                note: by.reason,
                operator: by.operator
              })
            )
      return outcomeOf(yield* settle(sql, order.id, "refund", by, refund, post), `refunded: ${refund}`)
    })
  } satisfies Proposal
})

/** A paid order: Stripe's event takes the credits back, as for every refund. */
const refundPaid = Effect.fnUntraced(function* (id: string, by: By, part: Micros | undefined) {
  const sql = yield* SqlClient.SqlClient
  const processor = yield* CardProcessor
  const [order] = yield* sql`
    select session, state, amount from card_order where id = ${id}`.pipe(paidRows)
  if (order === undefined) return yield* fail(`no order ${id}`)
  if (order.state !== "paid" || order.session === null)
    return yield* fail(`${id} is ${order.state}: there is nothing to refund.`)
  if (processor === null)
    return yield* fail("Stripe is not configured (STRIPE_SECRET_KEY), so nothing can be refunded.")
  const payment = yield* processor.paymentOf(order.session)
  if (payment === undefined) {
    return yield* fail(`${id} began a subscription: refund its invoices in Stripe's dashboard.`)
  }
  if (part !== undefined && (part >= order.amount || part % cent !== 0n)) {
    return yield* fail(
      `--amount must be whole cents and less than the ${format(order.amount)} USD of ${id}. Without it, what is left is refunded.`
    )
  }
  const subject = part === undefined ? id : `${id}:${format(part)}`
  yield* requireOpen(subject)
  const what = part === undefined ? "what is left" : `${format(part)} USD`
  return {
    says: `refund ${what} of ${payment} (${format(order.amount)} USD) through Stripe; the credits are taken back when Stripe reports it`,
    act: Effect.gen(function* () {
      const refund = yield* processor.refund(payment, subject, part)
      return outcomeOf(yield* settle(sql, subject, "refund", by, refund, Effect.void), `refunded: ${refund}`)
    })
  } satisfies Proposal
})

const refundTransfer = Effect.fnUntraced(function* (
  transfer: OpenTransfer,
  by: By,
  transaction: string | undefined
) {
  const sql = yield* SqlClient.SqlClient
  const ledger = yield* Ledger
  const chain = yield* Chain
  const name = transferName(transfer)
  const back = `${format(transfer.units)} USDC to ${transfer.sender}`
  if (transaction === undefined) {
    return yield* fail(
      `This service has no key to the deposit address. Send ${back} from your wallet, wait until it is final, and name the transaction: --transaction 0x…`
    )
  }
  if (chain === null) return yield* fail("No chain is configured (EVM_RPC_URL, DEPOSIT_ADDRESS).")
  if (!/^0x[0-9a-f]{64}$/.test(transaction))
    return yield* fail(`${transaction} is not the hash of a transaction.`)
  const finalized = yield* chain.finalTransaction(transaction)
  const match = finalized?.transfers.find(
    ({ to, units }) => to === transfer.sender && units === transfer.units
  )
  if (match === undefined) return yield* fail(`${transaction} is not a final transaction that sends ${back}.`)
  const used = yield* sql`
    select outside from operator_settlement where outside = ${transaction} limit 1`.pipe(noteRows)
  if (used.length > 0) return yield* fail(`${transaction} already settled another transfer.`)
  return {
    says: `record that ${transaction} sent ${back} back, for the unmatched transfer ${name}`,
    act: Effect.gen(function* () {
      const post = Effect.andThen(
        bookUnmatched(ledger, transfer),
        ledger.between("suspense", "stablecoin", transfer.units, {
          cause: "transfer_unmatched_settled",
          reference: transaction,
          key: `transfer_unmatched_settled:${name}`,
          note: by.reason,
          operator: by.operator
        })
      )
      return outcomeOf(
        yield* settle(sql, name, "refund", by, transaction, post),
        `recorded: ${back} was sent back`
      )
    })
  } satisfies Proposal
})

const credit = Effect.fn("Bookkeeping.credit")(function* (what: string, account: string, by: By) {
  const sql = yield* SqlClient.SqlClient
  const ledger = yield* Ledger
  yield* requireOpen(what)
  yield* requireAccount(account)
  const transfer = yield* findTransfer(sql, what)
  const order = transfer === undefined ? yield* findHeld(sql, what) : undefined
  const amount = transfer?.units ?? order?.received ?? undefined
  if (amount === undefined || amount === 0n) {
    return yield* fail(
      order === undefined
        ? `${what} is neither a held order nor an unmatched transfer; see ${program} money held and unmatched`
        : `What arrived for ${what} is not known in USD (${order.note}). Refund it instead.`
    )
  }
  const post = Effect.andThen(
    transfer === undefined ? bookHeld(ledger, what, amount) : bookUnmatched(ledger, transfer),
    ledger.credit(account, amount, "suspense", {
      cause: "operator_credit",
      reference: what,
      key: `operator_credit:${what}`,
      note: by.reason,
      operator: by.operator
    })
  )
  return {
    says: `credit ${format(amount)} USD, which arrived as ${what}, to ${account}`,
    act: Effect.map(settle(sql, what, "credit", by, null, post), (done) =>
      outcomeOf(done, `credited: ${format(amount)} USD to ${account}`)
    )
  }
})

const correct = Effect.fn("Bookkeeping.correct")(function* (
  amount: Micros,
  from: Place,
  to: Place,
  { key, operator, reason, reference }: Correction
) {
  const ledger = yield* Ledger
  const draft = {
    reference,
    key: `operator_correction:${key}`,
    note: reason,
    operator
  }
  const post = yield* Effect.gen(function* () {
    if ("account" in from && "account" in to) {
      return yield* fail("credits are not transferable: one side must be a counter-account")
    }
    if ("account" in to && "house" in from) {
      const { id } = yield* requireAccount(to.account)
      return Effect.map(
        ledger.credit(id, amount, from.house, { ...draft, cause: "operator_credit" }),
        ({ posted }) => posted
      )
    }
    if ("account" in from && "house" in to) {
      const { id } = yield* requireAccount(from.account)
      return Effect.map(
        ledger.debit(id, amount, to.house, { ...draft, cause: "operator_debit" }),
        ({ posted }) => posted
      )
    }
    return "house" in from && "house" in to
      ? ledger.between(from.house, to.house, amount, { ...draft, cause: "operator_correction" })
      : yield* fail("name where the money comes from and where it goes")
  })
  const name = (place: Place) => ("house" in place ? place.house : place.account)
  const says = `move ${format(amount)} USD from ${name(from)} to ${name(to)} (${reason})`
  return {
    says,
    act: Effect.map(post, (posted) =>
      posted ? `done: ${says}` : "already done under this key; nothing changed"
    )
  }
})

/** Fails with how it was settled, if it was. */
const requireOpen = Effect.fnUntraced(function* (subject: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select kind, operator, settled_at from operator_settlement where subject = ${subject}`.pipe(settledRows)
  if (row === undefined) return
  return yield* fail(
    `${subject} was settled by ${row.operator} on ${row.settled_at.toISOString()} (${row.kind}). Nothing was done.`
  )
})

const requireAccount = Effect.fnUntraced(function* (id: string) {
  const accounts = yield* Accounts
  const account = yield* accounts.find(id)
  return account ?? (yield* fail(`unknown account ${id}; GET /v1/credits/balance shows the account of a key`))
})

/** Settles a subject once, with its postings; false if it was settled in the meantime. */
const settle = Effect.fnUntraced(function* <E>(
  sql: SqlClient.SqlClient,
  subject: string,
  kind: "refund" | "credit",
  { operator, reason }: By,
  outside: string | null,
  post: Effect.Effect<unknown, E>
) {
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      const claimed = yield* sql`
        insert into operator_settlement (subject, kind, operator, reason, outside, settled_at)
        values (${subject}, ${kind}, ${operator}, ${reason}, ${outside},
          ${new Date(yield* Clock.currentTimeMillis)})
        on conflict do nothing returning subject`
      if (claimed.length === 0) return false
      yield* post
      return true
    })
  )
})

const outcomeOf = (done: boolean, text: string) => (done ? text : "already settled; nothing changed")

const fail = (message: string) => Effect.fail(new NotSettled({ message }))
