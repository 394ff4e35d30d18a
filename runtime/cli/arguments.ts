/** Arguments and flags that several commands share. */
import { Argument, Flag } from "effect/cli"

export const pluginName = Argument.String("plugin").pipe(
  Argument.withDescription("Folder name of the plugin")
)

/** Catalog symbols as a set. Without the flag the run covers all of them. */
export const targets = Flag.String("targets").pipe(
  Flag.withDescription("Catalog symbols to collect, comma-separated (default: all)"),
  Flag.map((list) => new Set(list.split(","))),
  Flag.optional
)

/** `--json`, for commands that scripts call. */
export const asJson = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON for scripts"),
  Flag.withDefault(false)
)
