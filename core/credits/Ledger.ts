/**
 * The ledger: double entry in integer micro-dollars, append-only (a trigger rejects everything but inserts). Each posting
 * has a cause, a reference, and a key that makes it happen only once. An account's balance is a column with
 * `check (balance >= 0)`, updated in the transaction of its entries, so a race ends in an error, never in a debt.
 */
import { Array as Arr, BigInt as BigInts, Clock, Context, Effect, Layer, Metric, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { rowsOf } from "../sql/rows.ts"
import { format, type Micros } from "./Money.ts"

const lockedRows = rowsOf({ balance: Schema.BigInt, owed: Schema.BigInt })
const postingRows = rowsOf({ id: Schema.BigInt })
const checkRows = rowsOf({
  postings: Schema.Finite,
  entries: Schema.Finite,
  accounts: Schema.Finite,
  sum: Schema.String,
  unbalanced: Schema.NullOr(Schema.Array(Schema.String)),
  wrong: Schema.NullOr(Schema.Array(Schema.String)),
  strangers: Schema.NullOr(Schema.Array(Schema.String))
})

/** Why money moved. */
export type Cause =
  | "starter_grant"
  | "operator_grant"
  | "operator_credit"
  | "operator_debit"
  | "purchase"
  | "card_payment"
  | "subscription_payment"
  | "card_refund"
  | "card_refund_failed"
  | "card_dispute"
  | "card_dispute_won"
  | "stablecoin_transfer"
  | "card_held"
  | "card_held_settled"
  | "transfer_unmatched"
  | "transfer_unmatched_settled"
  | "operator_correction"
  | "x402_payment"
  | "x402_reorganised"
  | "warranty"

/** The counter-accounts. Their balances are sums of entries and may have any sign. */
export type House = (typeof houses)[number]

/** `suspense` is money that arrived and belongs to nobody yet: held card orders and unmatched transfers. */
export const houses = ["grants", "operator", "sales", "card", "stablecoin", "x402", "suspense"] as const

/** A key's credits, and what it owes after a refund or dispute took back more than the balance. */
type Customer = `credits:${string}` | `owed:${string}`

export interface Entry {
  readonly account: Customer | House
  readonly amount: Micros
}

export interface Draft {
  readonly cause: Cause
  /** What it refers to: a purchase, a payment, a transfer. */
  readonly reference: string
  /** A posting with the same key happens only once. */
  readonly key: string
  readonly note?: string
  /** Who made it by hand. */
  readonly operator?: string
}

/** The account after a posting. `posted` is false if an earlier posting had this key, so nothing moved now. */
export interface Posted {
  readonly posted: boolean
  readonly balance: Micros
  readonly owed: Micros
}

/** An account that the transaction in hand has locked, and what it holds. */
export interface LockedAccount {
  readonly account: string
  readonly balance: Micros
  readonly owed: Micros
}

/** The account has less than the amount to debit; nothing moved. */
export class BalanceShort extends Schema.TaggedError<BalanceShort>()("BalanceShort", {
  message: Schema.String,
  balance: Schema.BigInt,
  owed: Schema.BigInt
}) {}

/** The result of `check`. `ok` means that every list is empty and the sum is zero. */
export interface Report {
  readonly ok: boolean
  readonly postings: number
  readonly entries: number
  readonly accounts: number
  readonly sum_usd: string
  readonly problems: ReadonlyArray<string>
}

const postings = Metric.counter("plumbline_ledger_postings_total", {
  description: "Postings of this process, by cause",
  incremental: true
})
const movedUsd = Metric.counter("plumbline_ledger_usd_total", {
  description: "Dollars that the postings of this process moved, by cause",
  incremental: true
})

const counted = (cause: string, moved: Micros) =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(postings, { cause }), 1),
    Metric.update(Metric.withAttributes(movedUsd, { cause }), Number(moved) / 1e6)
  )

export class Ledger extends Context.Service<
  Ledger,
  {
    /** Credits an account. Pays off what it owes first; the rest goes to the balance. */
    readonly credit: (
      account: string,
      amount: Micros,
      from: House,
      draft: Draft
    ) => Effect.Effect<Posted, SqlError>
    /** Debits the full amount or fails. An account that owes has no balance, so it always fails. */
    readonly debit: (
      account: string,
      amount: Micros,
      to: House,
      draft: Draft
    ) => Effect.Effect<Posted, BalanceShort | SqlError>
    /** Locks an account until the end of the transaction in hand. */
    readonly lock: (account: string) => Effect.Effect<LockedAccount, SqlError>
    /** Debits an account that the transaction in hand has locked, under a key that no posting has yet. */
    readonly debitLocked: (
      locked: LockedAccount,
      amount: Micros,
      to: House,
      draft: Draft
    ) => Effect.Effect<Posted, BalanceShort | SqlError>
    /** Takes back a refunded or disputed amount, first from the balance; the rest is owed. */
    readonly clawback: (
      account: string,
      amount: Micros,
      to: House,
      draft: Draft
    ) => Effect.Effect<Posted, SqlError>
    /** Moves money between two counter-accounts, for example for a sale without an account. */
    readonly between: (
      from: House,
      to: House,
      amount: Micros,
      draft: Draft
    ) => Effect.Effect<boolean, SqlError>
    /** Checks, in one consistent snapshot, that every balance is the sum of its entries and that all entries sum to zero. */
    readonly check: Effect.Effect<Report, SqlError>
  }
>()("core/credits/Ledger") {
  static readonly layer = Layer.effect(
    Ledger,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      /** Every path locks the account before it claims a posting key; a different order could deadlock. */
      const lock = Effect.fnUntraced(function* (account: string) {
        const [row] = yield* sql`
          select balance, owed from account where id = ${account} for update`.pipe(lockedRows)
        if (row === undefined) return yield* Effect.die(new Error(`no account ${account}`))
        return { account, ...row }
      })

      const write = Effect.fnUntraced(function* (draft: Draft, entries: ReadonlyArray<Entry>) {
        const [posting] = yield* sql`
          insert into posting (key, cause, reference, note, operator, posted_at)
          values (${draft.key}, ${draft.cause}, ${draft.reference}, ${draft.note ?? null},
            ${draft.operator ?? null}, ${new Date(yield* Clock.currentTimeMillis)})
          on conflict (key) do nothing returning id`.pipe(postingRows)
        if (posting === undefined) return false
        const rows = entries
          .filter(({ amount }) => amount !== 0n)
          .map(({ account, amount }) => ({ posting: posting.id, account, amount }))
        if (!Arr.isArrayNonEmpty(rows))
          return yield* Effect.die(new Error(`posting ${draft.key} moves nothing`))
        yield* sql`insert into ledger_entry ${sql.insert(rows)}`
        const moved = rows.reduce((sum, { amount }) => (amount > 0n ? sum + amount : sum), 0n)
        yield* sql.afterCommit(counted(draft.cause, moved))
        return true
      })

      type Split = (
        now: LockedAccount
      ) => Effect.Effect<{ readonly balance: Micros; readonly owed: Micros }, BalanceShort>

      const move = Effect.fnUntraced(function* (account: string, draft: Draft, house: House, split: Split) {
        const now = yield* lock(account)
        // Checked first: a repeated posting must not fail because of the balance it already took.
        const [earlier] = yield* sql`select 1 as one from posting where key = ${draft.key}`
        if (earlier !== undefined) return { posted: false, balance: now.balance, owed: now.owed }
        return yield* moveLocked(now, draft, house, split)
      }, sql.withTransaction)

      const moveLocked = Effect.fnUntraced(function* (
        now: LockedAccount,
        draft: Draft,
        house: House,
        split: Split
      ) {
        const { account } = now
        const change = yield* split(now)
        const written = yield* write(draft, [
          { account: `credits:${account}`, amount: change.balance },
          // Debt is an asset of ours, so its sign is the opposite of the account's own money.
          { account: `owed:${account}`, amount: -change.owed },
          { account: house, amount: change.owed - change.balance }
        ])
        if (!written) return { posted: false, balance: now.balance, owed: now.owed }
        yield* sql`
          update account set balance = balance + ${change.balance}, owed = owed + ${change.owed}
          where id = ${account}`
        return { posted: true, balance: now.balance + change.balance, owed: now.owed + change.owed }
      })

      const inFull =
        (amount: Micros): Split =>
        ({ balance, owed }) =>
          balance < amount
            ? Effect.fail(
                new BalanceShort({
                  message: `${format(amount)} asked, ${format(balance)} there`,
                  balance,
                  owed
                })
              )
            : Effect.succeed({ balance: -amount, owed: 0n })

      const positive = (amount: Micros) =>
        amount > 0n
          ? Effect.void
          : Effect.die(new Error(`cannot move ${format(amount)}: the amount must be positive`))

      return Ledger.of({
        credit: Effect.fn("Ledger.credit")(function* (account, amount, from, draft) {
          yield* positive(amount)
          return yield* move(account, draft, from, ({ owed }) => {
            const settled = BigInts.min(owed, amount)
            return Effect.succeed({ balance: amount - settled, owed: -settled })
          }).pipe(Effect.catchTag("BalanceShort", Effect.die))
        }),

        debit: Effect.fn("Ledger.debit")(function* (account, amount, to, draft) {
          yield* positive(amount)
          return yield* move(account, draft, to, inFull(amount))
        }),

        lock,

        debitLocked: Effect.fn("Ledger.debitLocked")(function* (locked, amount, to, draft) {
          yield* positive(amount)
          return yield* moveLocked(locked, draft, to, inFull(amount))
        }),

        clawback: Effect.fn("Ledger.clawback")(function* (account, amount, to, draft) {
          yield* positive(amount)
          return yield* move(account, draft, to, ({ balance }) => {
            const fromBalance = BigInts.min(balance, amount)
            return Effect.succeed({ balance: -fromBalance, owed: amount - fromBalance })
          }).pipe(Effect.catchTag("BalanceShort", Effect.die))
        }),

        between: Effect.fn("Ledger.between")(function* (from, to, amount, draft) {
          yield* positive(amount)
          return yield* sql.withTransaction(
            write(draft, [
              { account: from, amount: -amount },
              { account: to, amount }
            ])
          )
        }),

        check: Effect.gen(function* () {
          // A single statement sees one snapshot even while others write.
          const [totals] = yield* sql`
            with sums as (select account, sum(amount) as amount from ledger_entry group by account),
            unbalanced as (
              select p.id from posting p left join ledger_entry e on e.posting = p.id
              group by p.id having count(e.amount) < 2 or sum(e.amount) <> 0 limit 100
            ),
            wrong as (
              select a.id from account a
              left join sums c on c.account = 'credits:' || a.id
              left join sums o on o.account = 'owed:' || a.id
              where a.balance <> coalesce(c.amount, 0) or a.owed <> -coalesce(o.amount, 0) or a.balance < 0 or a.owed < 0
              limit 100
            ),
            strangers as (
              select s.account from sums s
              where (s.account like 'credits:%' or s.account like 'owed:%')
              and not exists (select 1 from account a where a.id = substr(s.account, strpos(s.account, ':') + 1))
              limit 100
            )
            select (select count(*) from posting)::int as postings,
              (select count(*) from ledger_entry)::int as entries,
              (select count(*) from account)::int as accounts,
              coalesce((select sum(amount) from sums), 0)::text as sum,
              (select json_agg(id::text) from unbalanced) as unbalanced,
              (select json_agg(id) from wrong) as wrong,
              (select json_agg(account) from strangers) as strangers`.pipe(checkRows)
          if (totals === undefined) return yield* Effect.die(new Error("the ledger check returned no row"))
          const sum = BigInt(totals.sum)
          const problems = [
            ...(sum === 0n ? [] : [`all entries sum to ${format(sum)}, not to zero`]),
            ...(totals.unbalanced ?? []).map((id) => `posting ${id} does not sum to zero`),
            ...(totals.wrong ?? []).map((id) => `account ${id}: balance is not the sum of its entries`),
            ...(totals.strangers ?? []).map((account) => `entries for ${account}, which does not exist`)
          ]
          return {
            ok: problems.length === 0,
            postings: totals.postings,
            entries: totals.entries,
            accounts: totals.accounts,
            sum_usd: format(sum),
            problems
          }
        }).pipe(Effect.withSpan("Ledger.check"))
      })
    })
  )
}
