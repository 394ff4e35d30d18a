/**
 * The heartbeat of a process: every few seconds it stores that it could write, so that a database that answers and stores
 * nothing is known without a request that fails. It is the record of uptime's part `writing`.
 */
import { Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../clock/DataClock.ts"
import { Availability } from "../process/Availability.ts"
import { MissingRights } from "../process/errors.ts"
import { pulse } from "../process/Pulse.ts"
import { rowsOf } from "../sql/rows.ts"

/** How often a process writes its heartbeat. */
export const heartbeatEvery = "5 seconds"

/** Records further apart do not belong together: the time between them is a gap. Milliseconds. */
export const together = 90_000

export type Part = "answering" | "collecting" | "writing"

/** The intervals of one process: what goes on is extended, and after a gap or a failure a new one begins. */
export const intervalsOf = (process: string) => {
  const open = new Map<Part, { readonly from: number; readonly until: number }>()
  return {
    /** Ends one, or all. */
    end: (part?: Part) => (part === undefined ? open.clear() : open.delete(part)),
    record: Effect.fnUntraced(function* (sql: SqlClient.SqlClient, part: Part, now: number) {
      const before = open.get(part)
      const goesOn = before !== undefined && now >= before.until && now - before.until <= together
      const from = goesOn ? before.from : now
      // Only what is written counts: after a failure, a new interval begins.
      open.delete(part)
      yield* sql`
        insert into uptime (part, process, up_from, up_until)
        values (${part}, ${process}, ${new Date(from)}, ${new Date(now)})
        on conflict (part, process, up_from) do update set up_until = excluded.up_until`
      open.set(part, { from, until: now })
    })
  }
}

/** A name of this process for its records. */
export const processName = Effect.gen(function* () {
  return Hex.encode(yield* (yield* SecureRandom).randomBytes(8))
})

const tableRows = rowsOf({ name: Schema.String })

/** A table into which this service's role may not insert; undefined if it may into all. */
export const tableWithoutRights = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [first] = yield* sql`
    select relname::text as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      and not has_table_privilege(oid, 'insert')
    order by relname limit 1`.pipe(tableRows)
  return first?.name
})

/**
 * Takes room on the disk of the database's tables, and gives it back: a row that is written again finds room in its own page
 * long after the disk is full. What exceeds the least memory of a statement goes into a file there. Needs a transaction.
 */
export const roomOnDisk = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`set local work_mem = '64kB'`
  yield* sql`select count(*) from generate_series(1, 5000)`
})

const ageRows = rowsOf({ age: Schema.NullOr(Schema.Finite) })

/** Seconds since the newest heartbeat of any process; null without one in the last hour. */
export const heartbeatAge = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [newest] = yield* sql`
    select extract(epoch from clock_timestamp() - max(up_until))::float8 as age from uptime
    where part = 'writing' and up_until > clock_timestamp() - interval '1 hour'`.pipe(ageRows)
  return newest?.age ?? null
})

/** The heartbeat of this process, once: it tells `Availability` how that went, and never fails. */
export const heartbeat: Effect.Effect<
  Effect.Effect<void>,
  never,
  Availability | SecureRandom | SqlClient.SqlClient
> = Effect.gen(function* () {
  const { beat } = yield* Availability
  const sql = yield* pulse
  const intervals = intervalsOf(yield* processName)
  const write: Effect.Effect<void, SqlError | MissingRights> = Effect.gen(function* () {
    yield* intervals.record(sql, "writing", yield* DataClock.now)
    yield* roomOnDisk(sql)
    const table = yield* tableWithoutRights(sql)
    if (table !== undefined) return yield* new MissingRights({ table })
  }).pipe(
    sql.withTransaction,
    Effect.onError(() => Effect.sync(() => intervals.end("writing")))
  )
  return beat(write)
})
