/** Where `secret new` puts its file, and what it prints next. */
import { resolve } from "node:path"
import { Config, Effect, Option } from "effect"
import { Argument } from "effect/cli"
import { program } from "../../core/process/program.ts"
import { UsageError } from "../cli/usage.ts"

const setting = "SERVER_SECRET_FILE"

export const newFile = Argument.String("file").pipe(
  Argument.withDescription("File to create (default: the one that the setting names)"),
  Argument.optional
)

const named = Config.option(Config.NonEmptyString(setting))

/** The file given as an argument, else the one in the setting. */
export const placeOf = Effect.fnUntraced(function* (file: Option.Option<string>) {
  const place = Option.isSome(file) ? file : yield* named
  return Option.isSome(place)
    ? resolve(place.value)
    : yield* new UsageError({
        message: `no file given; name one (${program} secret new <file>) or set ${setting}`
      })
})

export const alreadyExists = (path: string) =>
  new UsageError({
    message: `${path} already exists and was not changed; set ${setting} to use it, or name another file`
  })

/** The line that sets the setting, unless it already names this file. */
export const toSet = Effect.fnUntraced(function* (path: string) {
  const value = yield* named
  return Option.isSome(value) && resolve(value.value) === path ? [] : [`  export ${setting}=${path}`]
})
