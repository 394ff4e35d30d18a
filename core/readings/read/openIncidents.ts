/** How many incidents are open, for metrics. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../sql/rows.ts"

const countRows = rowsOf({ guard: Schema.NullOr(Schema.String), kind: Schema.String, n: Schema.Int })

/** Those that are not over: of guards by the guard, and of others by how they were opened. */
export const openIncidents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select guard, kind, count(*)::int as n from incident where closed_at is null and over_at is null
    group by guard, kind`.pipe(countRows)
  const sumOf = (isMeant: (row: (typeof rows)[number]) => boolean) =>
    rows.filter(isMeant).reduce((sum, { n }) => sum + n, 0)
  return {
    ofGuard: (guard: string) => sumOf((row) => row.guard === guard),
    ofKind: (kind: string) => sumOf((row) => row.guard === null && row.kind === kind)
  }
})
