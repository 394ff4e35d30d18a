/** Runs that got an answer but no data, because all of their readings were refused. */
import type { Refusal } from "../../core/plugin/Plugin.ts"
import type { RunResult } from "../../core/readings/ingest/Run.ts"

/** The message for such a run; undefined if a reading was accepted, or if there were none. */
export const allRefused = ({
  observations,
  refused
}: Pick<RunResult, "observations" | "refused">): string | undefined => {
  const [first] = refused
  return observations.length > 0 || first === undefined ? undefined : refusalMessage(refused.length, first)
}

/** The message for this many refused readings, with the first of them. */
export const refusalMessage = (count: number, { metric, reason, symbol }: Refusal): string =>
  `${count === 1 ? "the only reading was" : `all ${count} readings were`} refused: ${symbol} ${metric}: ${reason}`.slice(
    0,
    500
  )
