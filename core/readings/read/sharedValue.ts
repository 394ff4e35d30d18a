/** A figure that takes long to compute: one process computes it for all that share the database. */
import { Duration, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../clock/DataClock.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { Named } from "../../wire/data/dependency.ts"
import { Changes } from "../Changes.ts"
import { refreshed } from "./refreshed.ts"
import { Versions } from "./Versions.ts"

/**
 * Serves the stored figure from memory, in the caller's scope, and computes it where it is as old as `every`. `refresh`
 * computes it now.
 */
export const storedFigure = Effect.fnUntraced(function* <A, I>(options: {
  readonly name: Named
  readonly every: Duration.Input
  readonly schema: Schema.Codec<A, I>
  readonly compute: Effect.Effect<A, SqlError>
}) {
  const { compute, every, name, schema } = options
  const sql = yield* SqlClient.SqlClient
  const changes = yield* Changes
  const versions = yield* Versions
  const figureRows = rowsOf({ value: schema, computed_at: Schema.Date })
  const encode = Schema.encodeSync(schema)
  let now = false

  const store = Effect.gen(function* () {
    const value = yield* compute
    yield* sql`
      insert into figure as f (name, value, computed_at)
      values (${name}, ${JSON.stringify(encode(value))}::jsonb, ${new Date(yield* DataClock.now)})
      on conflict (name) do update set value = excluded.value, computed_at = excluded.computed_at`.pipe(
      Effect.andThen(changes.tell(name)),
      sql.withTransaction
    )
    return value
  })

  const make = Effect.gen(function* () {
    if (now) return yield* store
    const [stored] = yield* sql`select value, computed_at from figure where name = ${name}`.pipe(figureRows)
    const age = (yield* DataClock.now) - (stored?.computed_at.getTime() ?? 0)
    // The loops of two processes are never quite in step.
    const young = age >= 0 && age < 0.9 * Duration.toMillis(Duration.fromInputUnsafe(every))
    return stored !== undefined && young ? stored.value : yield* store
  })

  const { read, refresh } = yield* refreshed(name, every, make, versions.touched(name))
  yield* changes.onElsewhere(name, refresh)
  return {
    read,
    refresh: Effect.suspend(() => {
      now = true
      return refresh
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          now = false
        })
      )
    )
  }
})
