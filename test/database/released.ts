/**
 * What code that is released may rely on in the database: columns, their types, what it may leave out, and which checks its
 * rows must pass. `node test/database/released.ts` adds what is new to `released.json`, when a version is released.
 */
import { writeFileSync } from "node:fs"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../core/sql/rows.ts"
import { migrate } from "../../runtime/database/migrate.ts"
import * as Pglite from "../../runtime/database/Pglite.ts"

const columnRows = rowsOf({
  table: Schema.String,
  column: Schema.String,
  type: Schema.String,
  required: Schema.Boolean
})
const constraintRows = rowsOf({ table: Schema.String, definition: Schema.String })

interface Table {
  /** Type by column. */
  readonly columns: Readonly<Record<string, string>>
  /** Columns without a default that must not be null: an insert has to name them. */
  readonly required: ReadonlyArray<string>
  /** Constraints and unique indexes: what an insert has to satisfy. */
  readonly constraints: ReadonlyArray<string>
}
export type Contract = Readonly<Record<string, Table>>

/** The contract that the schema of a database gives. Partitions count with their table. */
export const contractOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql`
    select c.relname as "table", a.attname as "column", format_type(a.atttypid, a.atttypmod) as type,
      a.attnotnull and not a.atthasdef and a.attidentity = '' as required
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    where n.nspname = current_schema() and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname not like 'migrations\\_%' and a.attnum > 0 and not a.attisdropped
    order by 1, 2 limit 10000`.pipe(columnRows)
  const constraints = yield* sql`
    select c.relname as "table", pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and not c.relispartition and k.contype in ('c', 'f', 'p', 'u')
    union
    select c.relname, regexp_replace(pg_get_indexdef(i.indexrelid), '^CREATE UNIQUE INDEX \\w+ ON \\S+ USING', 'UNIQUE')
    from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and not c.relispartition and i.indisunique
      and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid)
    order by 1, 2 limit 10000`.pipe(constraintRows)
  const names = [...new Set(columns.map(({ table }) => table))]
  return Object.fromEntries(
    names.map((name) => {
      const own = columns.filter(({ table }) => table === name)
      return [
        name,
        {
          columns: Object.fromEntries(own.map(({ column, type }) => [column, type])),
          required: own.filter(({ required }) => required).map(({ column }) => column),
          constraints: constraints.filter(({ table }) => table === name).map(({ definition }) => definition)
        }
      ]
    })
  ) satisfies Contract
})

/** What of the older contract the newer one breaks, in words. */
export const breaches = (older: Contract, newer: Contract): ReadonlyArray<string> =>
  Object.entries(older).flatMap(([name, table]) => {
    const now = newer[name]
    if (now === undefined) return [`table ${name} is gone`]
    return [
      ...Object.entries(table.columns).flatMap(([column, type]) =>
        now.columns[column] === type
          ? []
          : [`${name}.${column} was ${type}, is ${now.columns[column] ?? "gone"}`]
      ),
      ...now.required
        .filter((column) => !table.required.includes(column))
        .map((column) => `${name}.${column} must be given now`),
      ...now.constraints
        .filter((definition) => !table.constraints.includes(definition))
        .map((definition) => `${name} has a new constraint: ${definition}`)
    ]
  })

export const file = new URL("released.json", import.meta.url)

if (import.meta.main) {
  const contract = await Effect.runPromise(
    Effect.andThen(migrate, contractOf).pipe(Effect.provide(Pglite.layer({})))
  )
  writeFileSync(file, `${JSON.stringify(contract, undefined, 2)}\n`)
}
