/** A database of each release goes on under this version: in place, beside the release while both run, and back again. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../core/sql/rows.ts"
import { codeLevels, levelsOf, migrate } from "../../runtime/database/migrate.ts"
import { upgradeOf } from "../../runtime/database/upgrade.ts"
import releases from "../../runtime/release/releases.json" with { type: "json" }
import { breaches, type Contract, contractOf } from "../database/released.ts"
import { emptyPglite, emptyPostgres } from "../support/database.ts"
import { load, type Version } from "./earlier.ts"
import { balances, goesOn, minutes } from "./working.ts"

/** What is signed, or hashed by what is signed: no upgrade writes there. */
const sealedTables = ["checkpoint", "document", "leaf", "log_entry", "signing_key"]

const sums = rowsOf({ sum: Schema.String })

/** A hash over the rows of these tables, of the columns that the release has. */
const sealedContents = Effect.fnUntraced(function* (released: Contract) {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.forEach(sealedTables, (table) => {
    const columns = Object.keys(released[table]?.columns ?? {}).map((column) => sql(column))
    return sql`select ${table} || ' ' || count(*) || ' ' ||
      coalesce(sum(hashtextextended(row(${sql.join(", ", false)(columns.map((column) => sql`${column}`))})::text, 0)), 0) as sum
      from ${sql(table)}`.pipe(sums)
  })
})

for (const { version } of releases as ReadonlyArray<{ readonly version: Version }>) {
  describe(`a database of ${version}`, () => {
    for (const [engine, database] of [
      ["Postgres", emptyPostgres],
      ["PGlite", emptyPglite]
    ] as const) {
      it.effect(
        `is upgraded in place, and its log and books go on (${engine})`,
        () =>
          Effect.gen(function* () {
            yield* load(version)
            const accounts = (yield* balances).accounts
            const released = yield* contractOf
            const sealed = yield* sealedContents(released)
            const ahead = yield* upgradeOf
            assert.strictEqual(ahead.state, "opens")
            yield* migrate
            assert.deepStrictEqual(yield* levelsOf, codeLevels)
            assert.deepStrictEqual(yield* sealedContents(released), sealed)
            const after = yield* balances
            assert.isTrue(after.report.ok)
            assert.lengthOf(after.accounts, 1)
            assert.deepStrictEqual(after.accounts, accounts)
            yield* goesOn
          }).pipe(Effect.provide(database)),
        minutes
      )
    }

    it.effect(
      "keeps what the release reads and takes what it writes, or tells it not to start",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* load(version)
          const contract = yield* contractOf
          assert.isAbove(Object.keys(contract).length, 30)
          const levels = yield* levelsOf
          yield* migrate
          const least = yield* sql<{ name: string; value: string }>`
            select name, value from fact where name like 'schema_least:%'`
          const isTold = least.some(({ name, value }) => Number(value) > (levels[name.slice(13)] ?? 0))
          if (!isTold) assert.deepStrictEqual(breaches(contract, yield* contractOf), [])
        }).pipe(Effect.provide(emptyPostgres)),
      minutes
    )
  })
}
