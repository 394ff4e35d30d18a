/**
 * Partitions of `observation` by month, dropped whole when their retention ends, and of `daily` by year. Both are created
 * ahead.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { day } from "../../plugin/time.ts"
import { storedFact, storeFact } from "../../sql/keyValue.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { Due } from "../removing.ts"
import { withWriterLock } from "./writerLock.ts"

const nameRows = rowsOf({ name: Schema.String })

/** Start of history: earlier readings exist only in `latest`. Epoch milliseconds. */
export const epoch = Date.UTC(2026, 7, 6)

interface Partitioned {
  readonly table: "daily" | "observation"
  /** Start of the partition that holds a time, and of the one after it; epoch milliseconds. */
  readonly startOf: (ms: number) => number
  readonly next: (start: number) => number
  readonly nameOf: (start: number) => string
}

/** Readings by month, because they are dropped by month. */
const readings: Partitioned = {
  table: "observation",
  startOf: (ms) => monthOf(ms, 0),
  next: (start) => monthOf(start, 1),
  nameOf: (start) => `observation_${new Date(start).toISOString().slice(0, 7).replace("-", "_")}`
}

/** Days by year, so that what is written and asked most is in one small table; they are never dropped. */
const days: Partitioned = {
  table: "daily",
  startOf: (ms) => Date.UTC(new Date(ms).getUTCFullYear()),
  next: (start) => Date.UTC(new Date(start).getUTCFullYear() + 1),
  nameOf: (start) => `daily_${new Date(start).getUTCFullYear()}`
}

const monthOf = (ms: number, later: number): number => {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later)
}

const factOfFirst = "observation_kept_from"

/** Earlier readings are not kept; they exist only in `latest` and, by day, in `daily`. Epoch milliseconds. */
export const retainedFrom = Effect.map(storedFact(factOfFirst), (value) =>
  Math.max(epoch, Number(value ?? 0))
)

/** Creates the partitions from the first retained one to the one after `now`; replicas take turns. */
export const ensure = Effect.fn("partitions.ensure")(function* (now: number) {
  const missing = [
    ...(yield* missingOf(readings, yield* retainedFrom, now)),
    ...(yield* missingOf(days, epoch, now))
  ]
  if (missing.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* withWriterLock(Effect.forEach(missing, (statement) => sql.unsafe(statement), { discard: true }))
})

/** The statements that create what is missing. */
const missingOf = Effect.fnUntraced(function* (
  { nameOf, next, startOf, table }: Partitioned,
  from: number,
  now: number
) {
  const there = new Set((yield* partitionsOf(table)).map(({ name }) => name))
  const bound = (start: number) => new Date(start).toISOString()
  const statements: Array<string> = []
  for (let start = startOf(from); start <= next(startOf(now)); start = next(start)) {
    const name = nameOf(start)
    if (there.has(name)) continue
    statements.push(
      `create table if not exists ${name} partition of ${table} for values from ('${bound(start)}') to ('${bound(next(start))}')`
    )
  }
  return statements
})

const partitionsOf = Effect.fnUntraced(function* (table: Partitioned["table"]) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${table}::text::regclass order by 1 limit 10000`.pipe(nameRows)
})

/**
 * Drops the partitions of readings whose every reading is older than `keepDays`, and before `attested` (epoch
 * milliseconds): those after it are still to be sealed. `daily` keeps their days forever.
 */
export const dropBefore = Effect.fn("partitions.dropBefore")(function* (
  due: Due,
  { attested, keepDays }: { readonly attested: number; readonly keepDays: number }
) {
  const sql = yield* SqlClient.SqlClient
  const first = readings.startOf(Math.min(due.data - keepDays * day, attested))
  return yield* withWriterLock(
    Effect.gen(function* () {
      // Only moves forward: setting a longer retention does not restore dropped readings.
      if (first <= readings.startOf(yield* retainedFrom)) return []
      yield* storeFact(factOfFirst, String(first))
      const old = (yield* partitionsOf("observation")).filter(({ name }) => name < readings.nameOf(first))
      for (const { name } of old) yield* sql.unsafe(`drop table if exists ${name}`)
      return old.map(({ name }) => name)
    })
  )
})
