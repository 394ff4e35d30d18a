/**
 * Whole tables, read and written as the JSON text that Postgres writes and reads, so no value is converted to a JavaScript
 * number: for copies, backups and restores.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { sha256 } from "../../core/log/leaves.ts"
import { concat, toHex } from "../../core/proof/bytes.ts"
import { buildTree, leafHash, root } from "../../core/proof/merkle.ts"
import { texts } from "../../core/readings/ingest/arrays.ts"
import { rowsOf } from "../../core/sql/rows.ts"

/** What was written is not what was read, or there was something before. The message says which table. */
export class TablesDiffer extends Schema.TaggedError<TablesDiffer>()("TablesDiffer", {
  message: Schema.String
}) {}

export const Partition = Schema.Struct({ name: Schema.String, parent: Schema.String, bound: Schema.String })
export const Sequence = Schema.Struct({ name: Schema.String, last: Schema.NullOr(Schema.String) })

const countRows = rowsOf({ n: Schema.Int })
const tableRows = rowsOf({ name: Schema.String, refers: Schema.Array(Schema.String) })
const partitionRows = rowsOf(Partition.fields)
const pageRows = rowsOf({ pages: Schema.Int })
const jsonRows = rowsOf({ row: Schema.String })
const sequenceRows = rowsOf(Sequence.fields)
const sumRows = rowsOf({ sum: Schema.String })
const textRows = rowsOf({ text: Schema.String })
const headRows = rowsOf({ size: Schema.Int, root: Schema.String })

/** Table pages read at once: half a megabyte of ordinary rows, more if long values are stored out of line. */
const pages = 64

/** First in a transaction that copies tables: in UTC, as rows are written and read, and however long it must wait in between. */
export const patient = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`set local timezone to 'UTC'`
  yield* sql`set local idle_in_transaction_session_timeout to 0`
  yield* sql`set local lock_timeout to 0`
})

/** The same for one that reads them: it sees one state of the database throughout. */
export const steady = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`set transaction isolation level repeatable read`
  yield* patient
})

/**
 * All tables except the bodies, the archive's files and the migrator's own, in groups: those of one reference nothing but tables of the
 * groups before it.
 */
export const tableGroups = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql`
    select c.relname as name, coalesce((
      select array_agg(distinct r.relname::text) from pg_constraint f join pg_class r on r.oid = f.confrelid
      where f.conrelid = c.oid and f.contype = 'f' and r.oid <> c.oid
    ), '{}') as refers
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind = 'r' and c.relname not in ('archive_part', 'blob')
      and c.relname not like 'migrations\\_%'
    order by c.relname limit 10000`.pipe(tableRows)
  const groups: Array<ReadonlyArray<string>> = []
  const left = new Map(tables.map(({ name, refers }) => [name, refers]))
  while (left.size > 0) {
    const free = [...left]
      .filter(([, refers]) => !refers.some((name) => left.has(name)))
      .map(([name]) => name)
    if (free.length === 0)
      return yield* Effect.die(`tables refer to each other: ${[...left.keys()].join(", ")}`)
    for (const name of free) left.delete(name)
    groups.push(free)
  }
  return groups
})

/** The same, each after the tables that it references. */
export const tablesOf = Effect.map(tableGroups, (groups) => groups.flat())

/** Empties these tables, also those that are only appended to: their triggers do not fire. */
export const clear = Effect.fnUntraced(function* (tables: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const names = tables.map((table) => `"${table}"`)
  const triggers = (what: "disable" | "enable") =>
    Effect.forEach(names, (name) => sql.unsafe(`alter table ${name} ${what} trigger user`), { discard: true })
  yield* triggers("disable").pipe(
    Effect.andThen(sql.unsafe(`truncate ${names.join(", ")}`)),
    Effect.andThen(triggers("enable")),
    sql.withTransaction
  )
})

export const partitionsOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where c.relispartition and c.relkind = 'r' order by c.relname limit 10000`.pipe(partitionRows)
})

export const makePartitions = Effect.fnUntraced(function* (partitions: ReadonlyArray<typeof Partition.Type>) {
  const sql = yield* SqlClient.SqlClient
  for (const { bound, name, parent } of partitions) {
    yield* sql.unsafe(`create table if not exists "${name}" partition of "${parent}" ${bound}`)
  }
})

/** Fails with the first of the tables that has rows. */
export const requireEmpty = Effect.fnUntraced(function* (tables: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  for (const table of tables) {
    const [there] = yield* sql.unsafe(`select count(*)::int as n from "${table}"`).pipe(countRows)
    if (there?.n === 0) continue
    return yield* new TablesDiffer({
      message: `the target is not empty: its table ${table} has rows; use a new database or folder`
    })
  }
})

/** Hands over all rows of a table, part after part; returns how many there are. */
export const readTable = Effect.fnUntraced(function* <E, R>(
  table: string,
  use: (rows: ReadonlyArray<string>) => Effect.Effect<void, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  const [size] = yield* sql`
    select (pg_relation_size(${`"${table}"`}::regclass) / current_setting('block_size')::int)::int as pages`.pipe(
    pageRows
  )
  let rows = 0
  for (let page = 0; page < (size?.pages ?? 0); page += pages) {
    const part = yield* sql
      .unsafe(
        `select to_jsonb(t)::text as row from "${table}" t where ctid >= '(${page},0)' and ctid < '(${page + pages},0)'`
      )
      .pipe(jsonRows)
    if (part.length === 0) continue
    rows += part.length
    yield* use(part.map(({ row }) => row))
  }
  return rows
})

/** Fills a table. Its triggers do not fire: their effects are in the rows of other tables. */
export const fillTable = Effect.fnUntraced(function* <A, E, R>(
  table: string,
  work: (insert: (rows: ReadonlyArray<string>) => ReturnType<typeof insertRows>) => Effect.Effect<A, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`alter table "${table}" disable trigger user`)
  const done = yield* work((rows) => insertRows(sql, table, rows))
  yield* sql.unsafe(`alter table "${table}" enable trigger user`)
  return done
})

/**
 * The record is made in `from`, once a row: of `select (f(x)).*` Postgres makes a call of `f` for each column, which took nine times
 * as long for a table of 13 columns.
 */
const insertRows = (sql: SqlClient.SqlClient, table: string, rows: ReadonlyArray<string>) =>
  sql`insert into ${sql(table)} overriding system value
    select p.* from unnest(${texts(rows)}) as r cross join json_populate_record(null::${sql(table)}, r::json) as p`.pipe(
    Effect.asVoid
  )

export const sequencesOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select sequencename as name, last_value::text as last from pg_sequences
    where schemaname = current_schema() order by sequencename limit 10000`.pipe(sequenceRows)
})

/** Sequences continue where they were. */
export const setSequences = Effect.fnUntraced(function* (sequences: ReadonlyArray<typeof Sequence.Type>) {
  const sql = yield* SqlClient.SqlClient
  for (const { last, name } of sequences) {
    if (last !== null) yield* sql`select setval(${`"${name}"`}::regclass, ${last}::text::bigint)`
  }
})

/** The number of rows and a sum over their hashes, which does not depend on their order. */
export const sumOf = Effect.fnUntraced(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql
    .unsafe(
      `select count(*) || ' rows ' || coalesce(sum(('x' || left(md5(to_jsonb(t)::text), 15))::bit(60)::bigint), 0) as sum from "${table}" t`
    )
    .pipe(sumRows)
  return row?.sum ?? ""
})

export const requireSum = Effect.fnUntraced(function* (table: string, sum: string) {
  const actual = yield* sumOf(table)
  if (actual === sum) return
  return yield* new TablesDiffer({
    message: `the rows of ${table} differ after the copy: ${sum} in the source, ${actual} in the target`
  })
})

/** The newest signed head; null if nothing is published yet. Fails if the entries do not have its root. */
export const checkedHead = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const hashes: Array<Uint8Array> = []
  while (true) {
    const part = yield* sql`
      select text from log_entry where place >= ${hashes.length} order by place limit 5000`.pipe(textRows)
    hashes.push(...part.map(({ text }) => leafHash(new TextEncoder().encode(text), sha256)))
    if (part.length < 5000) break
  }
  const [head] = yield* sql`
    select size, root from checkpoint order by size desc limit 1`.pipe(headRows)
  if (head === undefined) return null
  const rootHash = toHex(root(buildTree(concat(...hashes), sha256), sha256))
  if (head.size !== hashes.length || head.root !== rootHash) {
    return yield* new TablesDiffer({
      message: `the log does not match its signed head: its ${hashes.length} entries have the root ${rootHash}`
    })
  }
  return head
})
