import { resolve } from "node:path"
import { Console, Effect, Layer, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { asJson } from "../cli/arguments.ts"
import { UsageError } from "../cli/usage.ts"
import { copy } from "../database/copy.ts"
import * as Database from "../database/Database.ts"
import { Settings } from "../service/Settings.ts"

const migrate = Command.make("migrate", {}, () =>
  Effect.gen(function* () {
    const settings = yield* Settings
    yield* Effect.provide(Effect.void, Database.layer(settings))
    yield* Console.log("the database has the schema of this version")
  }).pipe(Effect.provide(Settings.layer))
).pipe(Command.withDescription("Bring the database to the schema of this version; a start does so too"))

const copyTo = Command.make(
  "copy",
  {
    to: Flag.String("to").pipe(Flag.withDescription("postgres://… of an empty database, or a new DATA_DIR")),
    json: asJson
  },
  Effect.fnUntraced(
    function* ({ json, to }) {
      const settings = yield* Settings
      const shared = /^postgres(ql)?:\/\//.test(to)
      if (!shared && /^[a-z]+:\/\//.test(to)) {
        return yield* new UsageError({ message: "--to wants a postgres:// address or a folder" })
      }
      if (!shared && Option.isNone(settings.databaseUrl) && resolve(to) === resolve(settings.dataDir)) {
        return yield* new UsageError({ message: "--to names the folder that is copied from" })
      }
      const from = yield* Layer.build(Database.engine(settings))
      const target = shared
        ? { ...settings, databaseUrl: Option.some(Redacted.make(to)) }
        : { ...settings, databaseUrl: Option.none(), dataDir: to }
      const copied = yield* copy(from, yield* Layer.build(Database.engine(target)))
      if (json) return yield* Console.log(JSON.stringify(copied))
      for (const { rows, table } of copied.tables) {
        if (rows > 0) yield* Console.log(`${String(rows).padStart(12)}  ${table}`)
      }
      yield* Console.log(
        [
          `${String(copied.bodies).padStart(12)}  bodies`,
          "checked: every table has the same rows, the ledger adds up,",
          copied.logRoot === null
            ? "and nothing is in the log yet"
            : `and the log has its signed root ${copied.logRoot}`,
          "not copied: the files of the signing key and the server's secret; the new service needs both"
        ].join("\n")
      )
    },
    Effect.scoped,
    Effect.provide(Settings.layer)
  )
).pipe(Command.withDescription("Copy everything into an empty database, and check the copy"))

/** `plumbline db`: the database as a whole. */
export const db = Command.make("db").pipe(
  Command.withDescription("Migrate and move the database"),
  Command.withSubcommands([migrate, copyTo])
)
