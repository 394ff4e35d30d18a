/** A run that was answered and gave nothing, because each of its readings was refused. */
import type { RunResult } from "../../core/data/ingest/Run.ts"
import type { Refusal } from "../../core/plugin/Plugin.ts"

/** What to say of such a run; undefined where a reading was accepted, or there was none. */
export const allRefused = ({
  observations,
  refused
}: Pick<RunResult, "observations" | "refused">): string | undefined => {
  const [first] = refused
  return observations.length > 0 || first === undefined ? undefined : saying(refused.length, first)
}

/** The same of so many refused readings, with the first of them. */
export const saying = (count: number, { metric, reason, symbol }: Refusal): string =>
  `${count === 1 ? "the only reading was" : `all ${count} readings were`} refused: ${symbol} ${metric}: ${reason}`.slice(
    0,
    500
  )
