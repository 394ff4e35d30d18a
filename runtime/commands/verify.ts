import { Command } from "effect/cli"

/**
 * Stands here for the list of commands. `bin.ts` hands `verify` to `core/proof/cli.ts` before anything of the service is
 * loaded.
 */
export const verify = Command.make("verify").pipe(
  Command.withDescription(
    "Check answers, values, bundles, the log and timestamps without trusting who serves them (see `verify --help`)"
  )
)
