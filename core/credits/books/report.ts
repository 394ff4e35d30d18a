/**
 * Compares the books of some UTC days with the figures of Stripe and of the chain, line by line. Webhooks may arrive days
 * after what they tell, so a payment is compared by everything that both sides have of it, not by the clock. Every
 * difference is named.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { day as dayMs } from "../../plugin/time.ts"
import { program } from "../../process/program.ts"
import { rowsOf } from "../../sql/rows.ts"
import { type BalanceLine, CardProcessor } from "../card/CardProcessor.ts"
import { type Chain, Chain as Deposits, SalesChain } from "../chain/Chain.ts"
import { Ledger } from "../Ledger.ts"
import { format, type Micros } from "../Money.ts"
import { chainLines, type Range } from "./chainLines.ts"
import type { Side } from "./Side.ts"

export interface Report {
  readonly from: string
  readonly to: string
  readonly balances: boolean
  readonly sides: ReadonlyArray<Side>
  readonly suspense_usd: string
  readonly held_usd: string
  readonly unmatched_usd: string
  readonly owed_usd: string
  /** What warranties paid back in these days, and what they owe now: due, stopped by a ceiling, or on its way. */
  readonly warranty_paid_usd: string
  readonly warranty_open_usd: string
  readonly differences: ReadonlyArray<string>
}

/** Stripe redelivers an event for up to three days; one more for the clocks. */
const lateMs = 4 * dayMs

const bookedRows = rowsOf({
  payment: Schema.String,
  amount: Schema.BigInt,
  at: Schema.Date,
  what: Schema.String
})
const transferRows = rowsOf({
  name: Schema.String,
  state: Schema.String,
  units: Schema.BigInt,
  booked: Schema.BigInt,
  time: Schema.Date
})
const refundRows = rowsOf({
  name: Schema.String,
  outside: Schema.String,
  units: Schema.BigInt,
  at: Schema.Date
})
const saleRows = rowsOf({ id: Schema.String, tx: Schema.String, amount: Schema.BigInt, at: Schema.Date })
const sumRows = rowsOf({
  suspense: Schema.BigInt,
  held: Schema.BigInt,
  unmatched: Schema.BigInt,
  owed: Schema.BigInt
})

const sumOf = <A>(lines: ReadonlyArray<A>, amount: (line: A) => Micros): Micros =>
  lines.reduce((sum, line) => sum + amount(line), 0n)

const within = ({ from, to }: Range, at: Date): boolean => at.getTime() >= from && at.getTime() < to

const usdOf = (amount: Micros): string => `${format(amount)} USD`

/** What the books have of card payments since a time, by payment. */
const cardPostings = (sql: SqlClient.SqlClient, since: Date) =>
  sql`
    select p.cause as what, p.posted_at as at, -e.amount as amount, coalesce(case
      when p.cause = 'card_payment' then substr(p.key, 14)
      when p.cause = 'subscription_payment' then (select payment from subscription_invoice where invoice = p.reference)
      when p.cause in ('card_held', 'card_held_settled') then (select payment from card_order where id = p.reference)
      else p.reference end, p.reference) as payment
    from posting p join ledger_entry e on e.posting = p.id
    where e.account = 'card' and p.posted_at >= ${since} order by p.id`.pipe(bookedRows)

const cards = Effect.fnUntraced(function* (range: Range) {
  const sql = yield* SqlClient.SqlClient
  const processor = yield* CardProcessor
  const since = new Date(range.from - lateMs)
  const booked = yield* cardPostings(sql, since)
  const inRange = booked.filter(({ at }) => within(range, at))
  const own = { name: "card" as const, books_usd: format(sumOf(inRange, ({ amount }) => amount)) }
  if (processor === null) {
    return {
      ...own,
      theirs_usd: format(0n),
      n_compared: 0,
      ...(inRange.length === 0
        ? { skipped: "Stripe is not configured", differences: [] }
        : {
            differences: [
              "the books have card payments, but Stripe is not configured, so they cannot be compared"
            ]
          })
    } satisfies Side
  }
  const lines = yield* processor.lines(since)
  const stripeLines = lines.filter(({ at }) => within(range, at))
  const ofCustomers = (line: BalanceLine): line is BalanceLine & { readonly payment: string } =>
    line.payment !== undefined
  const payments = new Set([...inRange, ...stripeLines.filter(ofCustomers)].map(({ payment }) => payment))
  const differences: Array<string> = []
  for (const payment of payments) {
    const bookLines = booked.filter((line) => line.payment === payment)
    const stripes = lines.filter((line) => line.payment === payment)
    if (stripes.some(({ amount }) => amount === undefined)) {
      // Paid in another currency: the whole payment must have been given back.
      if (bookLines.length > 0 || !stripes.some(({ type }) => type.includes("refund"))) {
        differences.push(`${payment}: Stripe has it in another currency than USD; refund it in full`)
      }
      continue
    }
    const [a, b] = [sumOf(bookLines, ({ amount }) => amount), sumOf(stripes, ({ amount }) => amount ?? 0n)]
    if (a === b) continue
    const listText = (what: ReadonlyArray<string>) => (what.length === 0 ? "nothing" : what.join(", "))
    differences.push(
      `${payment}: the books have ${usdOf(a)} (${listText(bookLines.map(({ what }) => what))}), Stripe has ${usdOf(b)} (${listText(
        stripes.map(({ type }) => type)
      )})`
    )
  }
  const other = stripeLines.filter((line) => line.payment === undefined)
  const kinds = [...new Set(other.map(({ type }) => type))]
  return {
    ...own,
    theirs_usd: format(sumOf(stripeLines.filter(ofCustomers), ({ amount }) => amount ?? 0n)),
    other_usd: Object.fromEntries(
      kinds.map((kind) => [
        kind,
        format(
          sumOf(
            other.filter(({ type }) => type === kind),
            ({ amount }) => amount ?? 0n
          )
        )
      ])
    ),
    fees_usd: format(sumOf(stripeLines, ({ fee }) => fee)),
    n_compared: payments.size,
    differences
  } satisfies Side
})

/** Transfers to the deposit address, and what operators sent back. */
const stablecoin = Effect.fnUntraced(function* (range: Range) {
  const sql = yield* SqlClient.SqlClient
  const chain = yield* Deposits
  const [from, to] = [new Date(range.from), new Date(range.to)]
  const transfers = yield* sql`
    select tx || ':' || log_index as name, state, units::bigint as units, block_time as time, coalesce((
      select -sum(e.amount) from posting p join ledger_entry e on e.posting = p.id and e.account = 'stablecoin'
      where p.key in ('stablecoin_transfer:' || chain || ':' || token || ':' || tx || ':' || log_index,
        'transfer_unmatched:' || chain || ':' || token || ':' || tx || ':' || log_index)), 0)::bigint as booked
    from chain_transfer where state in ('credited', 'unmatched') and block_time >= ${from} and block_time < ${to}`.pipe(
    transferRows
  )
  const refunds = yield* sql`
    select s.subject as name, s.outside, t.units::bigint as units, s.settled_at as at
    from operator_settlement s join chain_transfer t on t.tx || ':' || t.log_index = s.subject
    where s.kind = 'refund' and s.outside is not null and s.settled_at >= ${from} and s.settled_at < ${to}`.pipe(
    refundRows
  )
  const back = sumOf(refunds, ({ units }) => units)
  const own = {
    name: "stablecoin" as const,
    books_usd: format(sumOf(transfers, ({ booked }) => booked) - back)
  }
  if (chain === null) return skipped(own, transfers.length + refunds.length)
  const lines = yield* chainLines(chain, range)
  const differences: Array<string> = []
  const byName = new Map(transfers.map((each) => [each.name, each]))
  for (const { name, units } of lines) {
    const transfer = byName.get(name)
    byName.delete(name)
    if (transfer === undefined)
      differences.push(`${name}: the chain has ${usdOf(units)}, the books have nothing`)
    else if (transfer.booked !== units) {
      differences.push(
        `${name}: the chain has ${usdOf(units)}, the books have ${usdOf(transfer.booked)} (${transfer.state})`
      )
    }
  }
  for (const { booked, name } of byName.values()) {
    differences.push(`${name}: the books have ${usdOf(booked)}, the chain has nothing`)
  }
  let sentBack = 0n
  for (const { name, outside, units } of refunds) {
    const finalized = yield* chain.finalTransaction(outside)
    if (finalized?.transfers.some((each) => each.units === units) === true) sentBack += units
    else
      differences.push(
        `${outside}: the books have ${usdOf(-units)} sent back for ${name}, the chain has nothing`
      )
  }
  return {
    ...own,
    theirs_usd: format(sumOf(lines, ({ units }) => units) - sentBack),
    n_compared: lines.length + refunds.length,
    differences
  } satisfies Side
})

/** Payments per request, to the address of its own. */
const perRequest = Effect.fnUntraced(function* (range: Range) {
  const sql = yield* SqlClient.SqlClient
  const chain: Chain | null = yield* SalesChain
  const since = (ms: number) => new Date(ms - dayMs)
  const sales = yield* sql`
    select id, tx, amount, settled_at as at from x402_sale
    where state = 'settled' and lost_at is null and tx is not null and settled_at >= ${since(range.from)}`.pipe(
    saleRows
  )
  const inRange = sales.filter(({ at }) => within(range, at))
  const own = { name: "x402" as const, books_usd: format(sumOf(inRange, ({ amount }) => amount)) }
  if (chain === null) return skipped(own, inRange.length)
  const lines = yield* chainLines(chain, range)
  const differences: Array<string> = []
  const transactions = new Set([...inRange, ...lines].map(({ tx }) => tx))
  for (const tx of transactions) {
    const txSales = sales.filter((sale) => sale.tx === tx)
    const read = lines.filter((line) => line.tx === tx)
    // Settled on another day than its block: asked for by name.
    const units =
      read.length > 0
        ? sumOf(read, (line) => line.units)
        : sumOf(
            ((yield* chain.finalTransaction(tx))?.transfers ?? []).filter(
              ({ to }) => to === chain.depositAddress
            ),
            (line) => line.units
          )
    const sold = sumOf(txSales, ({ amount }) => amount)
    if (units !== sold) {
      differences.push(
        `${tx}: the books have ${usdOf(sold)} (${txSales.map(({ id }) => id).join(", ") || "no sale"}), the chain has ${usdOf(units)}`
      )
    }
  }
  return {
    ...own,
    theirs_usd: format(sumOf(lines, ({ units }) => units)),
    n_compared: transactions.size,
    differences
  } satisfies Side
})

const skipped = (own: Pick<Side, "books_usd" | "name">, count: number): Side => ({
  ...own,
  theirs_usd: format(0n),
  n_compared: 0,
  ...(count === 0
    ? { skipped: "no chain is configured", differences: [] }
    : { differences: ["the books have transfers, but no chain is configured, so they cannot be compared"] })
})

const warrantyRows = rowsOf({
  paid: Schema.BigInt,
  range: Schema.BigInt,
  open: Schema.BigInt,
  booked: Schema.BigInt
})

/** What warranties paid, in all and in these days, what they owe, and what the books have of all that they paid. */
const warrantySums = Effect.fnUntraced(function* ({ from, to }: Range) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select coalesce(sum(amount) filter (where state = 'paid'), 0)::bigint as paid,
      coalesce(sum(amount) filter (where paid_at >= ${new Date(from)} and paid_at < ${new Date(to)}), 0)::bigint as range,
      coalesce(sum(amount) filter (where state <> 'paid'), 0)::bigint as open,
      (select coalesce(-sum(e.amount), 0) from posting p join ledger_entry e on e.posting = p.id and e.account = 'sales'
        where p.cause = 'warranty')::bigint as booked
    from warranty_payment`.pipe(warrantyRows)
  const { booked = 0n, open = 0n, paid = 0n, range = 0n } = row ?? {}
  return { booked, open, paid, inRange: range }
})

/** The report on these days. */
export const report = Effect.fn("Books.report")(function* (range: Range) {
  const sql = yield* SqlClient.SqlClient
  const ledger = yield* Ledger
  const sides: ReadonlyArray<Side> = [yield* cards(range), yield* stablecoin(range), yield* perRequest(range)]
  const [sums] = yield* sql`
    select coalesce((select sum(amount) from ledger_entry where account = 'suspense'), 0)::bigint as suspense,
      coalesce((select sum(received) from card_order o where state = 'held'
        and not exists (select 1 from operator_settlement s where s.subject = o.id)), 0)::bigint as held,
      coalesce((select sum(units) from chain_transfer t where state = 'unmatched'
        and not exists (select 1 from operator_settlement s where s.subject = t.tx || ':' || t.log_index)), 0)::bigint
        as unmatched,
      coalesce((select sum(owed) from account), 0)::bigint as owed`.pipe(sumRows)
  const warranties = yield* warrantySums(range)
  const { held: onHold = 0n, owed = 0n, suspense = 0n, unmatched = 0n } = sums ?? {}
  const checked = yield* ledger.check
  const differences = [
    ...checked.problems.map((problem) => `the ledger: ${problem}`),
    ...(warranties.paid === warranties.booked
      ? []
      : [
          `warranties paid ${usdOf(warranties.paid)}, but the books have ${usdOf(warranties.booked)} of them`
        ]),
    ...(suspense === onHold + unmatched
      ? []
      : [
          `suspense has ${usdOf(suspense)}, but ${usdOf(onHold)} are held and ${usdOf(unmatched)} are unmatched: something arrived before suspense was kept; settle it with ${program} money refund or adjust`
        ])
  ]
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  return {
    from: day(range.from),
    to: day(range.to - dayMs),
    balances: differences.length === 0 && sides.every((side) => side.differences.length === 0),
    sides,
    suspense_usd: format(suspense),
    held_usd: format(onHold),
    unmatched_usd: format(unmatched),
    owed_usd: format(owed),
    warranty_paid_usd: format(warranties.inRange),
    warranty_open_usd: format(warranties.open),
    differences
  } satisfies Report
})
