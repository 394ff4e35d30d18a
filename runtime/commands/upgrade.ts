/** `plumbline upgrade --check`: what a start of this version would do to the database. A start does the rest. */
import { existsSync } from "node:fs"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { program } from "../../core/process/program.ts"
import packageJson from "../../package.json" with { type: "json" }
import { asJson } from "../cli/arguments.ts"
import { NotPassed, UsageError } from "../cli/usage.ts"
import * as Database from "../database/Database.ts"
import { type Upgrade, upgradeOf } from "../database/upgrade.ts"
import { embeddedIn } from "../settings/dataDir.ts"
import { Settings } from "../settings/Settings.ts"

const printed = (upgrade: Upgrade): ReadonlyArray<string> => {
  const { version } = packageJson
  if (upgrade.state === "empty") return [`there is no database yet; the first start of ${version} makes it`]
  if (upgrade.state === "refused") {
    return [`${version} cannot use this database: ${upgrade.why.message}`, `do: ${upgrade.why.action}`]
  }
  const { log, steps } = upgrade
  const behind = steps.filter(({ from, to }) => from < to)
  const ahead = steps.filter(({ from, to }) => from > to)
  return [
    log === undefined ? "the log is empty" : `the log is of format ${log}, which ${version} reads`,
    ...behind.map(({ from, room, to }) => `tables of ${room}: migrated from level ${from} to ${to}`),
    ...ahead.map(
      ({ from, room, to }) => `tables of ${room}: level ${from} of a newer version; ${version} knows ${to}`
    ),
    behind.length === 0
      ? `a start of ${version} changes no table`
      : `make a backup, then start ${version}: ${program} backup <folder> --keys`
  ]
}

export const upgrade = Command.make(
  "upgrade",
  {
    check: Flag.Boolean("check").pipe(
      Flag.withDescription("Compare the formats and tables of the database with this version"),
      Flag.withDefault(false)
    ),
    json: asJson
  },
  Effect.fnUntraced(function* ({ check, json }) {
    if (!check) {
      return yield* new UsageError({
        message: `add --check; the upgrade itself happens when this version starts: ${program} serve`
      })
    }
    const settings = yield* Settings
    // Opening the embedded database would make it.
    const isMade = Option.isSome(settings.databaseUrl) || existsSync(embeddedIn(settings.dataDir))
    const upgrade: Upgrade = isMade
      ? yield* Effect.provide(upgradeOf, Database.engine(settings))
      : { state: "empty" }
    for (const line of json ? [JSON.stringify(upgrade)] : printed(upgrade)) yield* Console.log(line)
    if (upgrade.state === "refused") return yield* new NotPassed({ code: 1 })
  }, Effect.provide(Settings.layer))
).pipe(
  Command.withDescription(
    "Say what a start of this version would do to the database: whether it reads its formats and its log, and which tables it would migrate. Changes nothing. An embedded database must not be open: stop the service first. Exits with 1 if this version cannot use the database"
  ),
  Command.withShortDescription("Say what a start of this version would do to the database")
)
