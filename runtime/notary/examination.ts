/** What passes between the notary and its examining thread. */
import type { Findings } from "./examine.ts"
import type { Tape } from "./tape.ts"
import type { Secrets } from "./tls/session.ts"

export interface Examination {
  readonly tape: Tape
  readonly secrets: Secrets
  /** Roots to trust instead of the public ones, as PEM: only tests have any. */
  readonly roots?: ReadonlyArray<string>
}

export type Judgement = { readonly findings: Findings } | { readonly refused: string }
