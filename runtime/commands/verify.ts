import { Command } from "effect/cli"
import { verifyDerivation } from "./derivation.ts"

/**
 * `plumbline verify`. All but `derivation` stands here for the list of commands only: `bin.ts` hands it to
 * `core/proof/cli.ts` before anything of the service is loaded.
 */
export const verify = Command.make("verify").pipe(
  Command.withDescription(
    "Check answers, values, bundles, the log and timestamps without trusting who serves them (see `verify --help`)"
  ),
  Command.withSubcommands([verifyDerivation])
)
