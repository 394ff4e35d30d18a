/** What would change if a stored run had been derived with other code. */
import { Effect, Predicate } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Observation } from "../../plugin/Value.ts"
import { manyRowsOf } from "../../sql/rows.ts"
import { texts, times } from "./arrays.ts"

/** A row that differs from what is stored; without `before` nothing is stored of that time. */
export interface RowChange {
  readonly row: Observation
  readonly before?: { readonly value: number; readonly value_text: string | null }
}

export interface Comparison {
  readonly changes: ReadonlyArray<RowChange>
  /** Readings that are what the run would give. */
  readonly same: number
  /** Readings of a later run, which has the word. */
  readonly later: number
}

const storedRows = manyRowsOf({
  n: Predicate.isNumber,
  value: Predicate.isNumber,
  value_text: Predicate.or(Predicate.isString, Predicate.isNull),
  told_by: Predicate.isString
})

/** Compares the rows that a run gives now with the newest versions of the same readings. */
export const compareRows = Effect.fn("Ingest.compareRows")(function* (
  run: string,
  rows: ReadonlyArray<Observation>
) {
  const sql = yield* SqlClient.SqlClient
  const stored =
    rows.length === 0
      ? []
      : yield* sql`
          select i.n::int, o.value, o.value_text, coalesce(r.rederives, o.run) as told_by
          from unnest(${texts(rows.map(({ symbol }) => symbol))}, ${texts(rows.map(({ metric }) => metric))},
              ${texts(rows.map(({ source }) => source))}, ${times(rows.map(({ as_of }) => new Date(as_of)))})
              with ordinality as i(symbol, metric, source, as_of, n)
            join series s on s.symbol = i.symbol and s.metric = i.metric and s.source = i.source
            cross join lateral (
              select value, value_text, run from observation o
              where o.series = s.id and o.as_of = i.as_of order by version desc limit 1
            ) o left join run r on r.id = o.run`.pipe(storedRows)
  const byPlace = new Map(stored.map((one) => [one.n - 1, one]))
  const changes: Array<RowChange> = []
  let [same, later] = [0, 0]
  for (const [place, row] of rows.entries()) {
    const before = byPlace.get(place)
    if (before === undefined) changes.push({ row })
    else if (before.told_by > run) later++
    else if (before.value === row.value && before.value_text === (row.value_text ?? null)) same++
    else changes.push({ row, before: { value: before.value, value_text: before.value_text } })
  }
  return { changes, same, later } satisfies Comparison
})
