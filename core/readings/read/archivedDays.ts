/** Days of a long window from the archive, and from SQL what it does not have yet: the same rows as `daysBetween`. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { ints } from "../ingest/arrays.ts"
import { withDefinitions } from "./byDefinition.ts"
import type { VersionRow } from "./DayTable.ts"
import { dateOf, type Window } from "./days.ts"
import { dayHolds } from "./differing.ts"
import { isLong, LongHistory } from "./LongHistory.ts"
import { type SeriesRow, versionRows, writtenDay } from "./RecentDays.ts"

/** Undefined where SQL must be read. */
export const archivedDays = Effect.fnUntraced(function* (series: ReadonlyArray<SeriesRow>, window: Window) {
  const { rows } = (yield* LongHistory) ?? {}
  if (rows === undefined || !isLong(window)) return undefined
  const archived = yield* rows(series, window)
  if (archived === undefined) return undefined
  const newest = new Map<string, VersionRow>()
  // Files of the archive have leaves alone.
  const sealed = yield* withDefinitions(archived.content)
  for (const row of [...sealed, ...(yield* daysAfter(archived.through, series, window))]) {
    const chain = `${row.series} ${row.date} ${row.incident}`
    if ((newest.get(chain)?.version ?? 0) < row.version) newest.set(chain, row)
  }
  const place = new Map(series.map(({ id }, n) => [id, n]))
  return [...newest.values()]
    .filter(({ n_observations }) => n_observations > 0)
    .sort(
      (a, b) =>
        Number(a.incident > 0) - Number(b.incident > 0) ||
        (place.get(a.series) ?? 0) - (place.get(b.series) ?? 0) ||
        (a.date < b.date ? -1 : 1)
    )
})

/** The rows that are open, or were sealed after batch `through`. */
const daysAfter = Effect.fnUntraced(function* (
  through: number,
  series: ReadonlyArray<SeriesRow>,
  { from, to }: Window
) {
  const sql = yield* SqlClient.SqlClient
  const ids = ints(series.map(({ id }) => id))
  const columns = writtenDay(sql)
  const holds = yield* dayHolds
  return yield* sql`
    select ${columns} from daily d
    where ${holds} and d.sealed_by is null and d.series = any(${ids})
      and d.day between ${dateOf(from)}::date and ${dateOf(to)}::date
    union all
    select ${columns} from leaf l
      join daily d on d.series = l.series and d.day = l.day and d.incident = l.incident and d.version = l.version
    where ${holds} and l.batch > ${through} and l.series = any(${ids})
      and d.day between ${dateOf(from)}::date and ${dateOf(to)}::date`.pipe(versionRows)
})
