/** The commands that work on the data. A running service can execute them. */
import { backup } from "./backup.ts"
import { batch } from "./batch.ts"
import { brief } from "./brief.ts"
import { clock } from "./clock.ts"
import { confirm } from "./confirm.ts"
import { credits } from "./credits.ts"
import { derivation } from "./derivation.ts"
import { incident } from "./incident.ts"
import { key } from "./key.ts"
import { ledger } from "./ledger.ts"
import { log } from "./log.ts"
import { money } from "./money.ts"
import { rederive } from "./rederive.ts"
import { report } from "./report.ts"
import { status } from "./status.ts"
import { tier } from "./tier.ts"

export const operators = [
  status,
  batch,
  brief,
  incident,
  report,
  confirm,
  clock,
  key,
  log,
  credits,
  ledger,
  money,
  tier,
  derivation,
  rederive,
  backup
] as const
