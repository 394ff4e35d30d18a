/**
 * Migrates a database to the schema of this code, room by room. A rolling upgrade runs two versions on one database, so
 * a migration only adds what the version before can do without; `runtime/README.md` has the rule.
 */
import { Effect, Schema } from "effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { migrations as credits } from "../../core/migrations/credits.ts"
import { migrations as data } from "../../core/migrations/data.ts"
import { migrations as events } from "../../core/migrations/events.ts"
import { migrations as log } from "../../core/migrations/log.ts"
import { migrations as publications } from "../../core/migrations/publications.ts"
import { migrations as versions } from "../../core/migrations/versions.ts"
import { migrations as x402 } from "../../core/migrations/x402.ts"
import { texts } from "../../core/readings/ingest/arrays.ts"
import { raiseFacts, storedFact } from "../../core/sql/keyValue.ts"
import { factOfLeast } from "../../core/sql/least.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import { requireReadable, type Unreadable } from "./formats.ts"

/**
 * The rooms, in the order in which their tables may reference each other, under the name of their migration table. The
 * table for publications keeps its original name, `products`.
 */
const rooms = { data, log, credits, x402, products: publications, versions, events }

/** The number of the last migration by room. */
export type Levels = Readonly<Record<string, number>>

/** A database that only a newer version can use. The message says what to do. */
export class DatabaseTooNew extends Schema.TaggedError<DatabaseTooNew>()("DatabaseTooNew", {
  message: Schema.String
}) {}

/**
 * By room, the lowest level that code must know to use a database of this code: the number of the migration before the
 * last one that took something away. Absent: nothing was ever taken away.
 */
const least: Levels = {}

const levelRows = rowsOf({ room: Schema.String, level: Schema.Int })
const roomRows = rowsOf({ room: Schema.String })

const numberOf = (name: string): number => Number.parseInt(name, 10)

/** What this code migrates to. */
export const codeLevels: Levels = Object.fromEntries(
  Object.entries(rooms).map(([room, migrations]) => [
    room,
    Math.max(...Object.keys(migrations).map(numberOf))
  ])
)

/** What the database is at; 0 for a room that it has not. Every start waits for this: two statements, not two a room. */
export const levelsOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const names = Object.keys(rooms)
  const present = yield* sql`select room from unnest(${texts(names)}::text[]) room
    where to_regclass('migrations_' || room) is not null`.pipe(roomRows)
  const levels = Object.fromEntries(names.map((room) => [room, 0]))
  if (present.length === 0) return levels
  const each = present.map(
    ({ room }) =>
      sql`select ${room}::text as room, coalesce(max(migration_id), 0)::int as level from ${sql(`migrations_${room}`)}`
  )
  const rows = yield* sql`${sql.join(" union all ", false)(each)}`.pipe(levelRows)
  return { ...levels, ...Object.fromEntries(rows.map(({ level, room }) => [room, level])) }
})

/** Why this code cannot use the tables of a database, from which a newer version took what it reads; undefined if it can. */
export const tablesTooNew = Effect.gen(function* () {
  for (const [room, level] of Object.entries(yield* levelsOf)) {
    const codeLevel = codeLevels[room] ?? 0
    if (level <= codeLevel || Number((yield* storedFact(factOfLeast(room))) ?? 0) <= codeLevel) continue
    return {
      message: `a newer version of Plumbline changed this database so that this version cannot use it (tables of "${room}")`,
      action: "start the newer version, or restore a backup that this version made"
    } satisfies Unreadable
  }
  return undefined
})

/** Refuses a database from which a newer version took what this code reads; warns about any other that is newer. */
const refuseTooNew = Effect.gen(function* () {
  const why = yield* tablesTooNew
  if (why !== undefined) return yield* new DatabaseTooNew({ message: `${why.message}; ${why.action}` })
  if (Object.entries(yield* levelsOf).some(([room, level]) => level > (codeLevels[room] ?? 0))) {
    yield* Effect.logWarning(
      "the database is of a newer version of Plumbline, with which this one can share it: finish the upgrade soon"
    )
  }
})

/** Runs the missing migrations up to these levels. Two processes that start together wait for each other. */
export const migrateTo = Effect.fnUntraced(function* (levels: Levels) {
  const sql = yield* SqlClient.SqlClient
  const current: Levels = yield* levelsOf
  const behind = Object.entries(rooms).filter(([room]) => (current[room] ?? 0) < (levels[room] ?? 0))
  if (behind.length === 0) return
  yield* sql`set client_min_messages to warning`
  for (const [room, migrations] of behind) {
    const selected = Object.fromEntries(
      Object.entries(migrations).filter(([name]) => numberOf(name) <= (levels[room] ?? 0))
    )
    yield* Migrator.make({})({ loader: Migrator.fromRecord(selected), table: `migrations_${room}` })
  }
})

/** Runs the missing migrations of a database that this code can read; refuses any other before it is changed. */
export const migrate = Effect.gen(function* () {
  yield* refuseTooNew
  yield* requireReadable
  yield* migrateTo(codeLevels)
  yield* raiseFacts(
    Object.fromEntries(Object.entries(least).map(([room, level]) => [factOfLeast(room), level]))
  )
})
