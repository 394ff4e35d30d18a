/**
 * Facts about a database that are set once and never change: what it holds, which secret and log it was made with. A start
 * that is refused must leave none behind, so they are claimed first, and stored once nothing can refuse it any more.
 */
import { Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { storedFact, storeFirstFacts } from "../../core/sql/keyValue.ts"

export class Facts extends Context.Service<
  Facts,
  {
    /** The stored fact; else this value, which `settle` stores. */
    readonly claim: (name: string, value: string) => Effect.Effect<string, SqlError>
    /** Stores what was claimed. Of two processes that settle at once, the first one's facts stay. */
    readonly settle: Effect.Effect<void, SqlError>
  }
>()("runtime/database/Facts") {
  static readonly layer = Layer.effect(
    Facts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const claims = new Map<string, string>()
      return Facts.of({
        claim: Effect.fnUntraced(function* (name, value) {
          const stored = yield* Effect.provideService(storedFact(name), SqlClient.SqlClient, sql)
          if (stored !== undefined) return stored
          const first = claims.get(name) ?? value
          claims.set(name, first)
          return first
        }),
        settle: Effect.suspend(() => Effect.provideService(storeFirstFacts(claims), SqlClient.SqlClient, sql))
      })
    })
  )
}
