/** What one closed day put into the log: its batch with its entry, the absences, and the leaves of other days or versions. */

import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type AbsentSeries, parseAbsenceList, parseLeaf, type RowLeaf } from "../../proof/leaf.ts"
import { isDay } from "../../readings/read/parameters.ts"
import { rowsOf } from "../../sql/rows.ts"
import { firstClosedDay } from "../closedDays.ts"
import { Log } from "../Log.ts"
import { underHead } from "./underHead.ts"

const batchRows = rowsOf({
  id: Schema.Int,
  day: Schema.String,
  cut_off: Schema.Date,
  closed_at: Schema.Date,
  late: Schema.Boolean,
  root: Schema.String,
  tree_size: Schema.Int,
  n_readings: Schema.Int,
  n_late: Schema.Int,
  n_revisions: Schema.Int,
  n_absent: Schema.Int,
  absent: Schema.String,
  log_index: Schema.Int,
  entry: Schema.String
})
const changedRows = rowsOf({ text: Schema.String, before: Schema.NullOr(Schema.String) })
const neighbourRows = rowsOf({ before: Schema.NullOr(Schema.String), after: Schema.NullOr(Schema.String) })

/** A leaf that is not a reading of the batch's own day in its first version, with the version that it follows. */
export interface ChangedLeaf {
  readonly leaf: RowLeaf
  readonly before: RowLeaf | undefined
}

/** At most this many changed leaves are read; a batch's own file has all. */
export const mostChanged = 500

const rowLeaf = (text: string): RowLeaf | undefined => {
  const leaf = parseLeaf(text)
  return leaf.kind === "absent" ? undefined : leaf
}

/** Undefined if the served head has no batch of the day. */
export const dayOfLog = Effect.fn("Log.dayOfLog")(function* (day: string) {
  if (!isDay(day)) return undefined
  const sql = yield* SqlClient.SqlClient
  const head = yield* (yield* Log).served
  const [batch] = yield* sql`
    select b.id, b.day::text as day, b.cut_off, b.closed_at, b.late, b.root, b.tree_size, b.n_readings, b.n_late,
      b.n_revisions, b.n_absent, b.absent, b.log_index, e.text as entry
    from batch b join log_entry e on e.place = b.log_index
    where b.day = ${day}::date and b.log_index < ${head.size}::int`.pipe(batchRows)
  if (batch === undefined) return undefined
  // The kind of a leaf is in its text alone; most batches have none of these.
  const rows =
    batch.n_late + batch.n_revisions === 0
      ? []
      : yield* sql`
          select l.text, p.text as before from leaf l left join leaf p
            on p.series = l.series and p.day = l.day and p.incident = l.incident and p.version = l.version - 1
          where l.batch = ${batch.id} and l.series is not null
            and (l.text like '%"kind":"late"%' or l.text like '%"kind":"revision"%')
          order by l.place limit ${mostChanged}`.pipe(changedRows)
  const [neighbours] = yield* sql`
    select max(day) filter (where day < ${day}::date)::text as before,
      min(day) filter (where day > ${day}::date)::text as after
    from batch where log_index < ${head.size}::int`.pipe(neighbourRows)
  const absences: ReadonlyArray<AbsentSeries> = parseAbsenceList(batch.absent)
  return {
    batch,
    absences,
    changed: rows.flatMap(({ before, text }): ReadonlyArray<ChangedLeaf> => {
      const leaf = rowLeaf(text)
      return leaf === undefined ? [] : [{ leaf, before: before === null ? undefined : rowLeaf(before) }]
    }),
    ...(yield* underHead(batch.log_index, head)),
    earlier: neighbours?.before ?? undefined,
    later: neighbours?.after ?? undefined
  }
})

const firstRows = rowsOf({ day: Schema.NullOr(Schema.String) })

/** The first day that was closed; undefined before there is one. */
export const firstClosed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`select ${firstClosedDay(sql)}::text as day`.pipe(firstRows)
  return row?.day ?? undefined
})
