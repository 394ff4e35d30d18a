/** The operator's commands for money, each in a process of its own, on a real Postgres. */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { cloneUrl } from "../support/database.ts"

const bin = new URL("../../runtime/bin.ts", import.meta.url).pathname

it.live(
  "credits grant, tier set and ledger check do what they say, and say what is wrong",
  () =>
    Effect.gen(function* () {
      const url = yield* cloneUrl
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-operator-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const secret = join(folder, "secret")
      writeFileSync(secret, "0".repeat(64), { mode: 0o600 })
      const environment = {
        DATABASE_URL: url,
        SIGNING_KEY_FILE: join(folder, "key.pem"),
        LOG_KEY_FILE: join(folder, "log-key.pem"),
        SERVER_SECRET_FILE: secret,
        DATA_DIR: folder
      }
      const plumbline = (...words: ReadonlyArray<string>) =>
        Effect.promise(
          () =>
            new Promise<{ code: number | string; out: string; err: string }>((resolve) =>
              execFile(process.execPath, [bin, ...words], { env: environment }, (error, out, err) =>
                resolve({ code: error?.code ?? 0, out, err })
              )
            )
        )
      assert.strictEqual((yield* plumbline("key", "new")).code, 0)
      const database = Postgres.layer(Redacted.make(url))
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into account (id, agent_name, created_at) values ('acc_1', '', now())`

        const twice = ["credits", "grant", "acc_1", "12.5", "--reason", "a test", "--key", "k"]
        assert.include((yield* plumbline(...twice)).out, "granted: acc_1 has 12.50 credits")
        assert.include((yield* plumbline(...twice)).out, "nothing changed")
        assert.deepStrictEqual(yield* sql`select cause, note from posting`, [
          { cause: "operator_grant", note: "a test" }
        ])
        for (const amount of ["1e2"]) {
          const refused = yield* plumbline("credits", "grant", "acc_1", amount, "--reason", "x")
          assert.notStrictEqual(refused.code, 0, amount)
        }
        const stranger = yield* plumbline("credits", "grant", "acc_2", "1", "--reason", "x")
        assert.include(stranger.err, "unknown account acc_2")

        assert.include((yield* plumbline("tier", "set", "acc_1", "design_partner")).out, "Design Partner")
        assert.notStrictEqual((yield* plumbline("tier", "set", "acc_1", "gold")).code, 0)
        assert.deepStrictEqual(yield* sql`select tier from account`, [{ tier: "design_partner" }])

        const good = yield* plumbline("ledger", "check", "--json")
        assert.deepInclude(JSON.parse(good.out), { ok: true, postings: 1, entries: 2, accounts: 1 })
        yield* sql`update account set balance = balance + 1`
        const bad = yield* plumbline("ledger", "check")
        assert.deepStrictEqual(
          [bad.code, bad.out.includes("account acc_1: balance is not the sum of its entries")],
          [1, true]
        )
      }).pipe(Effect.provide(database))
    }),
  120_000
)
