import { join, resolve } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { Expected } from "../../core/plugin/Recording.ts"
import { program } from "../../core/process/program.ts"
import { pluginName } from "../cli/arguments.ts"
import { UsageError } from "../cli/usage.ts"
import * as Fixtures from "../contributor/fixtures.ts"
import { derived, table } from "../contributor/rows.ts"
import { contained } from "./contained.ts"

/** `plumbline replay`: derives rows from recordings and compares them with the expected ones. */
export const replay = Command.make(
  "replay",
  {
    plugin: pluginName,
    case: Flag.String("case").pipe(Flag.withDescription("One case (default: all)"), Flag.optional),
    recording: Flag.String("recording").pipe(
      Flag.withDescription("Replay any file in the format of a case and print the rows as JSON"),
      Flag.optional
    ),
    update: Flag.Boolean("update").pipe(
      Flag.withDescription("Write the rows into the case; review the diff before you commit"),
      Flag.withDefault(false)
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print the rows as JSON, by case"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* (options) {
    const plugin = yield* contained(options.plugin)
    if (Option.isSome(options.recording)) {
      const { tape } = yield* Fixtures.load(resolve(options.recording.value.replace(/\.json$/, "")))
      return yield* Console.log(JSON.stringify(yield* derived(plugin, tape), null, 2))
    }
    const there = yield* Fixtures.casesOf(options.plugin)
    if (there.length === 0) {
      return yield* new UsageError({
        message: `${options.plugin} has no cases; record one with: ${program} record ${options.plugin}`
      })
    }
    const cases = Option.isSome(options.case) ? [options.case.value] : there
    const other = cases.find((name) => !there.includes(name))
    if (other !== undefined) {
      return yield* new UsageError({
        message: `unknown case fixtures/${options.plugin}/${other} (available: ${there.join(", ")})`
      })
    }
    let different = 0
    const all: Record<string, Expected> = {}
    for (const name of cases) {
      const place = join(Fixtures.rootOf(options.plugin), options.plugin, name)
      const { tape } = yield* Fixtures.load(place)
      const rows = yield* derived(plugin, tape)
      all[name] = rows
      if (options.update) yield* Fixtures.writeExpected(place, rows)
      const stored = options.update ? rows : yield* Effect.option(Fixtures.expected(place))
      const same =
        stored === rows || (Option.isOption(stored) && isDeepStrictEqual(Option.getOrUndefined(stored), rows))
      if (!same) different++
      if (options.json) continue
      yield* Console.log(
        `${options.plugin}/${name}: ${summary(rows)}${same ? "" : "\n  differs from the expected rows"}`
      )
      if (cases.length === 1 || !same) yield* Console.log(table(rows))
    }
    if (options.json) yield* Console.log(JSON.stringify(all, null, 2))
    if (different > 0) {
      return yield* new UsageError({
        message: `${different} of ${cases.length} cases differ from the expected rows; --update accepts the new rows`
      })
    }
  })
).pipe(Command.withDescription("Derive rows from recordings and compare them with the expected ones"))

const summary = (rows: Expected): string =>
  "error" in rows
    ? `${rows.error}: ${rows.message}`
    : `${rows.observations.length} rows, ${rows.refused.length} refused`
