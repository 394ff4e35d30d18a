/** The command line: one file a command in `commands/`. */
import { Command } from "effect/cli"
import { batch } from "./commands/batch.ts"
import { brief } from "./commands/brief.ts"
import { credits } from "./commands/credits.ts"
import { db } from "./commands/db.ts"
import { derivation } from "./commands/derivation.ts"
import { incident } from "./commands/incident.ts"
import { key } from "./commands/key.ts"
import { ledger } from "./commands/ledger.ts"
import { plugin } from "./commands/plugin.ts"
import { record } from "./commands/record.ts"
import { replay } from "./commands/replay.ts"
import { serve } from "./commands/serve.ts"
import { status } from "./commands/status.ts"
import { tier } from "./commands/tier.ts"
import { verify } from "./commands/verify.ts"

export const plumbline = Command.make("plumbline").pipe(
  Command.withDescription("A verifiable data service for physical infrastructure networks"),
  Command.withSubcommands([
    serve,
    status,
    batch,
    brief,
    incident,
    key,
    credits,
    ledger,
    tier,
    derivation,
    plugin,
    record,
    replay,
    db,
    verify
  ])
)
