/** What becomes of the databases of earlier versions: each is upgraded and holds, or it is refused and left as it was. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { checkLog } from "../../core/log/check/checkLog.ts"
import { Log } from "../../core/log/Log.ts"
import * as files from "../../core/log/record/files.ts"
import { notAttested } from "../../core/log/record/notAttested.ts"
import { signingKeys } from "../../core/log/signingKeys.ts"
import { utf8 } from "../../core/proof/bytes.ts"
import { parseRestart } from "../../core/proof/restart.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { memoryOf } from "../../http/client/verifier/src/monitor/memory.ts"
import { firstState } from "../../http/client/verifier/src/monitor/state.ts"
import { checkUnit } from "../../http/client/verifier/src/monitor/units.ts"
import { noteFormats } from "../../runtime/database/formats.ts"
import { codeLevels, migrate, migrateTo } from "../../runtime/database/migrate.ts"
import { upgradeOf } from "../../runtime/database/upgrade.ts"
import { nextOrigin, restart } from "../../runtime/service/restart.ts"
import { emptyPglite, emptyPostgres } from "../support/database.ts"
import { noHead } from "../support/noHead.ts"
import * as Runs from "../support/runs.ts"
import { contents, load, origin, publicKeyOf, seeds, writeKey } from "./earlier.ts"
import { at, balances, closed, filesIn, folder, goesOn, minutes, working } from "./working.ts"

for (const [engine, database] of [
  ["Postgres", emptyPostgres],
  ["PGlite", emptyPglite]
] as const) {
  describe(`a database of an earlier version (${engine})`, () => {
    it.effect(
      "of format 2 is upgraded, its log holds, and the next day is closed",
      () =>
        Effect.gen(function* () {
          yield* load("43d2ae32")
          const before = (yield* balances).accounts
          yield* migrate
          const after = yield* balances
          assert.isTrue(after.report.ok)
          assert.deepStrictEqual(after.accounts, before)
          yield* goesOn
        }).pipe(Effect.provide(database)),
      minutes
    )

    it.effect(
      "of format 1 is refused before anything is changed, with the versions that read it",
      () =>
        Effect.gen(function* () {
          yield* load("c7b9205")
          const before = yield* contents
          const { _tag, message } = yield* Effect.flip(migrate)
          assert.strictEqual(_tag, "FormatUnreadable")
          assert.match(message, /format 1, .*commits 054a6865 to dad7c5d2.*plumbline log restart --yes/)
          assert.deepStrictEqual(yield* contents, before)
        }).pipe(Effect.provide(database)),
      minutes
    )

    it.effect(
      "of format 1 goes on with a new log, whose first entry commits to the old one",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* load("c7b9205")
          const before = (yield* balances).accounts
          const [old] = yield* sql<{
            note: string
            root: string
            leaves: number
          }>`select note, root, (select count(*)::int from leaf) as leaves from checkpoint order by size desc limit 1`
          const values = sql`select series, day::text, incident, version, value from daily order by 1, 2, 3, 4`
          const served = yield* values
          const keys = filesIn(yield* folder)
          writeKey(seeds.first, keys.answers.file)
          yield* TestClock.setTime(at(9, 7))
          const { byEarlierKey, created } = yield* restart(keys)
          assert.deepStrictEqual([byEarlierKey, created], [true, true])
          // Once only, and no start stumbles over it.
          assert.match((yield* Effect.flip(restart(keys))).message, /the log is of format 2, and only/)
          yield* migrate
          assert.deepStrictEqual((yield* balances).accounts, before)
          assert.isTrue((yield* balances).report.ok)
          assert.deepStrictEqual(yield* values, served)
          const [earlierLog] = yield* sql<{ leaves: number; note: string }>`
          select count(*)::int as leaves, (select note from earlier_log) as note from earlier_row where name = 'leaf'`
          assert.deepStrictEqual(earlierLog, { leaves: old?.leaves ?? 0, note: old?.note ?? "" })
          // The key that signed answers so far still does, since it signed the first head.
          const [answers] = (yield* signingKeys).filter(({ purpose }) => purpose === "answers")
          assert.deepStrictEqual(
            [answers?.publicKey, answers?.notBefore],
            [publicKeyOf(seeds.first), "2026-09-06T08:00:00Z"]
          )

          yield* Effect.gen(function* () {
            const [first] = yield* sql<{ text: string }>`select text from log_entry`
            const entry = JSON.parse(first?.text ?? "") as { readonly kind: string; readonly sha256: string }
            assert.strictEqual(entry.kind, "restart")
            const { body } = yield* files.document(entry.sha256)
            const signed = parseRestart(String(body))
            assert.isTrue(signed.byEarlierKey)
            assert.deepInclude(signed.restart.earlier, {
              origin,
              size: 4,
              root: old?.root ?? "",
              last_day: "2026-09-07"
            })
            assert.strictEqual(signed.restart.origin, "log.example.net/2/log")
            assert.strictEqual(createHash("sha256").update(body).digest("hex"), entry.sha256)
            const state = firstState("log.example.net/2/log", "", "2026-09-09T08:00:00Z")
            const source = { name: "a test", read: async () => utf8(String(body)) }
            const bytes = utf8(first?.text ?? "")
            const memory = yield* Effect.promise(() =>
              memoryOf(source, state, {
                now: at(10, 8),
                head: noHead,
                own: { origin: state.origin, kids: new Set() }
              })
            )
            const unit = yield* Effect.promise(() => checkUnit(source, memory, bytes, 0, state))
            assert.deepStrictEqual(unit.findings, [])
            assert.deepInclude(unit.progress, { day: "2026-09-07", earlier: "2026-09-07" })
            const later = yield* Effect.promise(() => checkUnit(source, memory, bytes, 1, state))
            assert.match(later.findings[0]?.found ?? "", /must be the first entry/)

            // A day of the earlier log that changes now is served, and becomes no leaf.
            const late = Runs.delivery(at(9, 7), [Runs.row(9, "2026-09-05T13:00:00Z", { symbol: "STORJ" })])
            // The dump has runs of the first numbers.
            yield* (yield* Ingest).write({ ...late, run: { ...late.run, id: "run-after-the-restart" } })
            assert.lengthOf(yield* sql`select 1 from daily where day = '2026-09-05' and sealed_by is null`, 1)
            yield* TestClock.setTime(at(9, 8))
            assert.deepStrictEqual(yield* closed, ["2026-09-08"])
            assert.deepStrictEqual(yield* closed, [])
            const { batches, findings } = yield* checkLog(true)
            assert.deepStrictEqual([findings, batches], [[], 1])
            const [leaves] = yield* sql<{ first: string }>`select min(day)::text as first from leaf`
            assert.strictEqual(leaves?.first, "2026-09-08")
            const opened = yield* sql`select 1 from incident where kind = 'automatic'`
            assert.lengthOf(opened, 0)
            const params = { symbol: "STORJ", metric: "nodes_online", day: "2026-09-05" }
            const none = yield* Effect.flip(notAttested(params, yield* (yield* Log).served))
            assert.isTrue(none._tag === "NotAttested" && none.reason === "earlier_log", JSON.stringify(none))
            assert.include(none.message, origin)
          }).pipe(Effect.provide(working(keys, "log.example.net/2/log")))
        }).pipe(Effect.provide(database)),
      minutes
    )
  })
}

describe("a log is not restarted", () => {
  it.effect("without the key that signed it, with another, or if entries are missing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* load("c7b9205")
      const keys = filesIn(yield* folder)
      const refused = Effect.fnUntraced(function* (why: RegExp) {
        const before = yield* contents
        assert.match((yield* Effect.flip(restart(keys))).message, why)
        assert.deepStrictEqual(yield* contents, before)
      })
      yield* refused(/nothing was changed: none of the keys here signed.*from a backup/)
      writeKey(seeds.answers, keys.answers.file)
      yield* refused(/nothing was changed: none of the keys here signed.*from a backup/)
      writeKey(seeds.first, keys.answers.file)
      writeKey(seeds.first, keys.log.file)
      yield* refused(/nothing was changed: .*a new log needs one of its own/)
      writeKey(seeds.answers, keys.log.file)
      yield* sql`delete from log_entry where place = 3`
      yield* refused(/nothing was changed: the 3 entries .* not the 4 .*restore a backup/)
    }).pipe(Effect.provide(emptyPostgres))
  )

  it("under an origin that was used before", () => {
    assert.deepStrictEqual(["example.org/log", "example.org/2/log", "127.0.0.1:8080/demo"].map(nextOrigin), [
      "example.org/2/log",
      "example.org/3/log",
      "127.0.0.1:8080/2/demo"
    ])
  })
})

describe("what a start would do", () => {
  it.effect("is said of each database beforehand, and changes nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* upgradeOf, { state: "empty" })
      const { data = 0, log = 0 } = codeLevels
      yield* migrateTo({ ...codeLevels, log: log - 1 })
      const before = yield* contents
      assert.deepStrictEqual(yield* upgradeOf, {
        state: "opens",
        steps: [{ room: "log", from: log - 1, to: log }],
        log: undefined
      })
      assert.deepStrictEqual(yield* contents, before)
      yield* migrate
      assert.deepStrictEqual(yield* upgradeOf, { state: "opens", steps: [], log: undefined })
      yield* sql`insert into migrations_data (migration_id, name) values (${data + 1}, 'newer')`
      assert.deepInclude(yield* upgradeOf, { steps: [{ room: "data", from: data + 1, to: data }] })
      yield* sql`insert into fact (name, value) values ('schema_least:data', ${String(data + 1)})`
      assert.match(JSON.stringify(yield* upgradeOf), /refused.*tables of ..data.*start the newer version/)
    }).pipe(Effect.provide(emptyPostgres))
  )
})

describe("a database of a newer version", () => {
  it.effect("is refused untouched where a format is newer, and used where only a table is new", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrate
      yield* noteFormats
      for (const [name, level] of [
        ["leaves", 3],
        ["checkpoints", 3],
        ["bundles", 3],
        ["bodies", 2],
        ["keys", 2],
        ["archive", 2],
        ["something", 1]
      ] as const) {
        yield* sql`insert into fact ${sql.insert({ name: `format:${name}`, value: String(level) })}
          on conflict (name) do update set value = excluded.value`
        const before = yield* contents
        const { message } = yield* Effect.flip(migrate)
        assert.match(message, new RegExp(`newer version .*${name} of format ${level}.*Start the newer`, "i"))
        assert.deepStrictEqual(yield* contents, before)
        yield* sql`delete from fact where name = ${`format:${name}`}`
        yield* migrate
        yield* noteFormats
      }
      yield* sql`insert into log_entry ${sql.insert({
        place: 0,
        text: '{"v":"service-entry-v3"}',
        hash: new Uint8Array(32),
        recorded_at: new Date(0)
      })}`
      assert.match((yield* Effect.flip(migrate)).message, /leaves of format 3/)
    }).pipe(Effect.provide(emptyPostgres))
  )
})
