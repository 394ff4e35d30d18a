/** Counts calls of a UTC day in SQL one by one: exact across replicas and restarts. */
import { Clock, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { day as dayMs } from "../plugin/time.ts"
import { rowsOf } from "../sql/rows.ts"

const countRows = rowsOf({ calls: Schema.BigInt })

export interface Counted {
  /** Calls left; undefined if this one was over the limit and did not count. */
  readonly left: number | undefined
  /** Whole seconds until the next day. */
  readonly dayEnds: number
}

export const countToday = Effect.fnUntraced(function* (sql: SqlClient, subject: string, perDay: number) {
  const now = yield* Clock.currentTimeMillis
  const day = Math.floor(now / dayMs)
  const [counted] = yield* sql`
    insert into usage (day, subject, calls)
    values (${new Date(day * dayMs).toISOString().slice(0, 10)}, ${subject}, 1)
    on conflict (day, subject) do update set calls = usage.calls + 1 where usage.calls < ${perDay}
    returning calls`.pipe(countRows)
  const dayEnds = Math.ceil(((day + 1) * dayMs - now) / 1000)
  return {
    left: counted === undefined ? undefined : perDay - Number(counted.calls),
    dayEnds
  } satisfies Counted
})

/** When the UTC day of a time begins. */
export const dayStarts = (now: number): Date => new Date(Math.floor(now / dayMs) * dayMs)

/** When it ends. */
export const dayEnds = (now: number): Date => new Date(dayStarts(now).getTime() + dayMs)
