/** The command tree. Each command has its own file in `commands/`. */
import { Command } from "effect/cli"
import { operators } from "../admin/commands.ts"
import { collect } from "../commands/collect.ts"
import { db } from "../commands/db.ts"
import { plugin } from "../commands/plugin.ts"
import { record } from "../commands/record.ts"
import { replay } from "../commands/replay.ts"
import { restore } from "../commands/restore.ts"
import { secret } from "../commands/secret.ts"
import { serve } from "../commands/serve.ts"
import { verify } from "../commands/verify.ts"
import { witness } from "../commands/witness.ts"

export const plumbline = Command.make("plumbline").pipe(
  Command.withDescription("A verifiable data service for physical infrastructure networks"),
  Command.withSubcommands([
    serve,
    ...operators,
    restore,
    plugin,
    collect,
    record,
    replay,
    db,
    secret,
    verify,
    witness
  ])
)
