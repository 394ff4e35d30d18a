/** Monthly partitions of `observation`, created ahead and dropped whole when their retention ends. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { storedFact } from "../fact.ts"
import { rowsOf } from "../rows.ts"
import { withWriterLock } from "./writerLock.ts"

const nameRows = rowsOf({ name: Schema.String })

/** Start of history: earlier readings exist only in `latest`. Epoch milliseconds. */
export const epoch = Date.UTC(2026, 7, 6)

const monthOf = (ms: number): number => {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

const nextMonth = (month: number): number => {
  const date = new Date(month)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

const nameOf = (month: number): string =>
  `observation_${new Date(month).toISOString().slice(0, 7).replace("-", "_")}`

const factOfFirst = "observation_kept_from"

/** Earlier readings are not kept; they exist only in `latest` and, by day, in `daily`. Epoch milliseconds. */
export const keptFrom = Effect.map(storedFact(factOfFirst), (kept) => Math.max(epoch, Number(kept ?? 0)))

/** Creates the partitions from the first retained month to the month after `now`; replicas take turns. */
export const ensure = Effect.fn("partitions.ensure")(function* (now: number) {
  const sql = yield* SqlClient.SqlClient
  const first = monthOf(yield* keptFrom)
  const last = nextMonth(monthOf(now))
  const there = new Set((yield* tables).map(({ name }) => name))
  const missing: Array<number> = []
  for (let month = first; month <= last; month = nextMonth(month)) {
    if (!there.has(nameOf(month))) missing.push(month)
  }
  if (missing.length === 0) return
  yield* withWriterLock(
    Effect.forEach(
      missing,
      (month) =>
        sql.unsafe(
          `create table if not exists ${nameOf(month)} partition of observation for values from ('${new Date(month).toISOString()}') to ('${new Date(nextMonth(month)).toISOString()}')`
        ),
      { discard: true }
    )
  )
})

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'observation'::regclass order by 1 limit 10000`.pipe(nameRows)
})

/** Drops the partitions whose every reading is older than `keepDays`; `daily` keeps their days forever. */
export const dropBefore = Effect.fn("partitions.dropBefore")(function* (now: number, keepDays: number) {
  const sql = yield* SqlClient.SqlClient
  const first = monthOf(now - keepDays * 86_400_000)
  return yield* withWriterLock(
    Effect.gen(function* () {
      // Only moves forward: setting a longer retention does not restore dropped readings.
      if (first <= monthOf(yield* keptFrom)) return []
      yield* sql`insert into fact ${sql.insert({ name: factOfFirst, value: String(first) })}
        on conflict (name) do update set value = excluded.value`
      const old = (yield* tables).filter(({ name }) => name < nameOf(first))
      for (const { name } of old) yield* sql.unsafe(`drop table if exists ${name}`)
      return old.map(({ name }) => name)
    })
  )
})
