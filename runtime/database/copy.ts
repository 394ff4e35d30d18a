/**
 * Copies a whole database into an empty one, on either engine: the way to move or to upgrade. Rows travel as the JSON text
 * that Postgres writes and reads, so no value is converted to a JavaScript number. Everything happens in one transaction
 * on the target, which commits only if the checks pass: a failed copy leaves nothing behind.
 */
import { createHash } from "node:crypto"
import { Context, Effect, Option, Schema, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Ledger } from "../../core/credits/Ledger.ts"
import { texts } from "../../core/data/ingest/arrays.ts"
import { Blobs } from "../../core/data/ingest/Blobs.ts"
import { rowsOf } from "../../core/data/rows.ts"
import { ArchiveFiles, keyOf } from "../../core/log/archive/ArchiveFiles.ts"
import { concat, toHex } from "../../core/proof/bytes.ts"
import { buildTree, leafHash, root } from "../../core/proof/merkle.ts"
import { migrate } from "./migrate.ts"

/** The copy failed; the target is unchanged. */
export class CopyError extends Schema.TaggedError<CopyError>()("CopyError", { message: Schema.String }) {}

/** A database, its stored bodies and its archive. */
export type Place = Context.Context<ArchiveFiles | SqlClient.SqlClient | Blobs>

/** What was copied and verified. */
export interface Copied {
  readonly tables: ReadonlyArray<{ readonly table: string; readonly rows: number }>
  readonly bodies: number
  /** Files of the archive. */
  readonly files: number
  /** Root over the log entries, equal to the one of its newest signed head; null if nothing is published yet. */
  readonly logRoot: string | null
}

const countRows = rowsOf({ n: Schema.Int })
const tableRows = rowsOf({ name: Schema.String, refers: Schema.Array(Schema.String) })
const partitionRows = rowsOf({ name: Schema.String, parent: Schema.String, bound: Schema.String })
const pageRows = rowsOf({ pages: Schema.Int })
const jsonRows = rowsOf({ row: Schema.String })
const sequenceRows = rowsOf({ name: Schema.String, last: Schema.NullOr(Schema.String) })
const sumRows = rowsOf({ sum: Schema.String })
const textRows = rowsOf({ text: Schema.String })
const headRows = rowsOf({ size: Schema.Int, root: Schema.String })
const hashRows = rowsOf({ sha256: Schema.String })
const fileRows = rowsOf({ name: Schema.String, sha256: Schema.String, bytes: Schema.Int })

/** Table pages read at once: half a megabyte of ordinary rows, more if long values are stored out of line. */
const pages = 64

export const copy = Effect.fn("Database.copy")(function* (from: Place, to: Place) {
  const source = Context.get(from, SqlClient.SqlClient)
  const target = Context.get(to, SqlClient.SqlClient)
  yield* Effect.provideContext(migrate, from)
  yield* Effect.provideContext(migrate, to)
  const bodies = yield* copyBodies(from, to)
  const files = yield* copyArchive(from, to)

  const work = Effect.gen(function* () {
    yield* source`set transaction isolation level repeatable read`
    yield* source`set local timezone to 'UTC'`
    yield* target`set local timezone to 'UTC'`
    const tables = yield* tablesOf(source)
    yield* copyPartitions(source, target)
    for (const table of tables) {
      const [there] = yield* target.unsafe(`select count(*)::int as n from "${table}"`).pipe(countRows)
      if (there?.n !== 0) {
        return yield* new CopyError({
          message: `the target is not empty: its table ${table} has rows; use a new database or folder`
        })
      }
    }
    const copied: Array<{ table: string; rows: number }> = []
    for (const table of tables) copied.push({ table, rows: yield* copyTable(source, target, table) })
    yield* copySequences(source, target)
    for (const table of tables) {
      const [before, after] = [yield* sumOf(source, table), yield* sumOf(target, table)]
      if (before !== after) {
        return yield* new CopyError({
          message: `the rows of ${table} differ after the copy: ${before} in the source, ${after} in the target`
        })
      }
    }
    return { tables: copied, bodies, files, logRoot: yield* checkLog(target) } satisfies Copied
  })
  const checked = Effect.gen(function* () {
    const copied = yield* work
    const ledger = yield* Ledger.pipe(
      Effect.flatMap(({ check }) => check),
      Effect.provide(Ledger.layer),
      Effect.provideContext(to)
    )
    if (!ledger.ok) {
      return yield* new CopyError({ message: `the ledger does not balance: ${ledger.problems.join("; ")}` })
    }
    return copied
  })
  return yield* checked.pipe(source.withTransaction, target.withTransaction)
})

/** All tables except the bodies, the archive's files and the migrator's own, each after the tables that it references. */
const tablesOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const tables = yield* sql`
    select c.relname as name, coalesce((
      select array_agg(distinct r.relname::text) from pg_constraint f join pg_class r on r.oid = f.confrelid
      where f.conrelid = c.oid and f.contype = 'f' and r.oid <> c.oid
    ), '{}') as refers
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind = 'r' and c.relname not in ('archive_part', 'blob')
      and c.relname not like 'migrations\\_%'
    order by c.relname limit 10000`.pipe(tableRows)
  const sorted: Array<string> = []
  const left = new Map(tables.map(({ name, refers }) => [name, refers]))
  while (left.size > 0) {
    const free = [...left]
      .filter(([, refers]) => !refers.some((name) => left.has(name)))
      .map(([name]) => name)
    if (free.length === 0)
      return yield* Effect.die(`tables refer to each other: ${[...left.keys()].join(", ")}`)
    for (const name of free) left.delete(name)
    sorted.push(...free)
  }
  return sorted
})

const copyPartitions = Effect.fnUntraced(function* (
  source: SqlClient.SqlClient,
  target: SqlClient.SqlClient
) {
  const partitions = yield* source`
    select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where c.relispartition and c.relkind = 'r' limit 10000`.pipe(partitionRows)
  for (const { bound, name, parent } of partitions) {
    yield* target.unsafe(`create table if not exists "${name}" partition of "${parent}" ${bound}`)
  }
})

const copyTable = Effect.fnUntraced(function* (
  source: SqlClient.SqlClient,
  target: SqlClient.SqlClient,
  table: string
) {
  const [size] = yield* source`
    select (pg_relation_size(${`"${table}"`}::regclass) / current_setting('block_size')::int)::int as pages`.pipe(
    pageRows
  )
  // Copied rows must not fire triggers: their effects are copied as well.
  yield* target.unsafe(`alter table "${table}" disable trigger user`)
  let rows = 0
  for (let page = 0; page < (size?.pages ?? 0); page += pages) {
    const part = yield* source
      .unsafe(
        `select to_jsonb(t)::text as row from "${table}" t where ctid >= '(${page},0)' and ctid < '(${page + pages},0)'`
      )
      .pipe(jsonRows)
    if (part.length === 0) continue
    rows += part.length
    yield* target`
      insert into ${target(table)} overriding system value
      select (jsonb_populate_record(null::${target(table)}, r::jsonb)).* from unnest(${texts(part.map(({ row }) => row))}) as r`
  }
  yield* target.unsafe(`alter table "${table}" enable trigger user`)
  return rows
})

/** Sequences continue where they were. */
const copySequences = Effect.fnUntraced(function* (source: SqlClient.SqlClient, target: SqlClient.SqlClient) {
  const sequences = yield* source`
    select sequencename as name, last_value::text as last from pg_sequences
    where schemaname = current_schema() limit 10000`.pipe(sequenceRows)
  for (const { last, name } of sequences) {
    if (last !== null) yield* target`select setval(${`"${name}"`}::regclass, ${last}::text::bigint)`
  }
})

/** The number of rows and a sum over their hashes, which does not depend on their order. */
const sumOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, table: string) {
  const [found] = yield* sql
    .unsafe(
      `select count(*) || ' rows ' || coalesce(sum(('x' || left(md5(to_jsonb(t)::text), 15))::bit(60)::bigint), 0) as sum from "${table}" t`
    )
    .pipe(sumRows)
  return found?.sum
})

const checkLog = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const sha256 = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest()
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
  const found = toHex(root(buildTree(concat(...hashes), sha256), sha256))
  if (head.size !== hashes.length || head.root !== found) {
    return yield* new CopyError({
      message: `the log does not match its signed head: its ${hashes.length} entries have the root ${found}`
    })
  }
  return found
})

/** Copies every body that an exchange or a run names, except those that have expired. */
const copyBodies = Effect.fnUntraced(function* (from: Place, to: Place) {
  const sql = Context.get(from, SqlClient.SqlClient)
  const [source, target] = [Context.get(from, Blobs), Context.get(to, Blobs)]
  let [after, copied] = ["", 0]
  while (true) {
    const part = yield* sql`
      select sha256 from (
        select sha256 from exchange where sha256 > ${after}
        union select targets_sha256 from run where targets_sha256 > ${after}
      ) b order by sha256 limit 1000`.pipe(hashRows)
    for (const { sha256 } of part) {
      const body: Option.Option<Uint8Array> = yield* source.get(sha256)
      if (Option.isNone(body)) continue
      yield* target.put(sha256, body.value)
      copied++
    }
    after = part.at(-1)?.sha256 ?? after
    if (part.length < 1000) return copied
  }
})

/** Copies the published files of the archive, each of which must have the hash that the log has. */
const copyArchive = Effect.fnUntraced(function* (from: Place, to: Place) {
  const sql = Context.get(from, SqlClient.SqlClient)
  const [source, target] = [Context.get(from, ArchiveFiles), Context.get(to, ArchiveFiles)]
  const files = yield* sql`
    select name, sha256, bytes::float8 as bytes from archive_file where log_index is not null order by name`.pipe(
    fileRows
  )
  for (const { bytes, name, sha256 } of files) {
    const key = keyOf(name, sha256)
    const hash = createHash("sha256")
    yield* Stream.runForEach(source.read(key, 0, bytes), (part) => Effect.sync(() => hash.update(part)))
    if (hash.digest("hex") !== sha256) {
      return yield* new CopyError({
        message: `the archive's ${name} does not have the hash that is in the log`
      })
    }
    yield* target.put(key, {
      bytes,
      read: (start, end) =>
        Effect.map(Stream.runCollect(source.read(key, start, end)), (parts) => concat(...parts))
    })
  }
  return files.length
})
