/** Where `key new` and `secret new` put their files, and which steps they print next. */
import { resolve } from "node:path"
import { Config, Effect, Option } from "effect"
import { Argument } from "effect/cli"
import { UsageError } from "../cli/usage.ts"

type Setting = "SIGNING_KEY_FILE" | "SERVER_SECRET_FILE"
type Kind = "key" | "secret"

export const newFile = Argument.String("file").pipe(
  Argument.withDescription("File to create (default: the one that the setting names)"),
  Argument.optional
)

const set = (setting: Setting) => Config.option(Config.NonEmptyString(setting))

/** The file given as an argument, else the one in the setting. */
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
        message: `no file given; name one (npx plumbline ${kind} new <file>) or set ${setting}`
      })
})

export const taken = (path: string, setting: Setting, kind: Kind) =>
  new UsageError({
    message:
      `${path} already exists and was not changed; set ${setting} to use it, ` +
      (kind === "key" ? "npx plumbline key rotate to replace it, " : "") +
      "or name another file"
  })

/** The line that sets the setting, unless it already names this file. */
export const toSet = Effect.fnUntraced(function* (setting: Setting, path: string) {
  const value = yield* set(setting)
  return Option.isSome(value) && resolve(value.value) === path ? [] : [`  export ${setting}=${path}`]
})

/** The command that creates the other file, unless its setting is set. */
export const nextOf = Effect.fnUntraced(function* (setting: Setting, command: string) {
  return Option.isSome(yield* set(setting)) ? [] : [command]
})
