/** Monthly partitions of `observation`, made ahead and dropped whole when their readings have served their time. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

/** The clean epoch of history (spec 2.1 rule 4): a reading of before lives in `latest` only. Epoch milliseconds. */
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

/** Makes the partitions from the epoch to the month after `now`. */
export const ensure = Effect.fn("partitions.ensure")(function* (now: number) {
  const sql = yield* SqlClient.SqlClient
  const last = nextMonth(monthOf(now))
  const dropped = yield* sql<{ value: string }>`select value from fact where name = 'observation_kept_from'`
  const first = Math.max(monthOf(epoch), Number(dropped[0]?.value ?? 0))
  for (let month = first; month <= last; month = nextMonth(month)) {
    yield* sql.unsafe(
      `create table if not exists ${nameOf(month)} partition of observation for values from ('${new Date(month).toISOString()}') to ('${new Date(nextMonth(month)).toISOString()}')`
    )
  }
})

/** Drops the partitions whose every reading is older than `keepDays`; `daily` keeps their days for ever. */
export const dropBefore = Effect.fn("partitions.dropBefore")(function* (now: number, keepDays: number) {
  const sql = yield* SqlClient.SqlClient
  const keptFrom = monthOf(now - keepDays * 86_400_000)
  const tables = yield* sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'observation'::regclass and c.relname < ${nameOf(keptFrom)} order by 1 limit 1000`
  for (const { name } of tables) yield* sql.unsafe(`drop table if exists ${name}`)
  yield* sql`insert into fact ${sql.insert({ name: "observation_kept_from", value: String(keptFrom) })}
    on conflict (name) do update set value = excluded.value`
  return tables.map(({ name }) => name)
})
