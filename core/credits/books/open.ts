/** What waits for an operator: held card orders, unmatched transfers, debts, accounts with two subscriptions. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { program } from "../../process/program.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { Debt } from "../../wire/credits/statement.ts"
import { format } from "../Money.ts"
import { debtOf } from "../movements.ts"
import { transferName, type Unmatched } from "./suspense.ts"

const HeldRow = {
  id: Schema.String,
  kind: Schema.String,
  sku: Schema.String,
  amount: Schema.BigInt,
  account: Schema.NullOr(Schema.String),
  session: Schema.NullOr(Schema.String),
  payment: Schema.NullOr(Schema.String),
  received: Schema.NullOr(Schema.BigInt),
  note: Schema.NullOr(Schema.String),
  created_at: Schema.Date
}
const heldRows = rowsOf(HeldRow)
export type HeldOrder = Schema.Struct.Type<typeof HeldRow>

const TransferRow = {
  chain: Schema.BigInt,
  token: Schema.String,
  tx: Schema.String,
  log_index: Schema.Finite,
  sender: Schema.String,
  units: Schema.BigInt,
  block_time: Schema.Date,
  reason: Schema.NullOr(Schema.String),
  account: Schema.NullOr(Schema.String)
}
const transferRows = rowsOf(TransferRow)

export interface OpenTransfer extends Unmatched {
  readonly sender: string
  readonly time: Date
  readonly reason: string | null
  readonly account: string | null
}

const owingRows = rowsOf({ id: Schema.String, owed: Schema.BigInt })
const doubledRows = rowsOf({ account: Schema.String, subscriptions: Schema.Array(Schema.String) })

const heldOrders = (sql: SqlClient, id?: string) =>
  sql`
    select id, kind, sku, amount, account, session, payment, received, note, created_at from card_order o
    where state = 'held' and not exists (select 1 from operator_settlement s where s.subject = o.id)
      ${id === undefined ? sql`` : sql`and id = ${id}`}
    order by created_at, id limit 1000`.pipe(heldRows)

const openTransfers = (sql: SqlClient, one?: { readonly tx: string; readonly logIndex: number }) =>
  Effect.map(
    sql`
      select chain, token, tx, log_index, sender, units::bigint as units, block_time, reason, account
      from chain_transfer t
      where state = 'unmatched' and units > 0
        and not exists (select 1 from operator_settlement s where s.subject = t.tx || ':' || t.log_index)
        ${one === undefined ? sql`` : sql`and tx = ${one.tx} and log_index = ${one.logIndex}`}
      order by block, log_index limit 1000`.pipe(transferRows),
    (rows): ReadonlyArray<OpenTransfer> =>
      rows.map(({ block_time, log_index, ...rest }) => ({ ...rest, logIndex: log_index, time: block_time }))
  )

/** A held order that nobody settled; undefined if there is none with this id. */
export const findHeld = (sql: SqlClient, id: string) => Effect.map(heldOrders(sql, id), ([order]) => order)

/** An unmatched transfer that nobody settled, by its name. */
export const findTransfer = (sql: SqlClient, name: string) => {
  const [, tx, logIndex] = /^(0x[0-9a-f]{64}):(\d{1,9})$/.exec(name) ?? []
  return tx === undefined
    ? Effect.succeed(undefined)
    : Effect.map(openTransfers(sql, { tx, logIndex: Number(logIndex) }), ([transfer]) => transfer)
}

export interface OpenItems {
  readonly orders: ReadonlyArray<{
    readonly order: string
    readonly sku: string
    readonly ordered_usd: string
    readonly received_usd: string | null
    readonly note: string
    readonly payment: string | null
    readonly account: string | null
    readonly since: string
    readonly settle: ReadonlyArray<string>
  }>
  readonly debts: ReadonlyArray<{
    readonly account: string
    readonly owed_usd: string
    readonly because: (typeof Debt.Type)["because"]
    readonly settle: ReadonlyArray<string>
  }>
  /** Accounts that pay for two subscriptions. */
  readonly doubled: ReadonlyArray<{
    readonly account: string
    readonly subscriptions: ReadonlyArray<string>
    readonly settle: ReadonlyArray<string>
  }>
}

const signed = '--by <you> --reason "<why>" --yes'

/** Held orders and debts, each with the commands that settle it. */
export const openItems = Effect.fnUntraced(function* (sql: SqlClient) {
  const orders = yield* heldOrders(sql)
  const owing = yield* sql`select id, owed from account where owed > 0 order by id limit 1000`.pipe(owingRows)
  const doubled = yield* sql`
    select account, array_agg(id order by id) as subscriptions from subscription
    where state <> 'ended' and account is not null group by account having count(*) > 1
    order by account limit 1000`.pipe(doubledRows)
  const debts = yield* Effect.forEach(owing, (account) =>
    Effect.map(debtOf(sql, account), (debt) => ({
      account: account.id,
      owed_usd: format(account.owed),
      because: debt?.because ?? [],
      settle: [
        `${program} money adjust ${format(account.owed)} --from operator --to ${account.id} --key <a name for it> ${signed}`
      ]
    }))
  )
  return {
    orders: orders.map((order) => ({
      order: order.id,
      sku: order.sku,
      ordered_usd: format(order.amount),
      received_usd: order.received === null ? null : format(order.received),
      note: order.note ?? "",
      payment: order.payment,
      account: order.account,
      since: order.created_at.toISOString(),
      settle: [
        `${program} money refund ${order.id} ${signed}`,
        ...(order.received === null
          ? []
          : [`${program} money adjust ${order.id} --to ${order.account ?? "<account>"} ${signed}`])
      ]
    })),
    debts,
    doubled: doubled.map(({ account, subscriptions }) => ({
      account,
      subscriptions,
      settle: ["cancel and refund one of them in Stripe's dashboard"]
    }))
  } satisfies OpenItems
})

/** Unmatched transfers, each with the commands that settle it. */
export const unmatched = (sql: SqlClient) =>
  Effect.map(openTransfers(sql), (transfers) =>
    transfers.map((transfer) => ({
      transfer: transferName(transfer),
      chain: Number(transfer.chain),
      amount_usdc: format(transfer.units),
      sender: transfer.sender,
      time: transfer.time.toISOString(),
      reason: transfer.reason ?? "",
      account: transfer.account,
      settle: [
        `${program} money adjust ${transferName(transfer)} --to ${transfer.account ?? "<account>"} ${signed}`,
        `${program} money refund ${transferName(transfer)} --transaction <your transfer back> ${signed}`
      ]
    }))
  )
