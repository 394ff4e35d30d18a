import { Command } from "effect/cli"
import { verifyDerivation, verifyDerivations } from "./derivation.ts"

/**
 * `plumbline verify`. It is declared here so that it appears in the list of commands: except for `derivation` and `derivations`, `bin.ts`
 * hands it to `http/client/verifier/src/cli.ts` before it loads any code of the service.
 */
export const verify = Command.make("verify").pipe(
  Command.withDescription(
    "Verify responses, values, bundles, the log and timestamps without trusting the service (see `verify --help`)"
  ),
  Command.withSubcommands([verifyDerivation, verifyDerivations])
)
