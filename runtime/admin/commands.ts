/** The commands that work on the data. A running service can execute them. */
import { backup } from "../commands/backup.ts"
import { batch } from "../commands/batch.ts"
import { brief } from "../commands/brief.ts"
import { clock } from "../commands/clock.ts"
import { credits } from "../commands/credits.ts"
import { derivation } from "../commands/derivation.ts"
import { incident } from "../commands/incident.ts"
import { key } from "../commands/key.ts"
import { ledger } from "../commands/ledger.ts"
import { log } from "../commands/log.ts"
import { money } from "../commands/money.ts"
import { status } from "../commands/status.ts"
import { tier } from "../commands/tier.ts"

export const operators = [
  status,
  batch,
  brief,
  incident,
  clock,
  key,
  log,
  credits,
  ledger,
  money,
  tier,
  derivation,
  backup
] as const
