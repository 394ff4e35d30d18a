/** Arguments and flags that several commands take. */
import { Argument, Flag } from "effect/cli"

export const pluginName = Argument.String("plugin").pipe(
  Argument.withDescription("Folder name of the plugin")
)

/** Symbols of the catalog, as a set; none given is all. */
export const targets = Flag.String("targets").pipe(
  Flag.withDescription("Symbols of the catalog to ask for, with commas; default all"),
  Flag.map((list) => new Set(list.split(","))),
  Flag.optional
)

/** `--json` of what scripts read. */
export const asJson = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON, for scripts"),
  Flag.withDefault(false)
)
