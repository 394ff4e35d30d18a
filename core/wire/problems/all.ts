/** Every problem the service can return. */
import * as accounts from "./accounts.ts"
import * as alerts from "./alerts.ts"
import * as cards from "./cards.ts"
import * as chain from "./chain.ts"
import type { ProblemTexts } from "./problem.ts"
import * as purchases from "./purchases.ts"
import * as request from "./request.ts"
import * as service from "./service.ts"
import * as webhooks from "./webhooks.ts"
import * as x402 from "./x402.ts"

const families = [request, service, accounts, purchases, cards, chain, x402, webhooks, alerts]

/** Problems by the last segment of their `type`. */
export const problems: ReadonlyMap<string, ProblemTexts> = new Map(
  families.flatMap((family) =>
    Object.values(family).flatMap(
      (member): ReadonlyArray<readonly [string, ProblemTexts]> =>
        "texts" in member ? [[member.id, member.texts]] : []
    )
  )
)

type Hints = Pick<ProblemTexts, "hint" | "accountHint">

/** What an agent should call next, by error name. Includes the error that REST reports as plain `NotFound`. */
export const hints: ReadonlyMap<string, Hints> = new Map<string, Hints>([
  ...[...problems].map(([id, problem]) => [id.replaceAll("-", "_"), problem] as const),
  ["not_derived", { hint: "Call get_derivation_ledger without run to list the runs." }]
])
