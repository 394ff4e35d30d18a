/** Reads the signal ledger. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { factNamed } from "../../sql/keyValue.ts"
import { rowsOf } from "../../sql/rows.ts"

/** The fact that says which row the log has: its closed day, number and place in the log. */
export const loggedFact = "signals_logged"

const pageRows = rowsOf({
  n: Schema.NullOr(Schema.Int),
  hash: Schema.NullOr(Schema.String),
  text: Schema.NullOr(Schema.String),
  head: Schema.NullOr(Schema.Int),
  head_hash: Schema.NullOr(Schema.String),
  logged: Schema.NullOr(Schema.String),
  logged_hash: Schema.NullOr(Schema.String)
})
const countRows = rowsOf({ n: Schema.Int })

/** How many signals there are: they are numbered without a gap from 1. */
export const countSignals = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [newest] = yield* sql`select coalesce(max(n), 0)::int as n from signal`.pipe(countRows)
  return newest?.n ?? 0
})

/** The signals before a number, newest first, with the newest of all and the one that the log has, of one moment. */
export const pageOfSignals = Effect.fn("Signals.pageOfSignals")(function* (before: number, limit: number) {
  const sql = yield* SqlClient.SqlClient
  // One row without a page where there is none.
  const rows = yield* sql`
    select p.n, p.hash, p.text, h.n as head, h.hash as head_hash, f.value as logged, l.hash as logged_hash
    from (select max(n) as newest from signal) m left join signal h on h.n = m.newest
      left join lateral (select ${factNamed(sql, loggedFact)} as value) f on true
      left join signal l on l.n = split_part(f.value, '|', 2)::int
      left join lateral (
        select n, hash, text from signal where n < ${before} order by n desc limit ${limit}
      ) p on true
    order by p.n desc`.pipe(pageRows)
  const [ledger] = rows
  const [, n, log_index] = ledger?.logged?.split("|") ?? []
  return {
    head:
      ledger?.head == null || ledger.head_hash === null ? null : { n: ledger.head, hash: ledger.head_hash },
    logged:
      ledger?.logged_hash == null
        ? null
        : { n: Number(n), hash: ledger.logged_hash, log_index: Number(log_index) },
    signals: rows.flatMap(({ hash, n, text }) =>
      n === null || hash === null || text === null ? [] : [{ n, hash, text }]
    )
  }
})
