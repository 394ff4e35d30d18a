/**
 * Long windows of sealed days, read from where columns are read faster than from SQL: the archive. Whoever asks goes on with
 * SQL where it gives nothing, and gets the same rows.
 */
import { Context, type Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { day } from "../../plugin/time.ts"
import type { VersionRow } from "./DayTable.ts"
import type { Window } from "./days.ts"
import type { SeriesRow } from "./RecentDays.ts"

/** Windows up to this many days are read from memory or from SQL. */
export const longestInSql = 90

export const isLong = ({ from, to }: Window): boolean => (to - from) / day + 1 > longestInSql

/** The accepted days of a series: the newest version of each, if it has a reading; days since 1970, oldest first. */
export interface SealedColumn {
  readonly days: ReadonlyArray<number>
  readonly values: ReadonlyArray<number>
  /** Of the newest day. */
  readonly verify_url: string
  readonly as_of: Date
  readonly simulated: boolean
}

/** What the archive has; days that were sealed after batch `through` are not in it. */
export interface Archived<A> {
  readonly through: number
  readonly content: A
}

type Named = Pick<SeriesRow, "id" | "metric" | "source" | "symbol">

interface Reads {
  /** By the id of the series; those without a day in the window are left out. */
  readonly columns: (
    series: ReadonlyArray<Named>,
    window: Window
  ) => Effect.Effect<Archived<ReadonlyMap<number, SealedColumn>> | undefined, SqlError>
  /** Every version of every day, also of those that an incident excludes; in no order. */
  readonly rows: (
    series: ReadonlyArray<Named>,
    window: Window
  ) => Effect.Effect<Archived<ReadonlyArray<Omit<VersionRow, "by_definition">>> | undefined, SqlError>
}

export const LongHistory = Context.Reference<Reads | undefined>("core/readings/read/LongHistory", {
  defaultValue: () => undefined
})
