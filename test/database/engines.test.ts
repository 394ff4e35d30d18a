import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { onBothEngines, postgres } from "../support/database.ts"

onBothEngines("a database", (database) => {
  layer(database)((it) => {
    it.effect("is migrated", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`select count(*)::int as n from observation`, [{ n: 0 }])
      })
    )

    it.effect("rolls a failed transaction back and goes on", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into fact values ('a', '1')`.pipe(
          Effect.andThen(Effect.fail("stop")),
          sql.withTransaction,
          Effect.ignore
        )
        assert.deepStrictEqual(yield* sql`select count(*)::int as n from fact where name = 'a'`, [{ n: 0 }])
      })
    )

    it.effect("goes on after a query that was interrupted while it ran", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (let round = 0; round < 3; round++) {
          const slow = yield* Effect.forkChild(sql`select count(*) from generate_series(1, 3000000)`)
          // Long enough for the query to be on its way, so that the client asks the server to cancel it.
          yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 30)))
          yield* Fiber.interrupt(slow)
          assert.deepStrictEqual(yield* sql`select ${round}::int as n`, [{ n: round }])
        }
      })
    )

    it.effect("ends an interrupted transaction although others wait for its connection", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (let round = 0; round < 3; round++) {
          const slow = yield* Effect.forkChild(
            sql`insert into fact values (${`left${round}`}, '1')`.pipe(
              Effect.andThen(sql`select count(*) from generate_series(1, 3000000)`),
              sql.withTransaction
            )
          )
          const waiting = yield* Effect.forkChild(sql`select ${round}::int as n`)
          yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 30)))
          yield* Fiber.interrupt(slow)
          assert.deepStrictEqual(yield* Fiber.join(waiting), [{ n: round }])
        }
        const left = sql`select count(*)::int as n from fact where name like 'left%'`
        assert.deepStrictEqual(yield* left, [{ n: 0 }])
      })
    )

    it.effect("gives no answer of an interrupted query to a later one", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (let round = 0; round < 5; round++) {
          const slow = yield* Effect.forkChild(
            sql.withTransaction(
              sql`insert into fact values (${`slow${round}`}, '1')`.pipe(
                Effect.andThen(sql`select count(*) from generate_series(1, 300000)`)
              )
            )
          )
          yield* Effect.yieldNow
          yield* Fiber.interrupt(slow)
          assert.deepStrictEqual(yield* sql`select ${round}::int as n`, [{ n: round }])
        }
        assert.deepStrictEqual(yield* sql`select count(*)::int as n from fact where name like 'slow%'`, [
          { n: 0 }
        ])
      })
    )
  })
})

layer(postgres)("a session on Postgres", (it) => {
  it.effect("neither holds its locks forever while it is silent, nor waits forever for those of others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`show idle_in_transaction_session_timeout`, [
        { idle_in_transaction_session_timeout: "30s" }
      ])
      assert.deepStrictEqual(yield* sql`show lock_timeout`, [{ lock_timeout: "2min" }])
    })
  )
})
