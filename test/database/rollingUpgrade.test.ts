/** Two versions share one database while an upgrade is under way. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { codeLevels, levelsOf, migrate, migrateTo } from "../../runtime/database/migrate.ts"
import * as Databases from "../support/database.ts"
import { breaches, type Contract, contractOf, file } from "./released.ts"

const released = JSON.parse(readFileSync(file, "utf8")) as Contract

describe("a database that newer code has migrated", () => {
  it.effect("still has what the released code reads, and takes what it writes", () =>
    Effect.gen(function* () {
      assert.isAbove(Object.keys(released).length, 30)
      assert.deepStrictEqual(breaches(released, yield* contractOf), [])
    }).pipe(Effect.provide(Databases.postgres))
  )

  it.effect("is recognised as broken for older code, whichever way a migration breaks it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const cases = [
        ["alter table run drop column refused", "run.refused was jsonb, is gone"],
        ["alter table latest rename column run to run_id", "latest.run was text, is gone"],
        ["alter table exchange alter column status type bigint", "exchange.status was integer, is bigint"],
        ["alter table series add column hue text not null", "series.hue must be given now"],
        ["alter table latest alter column read_url set not null", "latest.read_url must be given now"],
        [
          "alter table series add check (unit <> '')",
          "series has a new constraint: CHECK ((unit <> ''::text))"
        ],
        ["create unique index on revision (run)", "revision has a new constraint: UNIQUE btree (run)"],
        ["drop table tree_level", "table tree_level is gone"]
      ] as const
      for (const [statement, breach] of cases) {
        const outcome = yield* sql
          .withTransaction(
            Effect.flatMap(Effect.andThen(sql.unsafe(statement), contractOf), (now) =>
              // The transaction is undone.
              Effect.fail({ found: breaches(released, now) })
            )
          )
          .pipe(Effect.flip)
        assert.isTrue(
          "found" in outcome && outcome.found.includes(breach),
          `${statement}: ${JSON.stringify(outcome)}`
        )
      }
      // What older code does without.
      yield* sql`alter table series add column colour text, add column size integer not null default 0`
      yield* sql`create table later (id integer primary key)`
      assert.deepStrictEqual(breaches(released, yield* contractOf), [])
    }).pipe(Effect.provide(Databases.postgres))
  )

  it.effect("is used by older code, until the newer one says that it took something away", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const next = (codeLevels["data"] ?? 0) + 1
      yield* sql`insert into migrations_data ${sql.insert({ migration_id: next, name: "of_a_newer_version" })}`
      yield* migrate
      yield* sql`insert into fact ${sql.insert({ name: "schema_least:data", value: String(next - 1) })}`
      yield* migrate
      yield* sql`update fact set value = ${String(next)} where name = 'schema_least:data'`
      const error = yield* Effect.flip(migrate)
      assert.strictEqual(error._tag, "DatabaseTooNew")
      assert.match(
        error.message,
        /a newer version of Plumbline changed this database .*start the newer version/
      )
    }).pipe(Effect.provide(Databases.postgres))
  )

  it.effect("is what a backup of an older version becomes", () =>
    Effect.gen(function* () {
      const older = { ...codeLevels, data: (codeLevels["data"] ?? 0) - 1 }
      yield* migrateTo(older)
      assert.deepStrictEqual(yield* levelsOf, older)
      yield* migrate
      assert.deepStrictEqual(yield* levelsOf, codeLevels)
      assert.deepStrictEqual(breaches(released, yield* contractOf), [])
    }).pipe(Effect.provide(Databases.emptyPostgres))
  )
})
