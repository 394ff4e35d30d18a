import type * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"

/**
 * The hashes behind `after` of the bodies that runs name: answers, targets and, unless the database is of before they were stored, rows. A
 * select of one column, `sha256`.
 */
export const bodiesOfRuns = (
  sql: SqlClient.SqlClient,
  after: string,
  hasRows: boolean
): Statement.Fragment => sql`
  select sha256 from exchange where sha256 > ${after}
  union select targets_sha256 from run where targets_sha256 > ${after}
  ${hasRows ? sql`union select rows_sha256 from run where outcome = 'stored' and rows_sha256 > ${after}` : sql``}`
