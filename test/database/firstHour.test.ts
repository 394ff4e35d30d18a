/** An operator's first hour on Postgres: each thing that is missing or wrong is said in one line, with what to do. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"
import * as Database from "../../runtime/database/Database.ts"
import { Facts } from "../../runtime/database/facts.ts"
import { versionFault } from "../../runtime/database/serverVersion.ts"
import { readHalf } from "../../runtime/service/keyFiles.ts"
import * as Secret from "../../runtime/service/secret.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { cloneUrl } from "../support/database.ts"
import { plumbline, plumblineHere } from "../support/plumbline.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-first-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const settingsOf = (url: string) => ({
  DATABASE_URL: url,
  SIGNING_KEY_FILE: "/nowhere/key",
  LOG_KEY_FILE: "/nowhere/log-key",
  SERVER_SECRET_FILE: "/nowhere/secret"
})

/** Opens the database as a start does that nothing refuses. */
const open = (url: string, mode: Database.Mode = "live") =>
  Effect.flatMap(Facts, ({ settle }) => settle).pipe(
    Effect.provide(Layer.unwrap(Effect.map(Settings, (settings) => Database.layer(settings, mode)))),
    Effect.provide(Settings.layer),
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown({ ...settingsOf(url), DATA_DIR: "/nowhere" })
    )
  )

const refusal = (url: string, mode?: Database.Mode) =>
  Effect.map(Effect.flip(open(url, mode)), ({ message }) => {
    assert.notInclude(message, "\n")
    return message
  })

const changed = (url: string, change: (url: URL) => void): string => {
  const copy = new URL(url)
  change(copy)
  return copy.href
}

/** A way to the server of the run that says another version of it. */
const claiming = (version: string) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ readonly port: number; readonly end: () => void }>((resolve) => {
          const { port } = new URL(inject("postgres"))
          const server = createServer((from) => {
            const to = connect(Number(port), "127.0.0.1")
            from.pipe(to)
            to.on("data", (chunk: Buffer) =>
              from.write(Buffer.from(chunk.toString("latin1").replace(/18\d{4}/, version), "latin1"))
            )
            from.on("close", () => to.destroy())
            to.on("close", () => from.destroy())
            for (const socket of [from, to]) socket.on("error", () => socket.destroy())
          })
          server.listen(0, "127.0.0.1", () => {
            const address = server.address()
            if (typeof address !== "object" || address === null) throw new Error("no port")
            resolve({ port: address.port, end: () => server.close() })
          })
        })
    ),
    ({ end }) => Effect.sync(end)
  )

describe("a Postgres that cannot be used", () => {
  it.live("that is not there, or that refuses, is named with what to correct", () =>
    Effect.gen(function* () {
      const url = yield* cloneUrl
      const { port } = new URL(url)
      assert.match(
        yield* refusal(changed(url, (to) => (to.port = "1"))),
        /^DATABASE_URL: no server listens at 127\.0\.0\.1:1; start Postgres/
      )
      assert.strictEqual(
        yield* refusal(changed(url, (to) => (to.password = "wrong"))),
        `DATABASE_URL: 127.0.0.1:${port} refused user "postgres" (wrong password, or not allowed by pg_hba.conf); ` +
          "correct the user and the password"
      )
      assert.strictEqual(
        yield* refusal(changed(url, (to) => (to.pathname = "/absent"))),
        `DATABASE_URL: 127.0.0.1:${port} has no database "absent"; ` +
          `create it with: createdb -h 127.0.0.1 -p ${port} -O postgres absent`
      )
      assert.match(yield* refusal("localhost:5432"), /^DATABASE_URL is not a Postgres URL/)
    })
  )

  it.live("in which the user may not make tables is told how to allow it", () =>
    Effect.gen(function* () {
      const server = inject("postgres")
      const name = `bare_${Date.now()}`
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.unsafe(`create role ${name} login password 'x'`)
        yield* sql.unsafe(`create database ${name}`)
      }).pipe(Effect.provide(Database.engine(yield* settings(`${server}/postgres`))))
      const url = changed(`${server}/${name}`, (to) => {
        to.username = name
        to.password = "x"
      })
      assert.strictEqual(
        yield* refusal(url),
        `DATABASE_URL: user "${name}" may not create tables in database "${name}"; ` +
          `run in that database: grant create on schema public to "${name}"`
      )
    })
  )

  it.live("that is older than 16 is refused before anything is written, with the version found", () =>
    Effect.gen(function* () {
      const url = yield* cloneUrl
      const { port } = yield* claiming("150014")
      assert.strictEqual(
        yield* refusal(changed(url, (to) => (to.port = String(port)))),
        "DATABASE_URL: the server is PostgreSQL 15.14; Plumbline needs 16 or newer; upgrade it, or set DATABASE_URL to another server"
      )
      const { port: newer } = yield* claiming("160000")
      yield* open(changed(url, (to) => (to.port = String(newer))))
    })
  )

  it("is older than 16 up to the last release of 15", () => {
    assert.match(versionFault(159_999) ?? "", /needs 16 or newer/)
    assert.isUndefined(versionFault(160_000))
    assert.isUndefined(versionFault(180_004))
  })
})

const settings = (url: string) =>
  Settings.pipe(
    Effect.provide(Settings.layer),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(settingsOf(url)))
  )

describe("values of stand-ins", () => {
  it.live("are never opened as live ones, nor live ones for stand-ins", () =>
    Effect.gen(function* () {
      const mapped = yield* cloneUrl
      yield* open(mapped, "mapped")
      assert.strictEqual(
        yield* refusal(mapped, "live"),
        "this database holds values from stand-ins (UPSTREAM_MAP) and cannot be opened for live data: " +
          "set UPSTREAM_MAP again, or use another DATA_DIR or DATABASE_URL"
      )
      yield* open(mapped, "mapped")
      const live = yield* cloneUrl
      yield* open(live)
      assert.match(
        yield* refusal(live, "mapped"),
        /^this database holds live values and cannot be opened for mapped/
      )
    })
  )

  it.live(
    "mark a database by the setting itself: the same start without it, or with it, is refused",
    () =>
      Effect.gen(function* () {
        const cwd = yield* folder
        const mapped = yield* cloneUrl
        yield* open(mapped, "mapped")
        const live = yield* cloneUrl
        yield* open(live)
        const env = { ...settingsOf(mapped), PORT: "1" }
        const without = yield* plumbline(cwd, env, "serve")
        assert.strictEqual(without.code, 1)
        assert.match(
          without.err,
          /^plumbline: this database holds values from stand-ins .*: set UPSTREAM_MAP again.*\n$/
        )
        const map = { ...env, DATABASE_URL: live, UPSTREAM_MAP: "upstream.test=http://127.0.0.1:1" }
        const withIt = yield* plumbline(cwd, map, "serve")
        assert.strictEqual(withIt.code, 1)
        assert.match(
          withIt.err,
          /^plumbline: this database holds live values .*: start without UPSTREAM_MAP.*\n$/
        )
      }),
    120_000
  )
})

describe("the files of a service on Postgres", () => {
  it.live(
    "are made by two commands, for their owner alone, and never overwritten",
    () =>
      Effect.gen(function* () {
        const cwd = yield* folder
        const env = {
          DATABASE_URL: yield* cloneUrl,
          SIGNING_KEY_FILE: join(cwd, "key"),
          LOG_KEY_FILE: join(cwd, "log-key"),
          SERVER_SECRET_FILE: join(cwd, "secret")
        }
        const secret = yield* plumbline(cwd, {}, "secret", "new", "secret")
        assert.strictEqual(secret.code, 0, secret.err)
        assert.include(secret.out, `export SERVER_SECRET_FILE=${env.SERVER_SECRET_FILE}\n`)
        assert.match(secret.out, /node \S+\/runtime\/bin\.ts key new/)
        const repeated = yield* plumblineHere(env, "secret", "new")
        assert.match(repeated.err, /^plumbline: .* already exists and was not changed; .*\n$/)
        const unnamed = yield* plumblineHere({}, "secret", "new")
        assert.match(unnamed.err, /^plumbline: no file given; .*secret new <file>.*SERVER_SECRET_FILE\n$/)

        const keys = yield* plumblineHere(env, "key", "new")
        assert.strictEqual(keys.code, 0, keys.err)
        const createdKids =
          /^created the key (\S+), which signs answers\n.*\ncreated the key (\S+), which signs the log\n/.exec(
            keys.out
          )
        assert.isNotNull(createdKids, keys.out)
        const files = [env.SIGNING_KEY_FILE, env.LOG_KEY_FILE, env.SERVER_SECRET_FILE]
        for (const file of files) assert.strictEqual(statSync(file).mode & 0o777, 0o600)
        const before = files.map((file) => readFileSync(file, "utf8"))
        const again = yield* plumblineHere(env, "key", "new")
        assert.strictEqual(again.code, 0, again.err)
        assert.include(again.out, `the key ${createdKids?.[1]}, which signs answers, is there already`)
        assert.deepStrictEqual(
          files.map((file) => readFileSync(file, "utf8")),
          before
        )
        // A second machine gets the files, not keys of its own.
        const other = yield* plumbline(cwd, { ...env, LOG_KEY_FILE: join(cwd, "other") }, "key", "new")
        assert.strictEqual(other.code, 1)
        assert.match(
          other.err,
          new RegExp(
            `^plumbline: LOG_KEY_FILE: this database knows the key ${createdKids?.[2]} already; put its file .*\n$`
          )
        )
        assert.isFalse(existsSync(join(cwd, "other")))
        yield* Effect.provide(Effect.void, Secret.layer({ file: env.SERVER_SECRET_FILE, dataDir: cwd }))
      }),
    120_000
  )

  it.live("that are missing or wrong are named with the command that fixes them", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const file = join(cwd, "file")
      const key = Effect.flip(readHalf("log", file))
      const secret = Effect.void.pipe(Effect.provide(Secret.layer({ file, dataDir: cwd })), Effect.flip)
      assert.strictEqual(
        (yield* key).message,
        `LOG_KEY_FILE: ${file} does not exist. Restore it from a backup: npx plumbline restore <folder of the backup> --keys-only; ` +
          "only for a new database, create it with: npx plumbline key new"
      )
      assert.strictEqual(
        (yield* secret).message,
        `SERVER_SECRET_FILE: ${file} does not exist; create it with: npx plumbline secret new ${file}`
      )
      assert.isFalse(existsSync(file))
      writeFileSync(file, "short")
      chmodSync(file, 0o640)
      for (const refused of [yield* key, yield* secret]) {
        assert.include(refused.message, `is readable by other users (mode 640); run: chmod 600 ${file}`)
      }
      chmodSync(file, 0o600)
      assert.match(
        (yield* key).message,
        /^LOG_KEY_FILE: .* is not a PEM private key; move it away. Restore it from a backup: .* --keys-only$/
      )
      assert.match((yield* secret).message, /holds fewer than 32 bytes; .*npx plumbline secret new/)
    })
  )

  it.live("are asked for by name where their settings are missing", () =>
    Effect.gen(function* () {
      const url = yield* cloneUrl
      const missing = (environment: Readonly<Record<string, string>>) =>
        Settings.pipe(
          Effect.provide(Settings.layer),
          Effect.provideService(
            ConfigProvider.ConfigProvider,
            ConfigProvider.fromUnknown({ DATABASE_URL: url, ...environment })
          ),
          Effect.flip,
          Effect.map(({ message }) => message)
        )
      assert.match(yield* missing({}), /^SIGNING_KEY_FILE must be set .*npx plumbline key new$/)
      assert.match(
        yield* missing({ SIGNING_KEY_FILE: "key" }),
        /^LOG_KEY_FILE must be set .*npx plumbline key new$/
      )
      assert.match(
        yield* missing({ SIGNING_KEY_FILE: "key", LOG_KEY_FILE: "log-key" }),
        /^SERVER_SECRET_FILE must be set .*npx plumbline secret new <file>$/
      )
    })
  )
})

describe("plumbline status", () => {
  it.live(
    "without a service on Postgres says so, shows what is kept, and exits with 2",
    () =>
      Effect.gen(function* () {
        const cwd = yield* folder
        const files = {
          SIGNING_KEY_FILE: join(cwd, "key"),
          LOG_KEY_FILE: join(cwd, "log-key"),
          SERVER_SECRET_FILE: join(cwd, "secret")
        }
        yield* Secret.makeSecretFile(files.SERVER_SECRET_FILE)
        const env = { ...files, DATABASE_URL: yield* cloneUrl, PORT: "1" }
        assert.strictEqual((yield* plumblineHere(env, "key", "new")).code, 0)
        const status = yield* plumbline(cwd, env, "status", "--json")
        assert.strictEqual(status.code, 2, status.err)
        const report = JSON.parse(status.out) as { running: boolean; feeds: ReadonlyArray<{ state: string }> }
        assert.isFalse(report.running)
        assert.isAbove(report.feeds.length, 50)
        assert.include(
          report.feeds.map(({ state }) => state),
          "not running"
        )
        const away = yield* plumblineHere(
          { ...env, DATABASE_URL: "postgres://postgres:x@127.0.0.1:1/x" },
          "status"
        )
        assert.strictEqual(away.code, 1)
        assert.match(away.err, /^plumbline: DATABASE_URL: no server listens at .*\n$/)
      }),
    120_000
  )

  it.live("in a folder without data makes none, and exits with 2", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const status = yield* plumbline(cwd, { DATA_DIR: join(cwd, "data") }, "status")
      assert.strictEqual(status.code, 2, status.err)
      assert.match(status.out, /^NOT RUNNING: /)
      assert.isFalse(existsSync(join(cwd, "data")))
    })
  )
})
