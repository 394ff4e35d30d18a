/** Which incident excludes a published value: asked wherever a value is shown that was published before. */
import type * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"

/** A value, by expressions of a statement. */
export interface ValueColumns {
  readonly series: Statement.Fragment
  /** The incident that excluded it when it was published; 0 for none. */
  readonly incident: Statement.Fragment
  readonly as_of: Statement.Fragment
  readonly value: Statement.Fragment
}

/**
 * The open incident that excludes the value now, else the one that excluded it when it was published; no row if there is
 * neither. For a statement's `from`.
 */
export const excludedBy = (sql: SqlClient.SqlClient, of: ValueColumns): Statement.Fragment => sql`(
    -- A reading has several versions, of which some may be accepted; once readings are dropped, any of them counts.
    select i.id, i.reason, i.opened_at from incident i
    where i.id = ${of.incident} or (i.closed_at is null and i.id in (
      select e.incident from exclusion e
        left join observation o on o.series = e.series and o.as_of = e.as_of and o.version = e.version
      where e.series = ${of.series} and e.as_of = ${of.as_of} and coalesce(o.value = ${of.value}, true)
    )) order by i.closed_at is null desc, i.id limit 1
  )`
