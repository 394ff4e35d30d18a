import { resolve } from "node:path"
import { Console, Effect, Layer, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { asJson } from "../cli/arguments.ts"
import { UsageError } from "../cli/usage.ts"
import { copy } from "../database/copy.ts"
import * as Database from "../database/Database.ts"
import { Settings } from "../settings/Settings.ts"

const migrate = Command.make("migrate", {}, () =>
  Effect.gen(function* () {
    const settings = yield* Settings
    yield* Effect.provide(Effect.void, Database.layer(settings))
    yield* Console.log("the database schema is up to date")
  }).pipe(Effect.provide(Settings.layer))
).pipe(Command.withDescription("Migrate the database to this version's schema (a start does the same)"))

const copyTo = Command.make(
  "copy",
  {
    to: Flag.String("to").pipe(
      Flag.withDescription("Target: postgres://… of an empty database, or a new DATA_DIR")
    ),
    json: asJson
  },
  Effect.fnUntraced(
    function* ({ json, to }) {
      const settings = yield* Settings
      const shared = /^postgres(ql)?:\/\//.test(to)
      if (!shared && /^[a-z]+:\/\//.test(to)) {
        return yield* new UsageError({
          message: `--to: "${to}" is neither a postgres:// address nor a folder`
        })
      }
      if (!shared && Option.isNone(settings.databaseUrl) && resolve(to) === resolve(settings.dataDir)) {
        return yield* new UsageError({ message: `--to: ${to} is the folder to copy from; name another one` })
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
          `${String(copied.files).padStart(12)}  files of the archive`,
          "verified: all tables have the same rows, the ledger balances,",
          copied.logRoot === null
            ? "and the log is still empty"
            : `and the log matches its signed root ${copied.logRoot}`,
          "not copied: the signing key file and the server secret file; the new service needs both"
        ].join("\n")
      )
    },
    Effect.scoped,
    Effect.provide(Settings.layer)
  )
).pipe(Command.withDescription("Copy everything into an empty database and verify the copy"))

/** `plumbline db`: commands for the database as a whole. */
export const db = Command.make("db").pipe(
  Command.withDescription("Migrate or copy the database"),
  Command.withSubcommands([migrate, copyTo])
)
