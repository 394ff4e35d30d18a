/** What SQL gives is held to a schema: money is never a double by accident. */
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Predicate, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { manyRowsOf, rowsOf } from "../../core/sql/rows.ts"
import { onBothEngines } from "../support/database.ts"

const decodeRows = rowsOf({ balance: Schema.BigInt, at: Schema.Date })
const many = manyRowsOf({
  value: Predicate.isNumber,
  at: Predicate.isDate,
  text: Predicate.or(Predicate.isString, Predicate.isNull)
})

onBothEngines("rows", (database) =>
  layer(database)((it) => {
    it.effect("are those of the schema, without what it does not name", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`
          select 9007199254740993::bigint as balance, timestamptz '2026-09-01 00:00Z' as at, 1 as other`.pipe(
          decodeRows
        )
        assert.deepStrictEqual(rows, [{ balance: 9007199254740993n, at: new Date("2026-09-01T00:00:00Z") }])
      })
    )

    it.effect("of another shape are a defect that names the column", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const exit = yield* Effect.exit(sql`select 1::float8 as balance, now() as at`.pipe(decodeRows))
        assert.isTrue(Exit.isFailure(exit))
        if (Exit.isFailure(exit)) {
          assert.isTrue(exit.cause.reasons.every(Cause.isDieReason))
          assert.match(String(Cause.squash(exit.cause)), /balance/)
        }
      })
    )

    it.effect("are checked in place where there are many of them", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`
          select 1.5::float8 as value, timestamptz '2026-09-01 00:00Z' as at, null::text as text`.pipe(many)
        assert.deepStrictEqual(rows, [{ value: 1.5, at: new Date("2026-09-01T00:00:00Z"), text: null }])
      })
    )

    it.effect("one of another shape among many is a defect that names the columns", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const exit = yield* Effect.exit(
          sql`
            select 1::bigint as value, now() as at, null::text as text from generate_series(1, 3)`.pipe(many)
        )
        assert.isTrue(Exit.isFailure(exit))
        if (Exit.isFailure(exit)) {
          assert.isTrue(exit.cause.reasons.every(Cause.isDieReason))
          assert.strictEqual(
            String(Cause.squash(exit.cause)),
            "Error: a statement gave rows with another type in: value"
          )
        }
      })
    )
  })
)
