import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Result } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Database from "../../runtime/database/Database.ts"
import { Facts } from "../../runtime/database/facts.ts"
import * as Owner from "../../runtime/database/ownership.ts"
import * as Pglite from "../../runtime/database/Pglite.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { compiled } from "../support/compiled.ts"
import { prepare } from "../support/dataDirectory.ts"
import { plumbline as runPlumbline } from "../support/plumbline.ts"
import { idOf, sizeOf } from "./content.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-owner-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const file = (path: string) => new URL(path, import.meta.url).pathname

/** One command of an operator, in a process of its own. */
const plumbline = (dataDir: string, ...args: ReadonlyArray<string>) =>
  runPlumbline(dataDir, { DATA_DIR: dataDir, PORT: "1" }, ...args)

/** Leaves a socket at which nobody answers, as a kill does. */
const leftover = (dataDir: string) =>
  Effect.promise(async () => {
    const path = join(dataDir, "plumbline.sock")
    const child = spawn(
      process.execPath,
      ["-e", "require('node:net').createServer().listen(process.argv[1], () => console.log('bound'))", path],
      { stdio: ["ignore", "pipe", "inherit"] }
    )
    const ended = new Promise((resolve) => child.once("exit", resolve))
    await new Promise((resolve) => child.stdout.once("data", resolve))
    child.kill("SIGKILL")
    await ended
    assert.isTrue(existsSync(path))
  })

/** A command of which nobody reads the answer: its client goes away with the answer in its hands, as `| head` has it. */
const interrupted = (dataDir: string) =>
  Effect.promise(
    () =>
      new Promise<void>((resolve) => {
        const socket = connect(join(dataDir, "plumbline.sock"), () => socket.write('{"argv":["--help"]}\n'))
        socket.once("readable", () => socket.destroy())
        socket.once("close", () => resolve())
      })
  )

describe("DATA_DIR has one owner", () => {
  it.live("the socket is its owner's alone, and is gone with it", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Owner.own(folder)
          assert.strictEqual(statSync(join(folder, "plumbline.sock")).mode & 0o777, 0o600)
          const error = yield* Effect.flip(Effect.scoped(Owner.own(folder)))
          assert.match(error.message, /in use by a running service; stop it, or set DATA_DIR/)
        })
      )
      assert.isFalse(existsSync(join(folder, "plumbline.sock")))
    })
  )

  it.live("a place that takes no folders is refused by name, and not tried forever", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const deep = join(folder, "a", "b")
      yield* Effect.scoped(Owner.own(deep))
      assert.strictEqual(statSync(deep).mode & 0o777, 0o700)
      writeFileSync(join(folder, "file"), "")
      const inFile = yield* Effect.flip(Effect.scoped(Owner.own(join(folder, "file", "data"))))
      assert.match(inFile.message, /cannot be used as the data directory: ENOTDIR/)
      if (process.platform !== "linux") return
      for (const path of ["/proc/plumbline", "/proc/plumbline/data"]) {
        const { message } = yield* Effect.flip(Effect.scoped(Owner.own(path)))
        assert.strictEqual(
          message,
          `${path} cannot be used as the data directory: /proc takes no new folders`
        )
      }
    })
  )

  it.live("of many that start at once over what a kill left, one gets it", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      for (let round = 0; round < 10; round++) {
        yield* leftover(folder)
        const won = yield* Effect.scoped(
          Effect.forEach(
            Array.from({ length: 24 }),
            (_, n) =>
              // Some are at the removal of what was left while others have just found it dead.
              Effect.promise(async () => {
                for (let turn = 0; turn < n % 5; turn++) await new Promise(setImmediate)
              }).pipe(Effect.andThen(Effect.result(Owner.own(folder)))),
            { concurrency: "unbounded" }
          )
        )
        assert.strictEqual(won.filter(Result.isSuccess).length, 1)
      }
    })
  )

  it.live(
    "operators' commands beside a running service: it carries them out, and nothing is lost",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporary
        prepare(folder)
        yield* leftover(folder)
        const storedRuns: Array<number> = []
        const child = spawn(process.execPath, [file("operated.ts")], {
          env: { DATA_DIR: folder, ...compiled },
          stdio: ["ignore", "pipe", "inherit"]
        })
        const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
        const lines = createInterface({ input: child.stdout })
        const running = new Promise<void>((resolve) =>
          lines.on("line", (line) => {
            if (!line.startsWith("kept ")) return
            storedRuns.push(Number(line.slice(5)))
            resolve()
          })
        )
        yield* Effect.promise(() => running)

        const second = yield* plumbline(folder, "serve")
        assert.notStrictEqual(second.code, 0)
        assert.match(second.err, /^plumbline: .* is in use by a running service; .*\n$/)

        for (const hour of [1, 2, 3]) {
          const opened = yield* plumbline(
            folder,
            ...["incident", "open", "FIL", "nodes_online", "--reason", `case ${hour}`],
            ...["--from", `2026-09-0${hour}T00:00:00Z`, "--to", `2026-09-0${hour}T00:00:10Z`]
          )
          assert.deepStrictEqual(opened, {
            code: 0,
            out: `incident ${hour} is open; its readings stay stored and flagged, but are no longer served\n`,
            err: ""
          })
        }
        // Closed with bytes unread, each is a reset connection for the service.
        yield* Effect.repeat(interrupted(folder), { times: 4 })
        const listed = yield* plumbline(folder, "incident", "list", "--json")
        assert.deepStrictEqual(
          (JSON.parse(listed.out) as ReadonlyArray<{ reason: string }>).map(({ reason }) => reason),
          ["case 3", "case 2", "case 1"]
        )
        const checked = yield* plumbline(folder, "log", "check", "--json")
        assert.deepStrictEqual([checked.code, JSON.parse(checked.out).findings], [0, []])
        const unknown = yield* plumbline(folder, "incident", "close", "99", "--note", "x")
        assert.strictEqual(unknown.code, 1)
        assert.match(unknown.err, /^plumbline: no open incident 99; .*\n$/)

        // Of these runs no sources are kept: not proved, and said by the service that has the data.
        const derived = yield* plumbline(folder, "verify", "derivation", idOf(0), "--json")
        assert.strictEqual(derived.code, 2, derived.err)
        assert.strictEqual((JSON.parse(derived.out) as { exit: number }).exit, 2)

        const exported = yield* plumbline(folder, "derivation", "export", idOf(0), "exported")
        assert.strictEqual(exported.code, 0, exported.err)
        assert.isTrue(existsSync(join(folder, "exported")))

        // Whether the days of the runs wait for their close yet depends on how long the service has run.
        const status = yield* plumbline(folder, "status", "--json")
        const state = JSON.parse(status.out)
        assert.strictEqual(status.code, Math.min(1, state.warnings.length), status.err)
        assert.deepInclude(state, { running: true, ready: true, reasons: [] })
        assert.deepInclude(state.feeds[0], { plugin: "testnet", state: "waiting", last_error: null })
        assert.isNotNull(state.feeds[0].last_success)

        child.kill("SIGTERM")
        assert.strictEqual(yield* Effect.promise(() => ended), 0)

        // Without a service the command opens the directory itself.
        const alone = yield* plumbline(folder, "incident", "list")
        assert.strictEqual(alone.out.split("\n").length, 4)

        const environment = ConfigProvider.fromUnknown({ DATA_DIR: folder })
        const opened = (mode: Database.Mode) =>
          Layer.unwrap(Effect.map(Settings, (settings) => Database.layer(settings, mode))).pipe(
            Layer.provide(Settings.layer),
            Layer.provide(Layer.succeed(ConfigProvider.ConfigProvider, environment))
          )
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const runs = yield* sql<{ id: string; rows: number }>`
            select id, (select count(*)::int from observation o where o.run = r.id) as rows from run r
            where complete order by id`
          assert.deepStrictEqual(
            runs,
            storedRuns.map((n) => ({ id: idOf(n), rows: sizeOf(n) }))
          )
        }).pipe(Effect.provide(opened("live")))

        const wrong = yield* Effect.flip(Effect.provide(Effect.void, opened("replay")))
        assert.match(
          wrong.message,
          /holds live values and cannot be opened for replay data: .* use another DATA_DIR/
        )
      }),
    120_000
  )

  it.live("a directory of a replay is refused to a live service", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      prepare(folder)
      const environment = ConfigProvider.fromUnknown({ DATA_DIR: folder })
      const open = (mode: Database.Mode) =>
        Effect.flatMap(Facts, ({ settle }) => settle).pipe(
          Effect.provide(Layer.unwrap(Effect.map(Settings, (settings) => Database.layer(settings, mode)))),
          Effect.provide(Settings.layer),
          Effect.provideService(ConfigProvider.ConfigProvider, environment)
        )
      yield* open("replay")
      // As an older version of the code left it.
      const raw = Pglite.layer({ dataDir: join(folder, "pglite") })
      const older = SqlClient.SqlClient.use((sql) =>
        Effect.andThen(
          sql`drop table unfinished`,
          sql`delete from migrations_data where name = 'unfinished_runs'`
        )
      )
      assert.lengthOf(yield* Effect.provide(older, raw), 0)
      assert.match(
        (yield* Effect.flip(open("live"))).message,
        /^this database holds replay data .* cannot be opened for live data: .*$/
      )
      const after = SqlClient.SqlClient.use(
        (sql) => sql<{ table: string | null }>`select to_regclass('unfinished')::text as table`
      )
      assert.deepStrictEqual(yield* Effect.provide(after, raw), [{ table: null }])
    })
  )
})
