/** Where `key new` and `secret new` put their files, and what an operator does next. */
import { resolve } from "node:path"
import { Config, Effect, Option } from "effect"
import { Argument } from "effect/cli"
import { UsageError } from "../cli/usage.ts"

type Setting = "SIGNING_KEY_FILE" | "SERVER_SECRET_FILE"
type Kind = "key" | "secret"

export const newFile = Argument.String("file").pipe(
  Argument.withDescription("The file to make; without it the one that the setting names"),
  Argument.optional
)

const set = (setting: Setting) => Config.option(Config.NonEmptyString(setting))

/** The file that is asked for, or the one of the setting. */
export const placeOf = Effect.fnUntraced(function* (
  file: Option.Option<string>,
  setting: Setting,
  kind: Kind
) {
  const named = Option.orElse(file, () => Option.none<string>())
  const place = Option.isSome(named) ? named : yield* set(setting)
  return Option.isSome(place)
    ? resolve(place.value)
    : yield* new UsageError({
        message: `no file is named; give one (npx plumbline ${kind} new <file>) or set ${setting}`
      })
})

export const taken = (path: string, setting: Setting, kind: Kind) =>
  new UsageError({
    message:
      `${path} is there already and stays as it is; set ${setting} to use it, ` +
      (kind === "key" ? "npx plumbline key rotate to replace it, " : "") +
      "or name another file"
  })

/** The line that sets a setting, where it is not set to this file. */
export const toSet = Effect.fnUntraced(function* (setting: Setting, path: string) {
  const value = yield* set(setting)
  return Option.isSome(value) && resolve(value.value) === path ? [] : [`  export ${setting}=${path}`]
})

/** The command for the other file, where its setting is missing. */
export const nextOf = Effect.fnUntraced(function* (setting: Setting, command: string) {
  return Option.isSome(yield* set(setting)) ? [] : [command]
})
