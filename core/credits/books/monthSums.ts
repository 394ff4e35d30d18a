/** The sums of a month's book, each of one statement over the ledger: what was there before, and what moved. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { BookCorrection, BookCredits, BookMovement, BookSales } from "../../proof/moneyBook.ts"
import { mayTakeLong } from "../../sql/mayTakeLong.ts"
import { rowsOf } from "../../sql/rows.ts"
import { format, type Micros } from "../Money.ts"
import { type Cut, posted } from "./month.ts"

const movementRows = rowsOf({
  account: Schema.String,
  cause: Schema.String,
  /** Of the posting, if its month is closed already. */
  month: Schema.NullOr(Schema.String),
  opening: Schema.BigInt,
  amount: Schema.BigInt,
  n: Schema.Finite
})
const holderRows = rowsOf({ account: Schema.String, opening: Schema.Finite, closing: Schema.Finite })
const saleRows = rowsOf({
  way: Schema.Literals(["credits", "per_request", "subscription", "correction"]),
  product: Schema.String,
  opening: Schema.BigInt,
  change: Schema.BigInt,
  n: Schema.Finite
})
const poolRows = rowsOf({
  earlier: Schema.Boolean,
  movement: Schema.Literals(["added", "used", "taken_back"]),
  product: Schema.NullOr(Schema.String),
  granted: Schema.BigInt,
  sold: Schema.BigInt
})
const countRows = rowsOf({ n: Schema.Finite })

/** The ledger's account, with those of all customers taken together. */
const kindOf = (sql: SqlClient.SqlClient) => sql`split_part(e.account, ':', 1)`

/** What each account had before the month, and what moved it, by cause. */
const movements = (sql: SqlClient.SqlClient, cut: Cut) =>
  sql`
    with ${posted(sql, cut)}
    select ${kindOf(sql)} as account, p.cause,
      case when not earlier and posted_at < ${new Date(cut.starts)} then to_char(posted_at at time zone 'UTC', 'YYYY-MM') end
        as month,
      coalesce(sum(e.amount) filter (where earlier), 0)::bigint as opening,
      coalesce(sum(e.amount) filter (where not earlier), 0)::bigint as amount,
      count(*) filter (where not earlier)::int as n
    from posted p join ledger_entry e on e.posting = p.id group by 1, 2, 3 order by 1, 2, 3 nulls first`.pipe(
    movementRows
  )

/** How many customers had credits, and how many owed something. */
const holders = (sql: SqlClient.SqlClient, cut: Cut) =>
  sql`
    with ${posted(sql, cut)},
    customer as (
      select e.account, coalesce(sum(e.amount) filter (where earlier), 0) as opening, sum(e.amount) as closing
      from posted p join ledger_entry e on e.posting = p.id where strpos(e.account, ':') > 0 group by e.account
    )
    select ${kindOf(sql)} as account, count(*) filter (where opening <> 0)::int as opening,
      count(*) filter (where closing <> 0)::int as closing from customer e group by 1`.pipe(holderRows)

/** Sales by way and product. A refund of a subscription names the payment, and that the invoice. */
const sales = (sql: SqlClient.SqlClient, cut: Cut) =>
  sql`
    with ${posted(sql, cut)},
    sale as (
      select e.amount, earlier,
        case when p.cause = 'purchase' then 'credits' when p.cause in ('x402_payment', 'x402_reorganised') then 'per_request'
          when p.cause = 'warranty' or p.cause like 'operator%' then 'correction' else 'subscription' end as way,
        coalesce(u.product_key, x.product_key, o.sku, case when p.cause like 'operator%' then 'by hand' else 'not known' end)
          as product
      from posted p join ledger_entry e on e.posting = p.id and e.account = 'sales'
        left join purchase u on p.cause in ('purchase', 'warranty') and u.id = p.reference
        left join x402_sale x on p.cause in ('x402_payment', 'x402_reorganised', 'warranty') and x.id = p.reference
        left join lateral (
          select subscription from subscription_invoice
          where case p.cause when 'subscription_payment' then invoice else payment end = p.reference
          order by invoice limit 1
        ) i on p.cause = 'subscription_payment' or p.cause like 'card%'
        left join subscription s on s.id = i.subscription
        left join card_order o on o.id = s.card_order
    )
    select way, product, coalesce(sum(amount) filter (where earlier), 0)::bigint as opening,
      coalesce(sum(amount) filter (where not earlier), 0)::bigint as change,
      count(*) filter (where not earlier)::int as n
    from sale group by 1, 2 order by 1, 2`.pipe(saleRows)

/**
 * Which credits moved: those that were granted, or those that were sold. A customer's granted credits are spent first, and a
 * refund takes sold ones first. What an operator gives back of a sale counts as sold.
 */
const pools = (sql: SqlClient.SqlClient, cut: Cut) =>
  sql`
    with ${posted(sql, cut)},
    entry as (
      select e.account, e.amount, h.account as house, p.id, p.book, p.earlier, u.product_key as product,
        credit_pools(h.account, e.amount) over (partition by e.account order by p.book, p.id) as pools
      from posted p join ledger_entry e on e.posting = p.id and e.account like 'credits:%'
        join ledger_entry h on h.posting = p.id and strpos(h.account, ':') = 0
        left join purchase u on p.cause = 'purchase' and u.id = p.reference
    ),
    step as (
      select *, lag(pools, 1, '{0,0}') over (partition by account order by book, id) as before from entry
    )
    select earlier,
      case when amount > 0 then 'added' when house = 'sales' then 'used' else 'taken_back' end as movement, product,
      sum(pools[1] - before[1])::bigint as granted, sum(pools[2] - before[2])::bigint as sold
    from step group by 1, 2, 3 order by 1, 2, 3`.pipe(poolRows)

type PoolRow = Effect.Success<ReturnType<typeof pools>>[number]

const total = <A>(rows: ReadonlyArray<A>, amount: (row: A) => Micros): Micros =>
  rows.reduce((sum, row) => sum + amount(row), 0n)

const creditsOf = (rows: ReadonlyArray<PoolRow>, kind: "granted" | "sold"): BookCredits => {
  const amount = (row: PoolRow) => row[kind]
  const moved = (movement: PoolRow["movement"]) =>
    total(
      rows.filter((row) => !row.earlier && row.movement === movement),
      amount
    )
  return {
    kind,
    opening: format(
      total(
        rows.filter(({ earlier }) => earlier),
        amount
      )
    ),
    added: format(moved("added")),
    used: format(-moved("used")),
    taken_back: format(-moved("taken_back")),
    closing: format(total(rows, amount))
  }
}

const accountNames = (
  rows: ReadonlyArray<{ readonly account: string }>,
  always: ReadonlyArray<string>
): ReadonlyArray<string> => [...new Set([...always, ...rows.map(({ account }) => account)])]

/** The sums of a book. `always` are accounts that are listed even if nothing ever moved them. */
export const monthSums = Effect.fn("Books.monthSums")(function* (cut: Cut, always: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(sums(cut, always))
}, mayTakeLong)

const sums = Effect.fnUntraced(function* (cut: Cut, always: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const moved = yield* movements(sql, cut)
  const counts = yield* holders(sql, cut)
  const ofPools = yield* pools(sql, cut)
  const [postings] = yield* sql`
    with ${posted(sql, cut)} select count(*)::int as n from posted where not earlier`.pipe(countRows)

  const accounts = accountNames(moved, always).map((account) => {
    const ofAccount = moved.filter((row) => row.account === account)
    const [opening, change] = [total(ofAccount, (row) => row.opening), total(ofAccount, (row) => row.amount)]
    const count = counts.find((row) => row.account === account)
    const isCustomers = account === "credits" || account === "owed"
    return {
      account,
      opening: format(opening),
      change: format(change),
      closing: format(opening + change),
      ...(isCustomers ? { n_opening: count?.opening ?? 0, n_closing: count?.closing ?? 0 } : {})
    }
  })
  const isMoved = ({ n }: { readonly n: number }) => n > 0
  const corrections = moved.flatMap(
    ({ account, amount, cause, month, n }): ReadonlyArray<BookCorrection> =>
      month === null ? [] : [{ month, cause, account, n, amount: format(amount) }]
  )
  return {
    n_postings: postings?.n ?? 0,
    accounts,
    movements: byCause(moved.filter(isMoved)),
    corrections,
    credits: [creditsOf(ofPools, "granted"), creditsOf(ofPools, "sold")],
    sales: (yield* sales(sql, cut)).map(({ change, n, opening, product, way }): BookSales => {
      const used = ofPools.filter((row) => !row.earlier && row.movement === "used" && row.product === product)
      return {
        way,
        product,
        opening: format(opening),
        n,
        change: format(change),
        closing: format(opening + change),
        ...(way === "credits"
          ? {
              with_granted: format(-total(used, ({ granted }) => granted)),
              with_sold: format(-total(used, ({ sold }) => sold))
            }
          : {})
      }
    })
  }
})

/** One line for each account and cause, whichever month its postings are of. */
const byCause = (
  rows: ReadonlyArray<{
    readonly account: string
    readonly cause: string
    readonly n: number
    readonly amount: Micros
  }>
): ReadonlyArray<BookMovement> => {
  const lines = new Map<string, { account: string; cause: string; n: number; amount: Micros }>()
  for (const { account, amount, cause, n } of rows) {
    const line = lines.get(`${account} ${cause}`) ?? { account, cause, n: 0, amount: 0n }
    lines.set(`${account} ${cause}`, { ...line, n: line.n + n, amount: line.amount + amount })
  }
  return [...lines.values()].map(({ amount, ...line }) => ({ ...line, amount: format(amount) }))
}
