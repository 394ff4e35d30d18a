import { Command } from "effect/cli"
import { check } from "./logCheck.ts"
import { mirror } from "./logMirror.ts"

/** `plumbline log`: the log as a whole. */
export const log = Command.make("log").pipe(
  Command.withDescription("Check and mirror the log"),
  Command.withSubcommands([check, mirror])
)
