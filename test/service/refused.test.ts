/** A start that is refused: it leaves nothing in the database, and its message never has anything replaced that a backup has. */
import { randomBytes } from "node:crypto"
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { LogKey } from "../../core/log/Log.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import * as Database from "../../runtime/database/Database.ts"
import { identity, settled } from "../../runtime/service/operating.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { firstDay } from "../../runtime/tape/instants.ts"
import { cloneUrl } from "../support/database.ts"
import { prepare } from "../support/dataDirectory.ts"
import { plumblineHere } from "../support/plumbline.ts"

type Environment = Readonly<Record<string, string>>

const factRows = rowsOf({ name: Schema.String })
const marks = ["mode", "server_secret", "log_origin", "replay_started"]

const within = <A, E>(environment: Environment, effect: Effect.Effect<A, E, Settings>) =>
  effect.pipe(
    Effect.provide(Settings.layer),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment))
  )

/** The keys and the secret as a start takes them; `settled` as it ends, where nothing refuses it. */
const started = (environment: Environment, mode: Database.Mode = "live") =>
  within(
    environment,
    Effect.gen(function* () {
      const settings = yield* Settings
      const services = settled.pipe(
        Layer.provideMerge(Current.layer),
        Layer.provideMerge(identity(mode)),
        Layer.provideMerge(Database.layer(settings, mode))
      )
      return yield* Effect.provide(
        Effect.map(LogKey, ({ keys }) => keys()),
        services
      )
    })
  )

const refusal = (environment: Environment, mode?: Database.Mode) =>
  Effect.map(Effect.flip(started(environment, mode)), ({ message }) => message)

/** What a start left in the database. */
const left = (environment: Environment) =>
  within(
    environment,
    Effect.gen(function* () {
      const settings = yield* Settings
      return yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        return (yield* sql`select name from fact where name in ${sql.in(marks)}`.pipe(factRows)).map(
          ({ name }) => name
        )
      }).pipe(Effect.provide(Database.engine(settings)))
    })
  )

const newFolder = () => mkdtempSync(join(tmpdir(), "plumbline-refused-"))

/** Settings of a service on an engine, with the files that they name made by the commands for it. */
const engines: Readonly<Record<string, Effect.Effect<Environment>>> = {
  PGlite: Effect.sync(() => {
    const folder = newFolder()
    prepare(folder)
    return { DATA_DIR: folder }
  }),
  Postgres: Effect.gen(function* () {
    const folder = newFolder()
    const environment = {
      DATABASE_URL: yield* cloneUrl,
      DATA_DIR: folder,
      SIGNING_KEY_FILE: join(folder, "signing-key.pem"),
      LOG_KEY_FILE: join(folder, "log-key.pem"),
      SERVER_SECRET_FILE: join(folder, "server-secret")
    }
    for (const args of [
      ["secret", "new"],
      ["key", "new"]
    ]) {
      const { code, err } = yield* plumblineHere(environment, ...args)
      assert.strictEqual(code, 0, err)
    }
    return environment
  })
}

const secretIn = ({ DATA_DIR = "" }: Environment) => join(DATA_DIR, "server-secret")
const logKeyIn = ({ DATA_DIR = "" }: Environment) => join(DATA_DIR, "log-key.pem")

/** Advice that would end a log, or make every API key of the database worthless. */
const destroys = /\b(create|new)\b/

describe.each(Object.entries(engines))("a start that is refused (%s)", (engine, environmentOf) => {
  it.live("leaves nothing in the database, so that it can be started in any way afterwards", () =>
    Effect.gen(function* () {
      const environment = yield* environmentOf
      const whole = existsSync(secretIn(environment)) ? readFileSync(secretIn(environment)) : randomBytes(40)
      writeFileSync(secretIn(environment), "short", { mode: 0o600 })
      assert.match(yield* refusal(environment), /holds fewer than 32 bytes/)
      assert.deepStrictEqual(yield* left(environment), [])
      writeFileSync(secretIn(environment), whole, { mode: 0o600 })
      yield* started(environment, "mapped")
      assert.sameMembers(yield* left(environment), ["mode", "server_secret", "log_origin"])
      assert.match(yield* refusal(environment, "live"), /holds values from stand-ins/)
    })
  )

  it.live(
    "because a key or the secret is lost or damaged says restore, names the command, and makes nothing",
    () =>
      Effect.gen(function* () {
        const environment = yield* environmentOf
        yield* started(environment)
        const files = [
          secretIn(environment),
          logKeyIn(environment),
          join(environment["DATA_DIR"] ?? "", "signing-key.pem")
        ]
        for (const file of files) {
          renameSync(file, `${file}.kept`)
          for (const content of [undefined, "short"]) {
            if (content !== undefined) writeFileSync(file, content, { mode: 0o600 })
            const message = yield* refusal(environment)
            assert.match(message, /npx plumbline restore <folder of the backup> --keys-only/, file)
            assert.notMatch(message, destroys)
            if (content === undefined) assert.isFalse(existsSync(file), `${file} was made`)
            else rmSync(file)
          }
          renameSync(`${file}.kept`, file)
        }
        yield* started(environment)
      }),
    120_000
  )

  it.live.skipIf(engine === "PGlite")(
    "is none for a demo after the keys were made, as the README makes them",
    () =>
      Effect.gen(function* () {
        const environment = yield* environmentOf
        const keys = yield* started(environment, "replay")
        const { notBefore } = keys.find(({ purpose }) => purpose === "log") ?? {}
        assert.strictEqual(Date.parse(notBefore ?? ""), firstDay)
        assert.include(yield* left(environment), "replay_started")
      })
  )
})

describe("restore --keys-only", () => {
  it.live("brings back the private files of a database that is there, and overwrites none", () =>
    Effect.gen(function* () {
      const environment = yield* engines["PGlite"] ?? Effect.die("no engine")
      yield* started(environment)
      const saved = join(newFolder(), "saved")
      const backup = yield* plumblineHere(environment, "backup", saved, "--keys")
      assert.strictEqual(backup.code, 0, backup.err)
      const before = readFileSync(logKeyIn(environment), "utf8")
      rmSync(logKeyIn(environment))
      const { code, err, out } = yield* plumblineHere(environment, "restore", saved, "--keys-only")
      assert.strictEqual(code, 0, err)
      assert.strictEqual(readFileSync(logKeyIn(environment), "utf8"), before)
      assert.include(out, `restored ${logKeyIn(environment)} (mode 600)`)
      assert.include(out, `left as it was: ${secretIn(environment)} (move it away to restore it)`)
      yield* started(environment)
      const none = yield* plumblineHere(environment, "restore", newFolder(), "--keys-only")
      assert.match(none.err, /holds no private files; name the folder of a backup that was made with --keys/)
    })
  )
})
