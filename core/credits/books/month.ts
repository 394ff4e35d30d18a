/** The months that are closed, and which postings belong to which. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../sql/rows.ts"

/** A month of UTC, as epoch milliseconds; `ends` is exclusive. */
export interface Month {
  /** YYYY-MM */
  readonly name: string
  readonly starts: number
  readonly ends: number
}

/** The month of this name; undefined for a text that is none. */
export const monthOf = (text: string): Month | undefined => {
  const match = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text)
  if (match === null) return undefined
  const [year, index] = [Number(match[1]), Number(match[2]) - 1]
  return { name: text, starts: Date.UTC(year, index), ends: Date.UTC(year, index + 1) }
}

/** The month after this one. */
export const nextMonth = ({ ends }: Month): string => new Date(ends).toISOString().slice(0, 7)

/** A month, and the newest posting that its book looks at. */
export interface Cut extends Month {
  readonly through: bigint
}

const idRows = rowsOf({ id: Schema.BigInt })

/**
 * The newest posting, once no transaction that has an id below it is still open: the lock waits for all that write postings,
 * and new ones wait until it is released, at once. So what is booked later has a higher id.
 */
export const newestPosting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`lock table posting in share mode`
      const [row] = yield* sql`select coalesce(max(id), 0) as id from posting`.pipe(idRows)
      return row?.id ?? 0n
    })
  )
})

/**
 * `posted`, for a `with`: the postings of all books up to the month at hand, each with the number of its book, and whether it
 * is in an earlier one. A book has what is dated before its month's end and was booked before its close, and is in no book
 * before; what came before the first month counts as a book of its own.
 */
export const posted = (sql: SqlClient.SqlClient, { ends, starts, through }: Cut) => sql`
  bound as (
    select starts_at as at, through from money_book where month = (select min(month) from money_book)
    union all select ends_at, through from money_book where ends_at <= ${new Date(starts)}
    union all select ${new Date(starts)}::timestamptz, ${through}::bigint where not exists (select 1 from money_book)
  ),
  posted as (
    select numbered.*, book < (select count(*) from bound) as earlier from (
      select p.*, (select count(*) from bound b where p.posted_at >= b.at or p.id > b.through) as book
      from posting p where p.posted_at < ${new Date(ends)} and p.id <= ${through}
    ) numbered
  )`
