/** Writes the latest row of each series. */
import { Effect, Predicate } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { manyRowsOf } from "../../../sql/rows.ts"
import type { LatestRow } from "../../read/Current.ts"
import { doubles, ints, texts, times } from "../arrays.ts"
import { isUnconfirmed } from "../candidate.ts"
import type { Classified } from "../compare/classify.ts"
import { type DefinedDays, reasonOf } from "../compare/defined.ts"
import { originsOf } from "./origins.ts"

const latestRows = manyRowsOf({ series: Predicate.isNumber, confirmed_at: Predicate.isDate })

/** Takes a row as the newest of its series, if it is. */
export const noteNewest = (newest: Map<number, Classified>, row: Classified): void => {
  if (row.incident > 0 || !row.current) return
  const before = newest.get(row.series)
  if (before === undefined || before.asOf <= row.asOf) newest.set(row.series, row)
}

/** Writes the newest rows of series, as far as the latest are not newer. Returns what was written. */
export const keepLatest = Effect.fnUntraced(function* (
  newest: ReadonlyMap<number, Classified>,
  defined: DefinedDays
) {
  if (newest.size === 0) return []
  const sql = yield* SqlClient.SqlClient
  const all = [...newest.values()]
  const { confirmedAt, from, recordedAt, runs, simulated } = originsOf(all)
  const written = yield* sql`
    insert into latest as l (series, as_of, value, value_text, verify_url, read_url, recorded_at, confirmed_at, run,
      simulated)
    select series, as_of, value, value_text, verify_url, read_url, ${recordedAt}[origin], ${confirmedAt}[origin],
      ${runs}[origin], ${simulated}[origin]
    from unnest(${ints(all.map(({ series }) => series))}, ${times(all.map(({ asOf }) => asOf))},
      ${doubles(all.map(({ row }) => row.value))}, ${texts(all.map(({ row }) => row.value_text ?? null))},
      ${texts(all.map(({ row }) => row.verify_url))}, ${texts(all.map(({ row }) => row.read_url ?? null))}, ${from})
      as t(series, as_of, value, value_text, verify_url, read_url, origin)
    on conflict (series) do update set as_of = excluded.as_of, value = excluded.value,
      value_text = excluded.value_text, verify_url = excluded.verify_url, read_url = excluded.read_url,
      recorded_at = case
        when l.as_of = excluded.as_of and l.value = excluded.value
          and l.value_text is not distinct from excluded.value_text
        then l.recorded_at else greatest(l.recorded_at, excluded.recorded_at) end,
      confirmed_at = greatest(l.confirmed_at, excluded.confirmed_at), run = excluded.run,
      simulated = excluded.simulated
    where excluded.as_of > l.as_of or (excluded.as_of = l.as_of and excluded.run >= l.run)
    returning series, confirmed_at`.pipe(latestRows)
  return written.flatMap(({ confirmed_at, series }): ReadonlyArray<LatestRow> => {
    const classified = newest.get(series)
    if (classified === undefined) return []
    const { metric, read_url, source, symbol, unit, value, value_text, verify_url } = classified.row
    return [
      {
        series,
        symbol,
        metric,
        source,
        plugin: classified.from.manifest.id,
        tier: classified.from.manifest.tier,
        unit,
        value,
        value_text: value_text ?? null,
        verify_url,
        read_url: read_url ?? null,
        as_of: new Date(classified.asOf),
        confirmed_at,
        simulated: classified.from.simulated,
        unconfirmed: isUnconfirmed(classified.from, series),
        by_definition: reasonOf(classified, defined)
      }
    ]
  })
})
