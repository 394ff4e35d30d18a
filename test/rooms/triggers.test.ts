/** The triggers of the database, which no reader of TypeScript meets: each is listed in the README of the room that owns its table. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { postgres } from "../support/database.ts"
import { top } from "../support/reach.ts"

const heading = "## Triggers"

/** The rows of the table under the heading: trigger, table, what it starts. */
const listed = globSync("core/*/README.md", { cwd: top }).flatMap((path) => {
  const [, section = ""] = readFileSync(join(top, path), "utf8").split(heading)
  return [...section.matchAll(/^\| `(\w+)` \| `(\w+)` \| (.+) \|$/gm)].map(
    ([, trigger, table, starts = ""]) => ({
      name: `${trigger} on ${table}`,
      starts
    })
  )
})

layer(postgres)("the triggers", (it) => {
  it.effect("are those that the READMEs list, with the tables that they write", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const triggers = yield* sql<{ name: string; body: string }>`
        select t.tgname || ' on ' || c.relname as name, p.prosrc as body
        from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
        where not t.tgisinternal and t.tgparentid = 0 order by 1`
      assert.deepStrictEqual(
        listed.map(({ name }) => name).sort(),
        triggers.map(({ name }) => name)
      )
      for (const { body, name } of triggers) {
        const starts = listed.find((one) => one.name === name)?.starts ?? ""
        for (const [, table = ""] of body.matchAll(/(?:insert into|update|delete from) (?!set\b)(\w+)/g))
          assert.include(starts, `\`${table}\``, name)
      }
    })
  )
})
