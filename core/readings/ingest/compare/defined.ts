/** Marks the zeros that a definition states and nobody counted (`core/plugin/methods.ts`), each by its series and day. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { readingKey } from "../../../plugin/methods.ts"
import { rowsOf } from "../../../sql/rows.ts"
import { dayKey, definedDaysOf } from "../../read/byDefinition.ts"
import { oldestRecent, versionRows, writtenDay } from "../../read/RecentDays.ts"
import { ints, texts } from "../arrays.ts"
import type { Candidate } from "../candidate.ts"

/** The reasons of marked days, by `dayKey`. */
export type DefinedDays = ReadonlyMap<string, string>

const keyOf = ({ row, series }: Candidate): string => dayKey({ series, date: row.as_of.slice(0, 10) })

/** Why the 0 of a row is none that was counted; null of every other value. */
export const reasonOf = (row: Candidate, defined: DefinedDays): string | null =>
  row.row.value === 0 ? (defined.get(keyOf(row)) ?? null) : null

/** Whether a row is a 0 of a source that follows somebody's definition: its day may be marked. */
export const isDefinable = ({ from, row }: Candidate): boolean =>
  row.value === 0 && from.manifest.methods?.[row.source] !== undefined

const newRows = rowsOf({ series: Schema.Int, date: Schema.String })

/**
 * Marks the days of these rows, and returns the marks of all of them, those of earlier runs included. A mark is never taken back.
 * `again` are recent days that were written before they were marked; ask for them once the rows are written.
 */
export const keepDefined = Effect.fnUntraced(function* (rows: ReadonlyArray<Candidate>) {
  if (rows.length === 0) return { defined: new Map<string, string>(), again: Effect.succeed([]) }
  const sql = yield* SqlClient.SqlClient
  const byDay = new Map(
    rows.flatMap((one) => {
      const reason = one.from.defined.get(readingKey(one.row))
      return reason === undefined ? [] : [[keyOf(one), { one, reason }] as const]
    })
  )
  const all = [...byDay.values()]
  const marked =
    all.length === 0
      ? []
      : yield* sql`
          insert into defined_zero (series, day, reason, run)
          select * from unnest(${ints(all.map(({ one }) => one.series))},
            ${texts(all.map(({ one }) => one.row.as_of.slice(0, 10)))}::date[],
            ${texts(all.map(({ reason }) => reason))}, ${texts(all.map(({ one }) => one.from.run))})
          on conflict do nothing returning series, day::text as date`.pipe(newRows)
  return {
    defined: yield* definedDaysOf(rows.map(({ series }) => series)),
    again:
      marked.length === 0
        ? Effect.succeed([])
        : Effect.flatMap(oldestRecent, (oldest) =>
            sql`
                select distinct on (d.series, d.day, d.incident) ${writtenDay(sql)}
                from unnest(${ints(marked.map(({ series }) => series))},
                  ${texts(marked.map(({ date }) => date))}::date[]) as t(series, day)
                  join daily d on d.series = t.series and d.day = t.day
                where d.day >= ${oldest}::date
                order by d.series, d.day, d.incident, d.version desc`.pipe(versionRows)
          )
  }
})
