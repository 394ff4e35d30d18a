/** What is said beside a served value: the newest reading of its series that a guard holds back, and two levels in doubt. */
import { Schema } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"

/** A reading that a guard holds back and that is waited for. Times are ISO 8601 UTC. */
export const HeldBeside = Schema.Struct({
  value: Schema.Finite,
  value_text: Schema.optionalKey(Schema.String),
  as_of: Schema.String,
  since: Schema.String,
  reason: Schema.String,
  incident: Schema.Int
})
export interface HeldBeside extends Schema.Schema.Type<typeof HeldBeside> {}

const Level = Schema.Struct({ value: Schema.Finite, as_of: Schema.String })

/** Two levels of a series of which nobody has said which is right: the one before a held one was released, and that one. */
export const LevelInDoubt = Schema.Struct({ since: Schema.String, before: Level, after: Level })
export interface LevelInDoubt extends Schema.Schema.Type<typeof LevelInDoubt> {}

/** A time as answers have it. */
export const isoColumn = (sql: SqlClient.SqlClient, column: string): Statement.Fragment =>
  sql.literal(
    `regexp_replace(to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '\\.000Z$', 'Z')`
  )

/**
 * The newest held reading of each series that has one, as JSON of `HeldBeside`, for a statement's `from`. A reading that is waited
 * for no longer, because its series went on as before, is none.
 */
export const newestHeld = (sql: SqlClient.SqlClient): Statement.Fragment => sql`(
    select distinct on (s.id) s.id as series, jsonb_strip_nulls(jsonb_build_object(
      'value', h.value, 'value_text', h.value_text, 'as_of', ${isoColumn(sql, "h.as_of")},
      'since', ${isoColumn(sql, "i.from_as_of")}, 'reason', coalesce(h.reason, i.reason), 'incident', i.id)) as stated
    from incident i join series s on s.symbol = i.symbol and s.metric = i.metric and s.source = i.source
      cross join lateral (
        select o.value, o.value_text, o.as_of, e.reason from exclusion e
          join observation o on o.series = e.series and o.as_of = e.as_of and o.version = e.version
        where e.incident = i.id and e.series = s.id order by e.as_of desc, e.version desc limit 1
      ) h
    where i.closed_at is null and i.over_at is null and i.guard is not null
    order by s.id, h.as_of desc
  )`
