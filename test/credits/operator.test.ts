/** The operator's commands for money on a real Postgres, one of them in a process of its own. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { cloneUrl } from "../support/database.ts"
import { type CommandResult, plumbline as inItsProcess, plumblineHere } from "../support/plumbline.ts"

type Plumbline = (...args: ReadonlyArray<string>) => Effect.Effect<CommandResult>

/** Lists what a warranty owes, and decides on what a ceiling stopped. */
const decidesOnWarranties = Effect.fnUntraced(function* (plumbline: Plumbline) {
  const sql = yield* SqlClient.SqlClient
  const list = ["money", "warranty"]
  assert.strictEqual((yield* plumbline(...list)).out.trim(), "warranties owe nothing")
  yield* sql`insert into warranty_sale (sale, promise, pays, most_per_day, most_in_total, sold_at, until, rows, root, keys)
    values ('pur_1', '{}', 245000, 1, 1, now(), now(), 1, '', '{}')`
  yield* sql`insert into warranty_payment (sale, amount, because, document, due_at, state)
    values ('pur_1', 245000, 'FIL was revised', 'aa', now(), 'stopped')`
  const { out } = yield* plumbline(...list)
  assert.match(out, /^pur_1 {2}0\.245 USD since \S+, stopped: FIL was revised \(\/v1\/log\/documents\/aa\)$/m)
  assert.include(out, 'money warranty --release --by <you> --reason "<why>"')
  for (const [more, says] of [
    [["pur_1"], "a sale is named only with --release"],
    [["--release", "--reason", "a test"], "--release needs --by"],
    [["--release", "--by", "ada"], "--release needs --reason"]
  ] as const)
    assert.include((yield* plumbline(...list, ...more)).err, says)
  assert.deepStrictEqual(yield* sql`select state from warranty_payment`, [{ state: "stopped" }])
  // What it owes is a line of the report; that it owes it is no difference. Nothing was compared: 2.
  const report = yield* plumbline("money", "report")
  assert.include(report.out, "paid back by warranties: 0.00 USD; not paid yet: 0.245 USD")
  assert.notInclude(report.out, "DIFFERS")
  assert.strictEqual(report.code, 2)
  yield* sql`insert into posting (key, cause, reference, posted_at) values ('w1', 'warranty', 'pur_0', now())`
  yield* sql`insert into ledger_entry (posting, account, amount)
    select id, t.account, t.amount from posting, (values ('sales', -5), ('x402', 5)) as t (account, amount) where key = 'w1'`
  const wrong = yield* plumbline("money", "report")
  assert.include(wrong.out, "DIFFERS  warranties paid 0.00 USD, but the books have 0.000005 USD of them")
  assert.strictEqual(wrong.code, 1)
  const released = [...list, "--release", "--by", "ada", "--reason", "a test"]
  assert.include((yield* plumbline(...released)).out, "released one payment")
  assert.include((yield* plumbline(...released)).out, "nothing was done")
  assert.deepStrictEqual(yield* sql`select state, released_by, release_reason from warranty_payment`, [
    { state: "due", released_by: "ada", release_reason: "a test" }
  ])
  assert.deepInclude(JSON.parse((yield* plumbline(...list, "--json")).out)[0], {
    sale: "pur_1",
    state: "due"
  })
})

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
      const plumbline = (...args: ReadonlyArray<string>) => plumblineHere(environment, ...args)
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
        const refused = yield* plumbline("credits", "grant", "acc_1", "1e2", "--reason", "x")
        assert.notStrictEqual(refused.code, 0)
        const stranger = yield* plumbline("credits", "grant", "acc_2", "1", "--reason", "x")
        assert.include(stranger.err, "unknown account acc_2")

        assert.include((yield* plumbline("tier", "set", "acc_1", "design_partner")).out, "Design Partner")
        assert.notStrictEqual((yield* plumbline("tier", "set", "acc_1", "gold")).code, 0)
        assert.deepStrictEqual(yield* sql`select tier from account`, [{ tier: "design_partner" }])

        yield* sql`insert into card_order (id, kind, sku, amount, account, scope, request_sha256, state, received, note,
          created_at) values ('ord_1', 'topup', 'pack_20', 20000000, 'acc_1', '', '', 'held', 15000000, 'a test', now())`
        const settling = JSON.parse((yield* plumbline("money", "held", "--json")).out).orders[0].settle[1]
        assert.match(
          settling,
          /^(npx plumbline|node \S+) money adjust ord_1 --to acc_1 --by <you> --reason "<why>" --yes$/
        )
        const adjust = ["money", "adjust", "ord_1", "--to", "acc_1", "--by", "ada", "--reason", "a test"]
        const unconfirmed = yield* plumbline(...adjust)
        assert.deepStrictEqual(
          [unconfirmed.code, unconfirmed.out.includes("would credit 15.00 USD")],
          [2, true]
        )
        const unbalanced = yield* plumbline("money", "report")
        assert.deepStrictEqual([unbalanced.code, unbalanced.out.includes("DIFFERS  suspense")], [1, true])
        assert.include((yield* plumbline(...adjust, "--yes")).out, "credited: 15.00 USD to acc_1")
        assert.deepStrictEqual(
          yield* sql`select operator, note from posting where key = 'operator_credit:ord_1'`,
          [{ operator: "ada", note: "a test" }]
        )
        const compared = yield* plumbline("money", "report")
        assert.deepStrictEqual(
          [compared.code, compared.out.trim().split("\n").at(-1)],
          [2, "nothing was compared, so this says nothing of the books"]
        )
        const report = JSON.parse((yield* plumbline("money", "report", "--json")).out)
        assert.deepInclude(report, { balances: true, suspense_usd: "0.00", held_usd: "0.00" })

        yield* decidesOnWarranties(plumbline)

        const nothing = ["money", "refund", "ord_1", "--amount", "0", "--by", "ada", "--reason", "a test"]
        assert.include((yield* plumbline(...nothing)).err, '--amount: "0" is not an amount in USD above 0')

        const good = yield* plumbline("ledger", "check", "--json")
        assert.deepInclude(JSON.parse(good.out), { ok: true, postings: 4, entries: 8, accounts: 1 })
        yield* sql`update account set balance = balance + 1`
        const bad = yield* inItsProcess(folder, environment, "ledger", "check")
        assert.deepStrictEqual(
          [bad.code, bad.out.includes("account acc_1: balance is not the sum of its entries")],
          [1, true]
        )
      }).pipe(Effect.provide(database))
    }),
  240_000
)
