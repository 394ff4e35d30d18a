/** What a leaf has no member for: what held of its feed and series when it was recorded, and which reading of its day is held. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../plugin/Value.ts"
import type { RowLeaf } from "../../proof/leaf.ts"
import { marksThen } from "../../readings/ingest/compare/changesToLog.ts"
import { HeldBeside, isoColumn } from "../../readings/read/heldBeside.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { LeafMark } from "../../wire/log/attest.ts"

const BesideRow = Schema.Struct({
  mark: Schema.Literals(["unconfirmed", "young", "level in doubt", "held"]),
  since: Schema.Date,
  until: Schema.NullOr(Schema.Date),
  n: Schema.NullOr(Schema.Int),
  document: Schema.NullOr(Schema.String),
  log_index: Schema.NullOr(Schema.Int),
  held: Schema.NullOr(HeldBeside)
})
const besideRows = rowsOf(BesideRow.fields)

/**
 * The marks of a leaf of a series, and the newest reading of its day that a guard holds back, be its cause over or not. A leaf is
 * unconfirmed where its feed was when it was recorded and no second source had agreed with its series under that code; in doubt from
 * the day of the last value of the level before. In one statement, as a reader of a proof waits for it.
 */
export const besideLeaf = Effect.fn("Log.besideLeaf")(function* (
  series: number,
  { as_of, day, recorded_at }: Pick<RowLeaf, "as_of" | "day" | "recorded_at">
) {
  const sql = yield* SqlClient.SqlClient
  const [at, asOf, midnight] = [new Date(recorded_at), new Date(as_of), new Date(`${day}T00:00:00Z`)]
  const rows = yield* sql`
    ${marksThen(sql, series, { asOf, at })}
    union all
    select 'held', h.since, null, null, null, null, h.stated from (
      select i.from_as_of as since, jsonb_strip_nulls(jsonb_build_object('value', o.value, 'value_text', o.value_text,
        'as_of', ${isoColumn(sql, "o.as_of")}, 'since', ${isoColumn(sql, "i.from_as_of")},
        'reason', coalesce(e.reason, i.reason), 'incident', i.id)) as stated
      from exclusion e join incident i on i.id = e.incident and i.closed_at is null and i.guard is not null
        join observation o on o.series = e.series and o.as_of = e.as_of and o.version = e.version
      where e.series = ${series} and e.as_of >= ${midnight} and e.as_of < ${midnight}::timestamptz + interval '1 day'
      order by e.as_of desc, e.version desc limit 1
    ) h
    order by since limit 100`.pipe(besideRows)
  const marks = rows.flatMap(
    ({ document, log_index, mark, n, since, until }): ReadonlyArray<LeafMark> =>
      mark === "held"
        ? []
        : [
            {
              mark,
              since: isoTime(since.getTime()),
              ...(until === null ? {} : { until: isoTime(until.getTime()) }),
              ...(n === null || log_index === null || document === null
                ? {}
                : { logged: { n, log_index, sha256: document } })
            }
          ]
  )
  const reading = rows.find(({ mark }) => mark === "held")?.held
  return { ...(reading == null ? {} : { held: reading }), ...(marks.length === 0 ? {} : { marks }) }
})
