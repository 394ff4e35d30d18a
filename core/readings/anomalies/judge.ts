/** The judgement of closed days: pure, from values and manifests alone, so that a stranger can repeat it. */
import { type ByDate, movedWithPeers, type Peers, peer, source } from "./comparison.ts"
import { constants } from "./constants.ts"
import type { Finding } from "./finding.ts"
import { fell, flat, type Judged, level, sign, zero } from "./own.ts"
import { type JudgedSeries, windowOf } from "./series.ts"

/** What a series is compared with; values of all days that its own window may hold. */
export interface Others {
  /** Other sources of its symbol and metric. */
  readonly sources: ReadonlyArray<ByDate>
  readonly peers: Peers
}

const judgedOf = (series: JudgedSeries): Judged | undefined => {
  const days = windowOf(series.days)
  const [before, day] = [days.at(-2), days.at(-1)]
  if (before === undefined || day === undefined || days.length < constants.fewest + 2) return undefined
  if (series.mayBeZero && day.value === 0) return undefined
  return { series, day, before, baseline: days.slice(0, -1) }
}

/** Caps the score: a series that stood at 0 has no spread, so any move would be infinite. */
const largestScore = 1e6

/** Six digits, so that two machines whose logarithms differ in the last one say the same; what no double holds is the largest one. */
const rounded = (value: number, most = Number.MAX_VALUE): number =>
  Number(Math.max(-most, Math.min(most, value)).toPrecision(6))

/**
 * The finding on the last of a series' days; undefined where nothing is unusual, or too little is known. The first rule in the order of
 * `AnomalyRule` that holds is the finding. `level` says nothing where enough peers moved alike; a change of unit is said all the same.
 */
export const judge = (series: JudgedSeries, { peers, sources }: Others): Finding | undefined => {
  const judged = judgedOf(series)
  if (judged === undefined) return undefined
  const own = level(judged)
  const finding =
    zero(judged) ??
    sign(judged) ??
    fell(judged) ??
    (own?.rule === "unit" ? own : undefined) ??
    source(judged, sources) ??
    (own !== undefined && movedWithPeers(judged, peers) !== true ? own : undefined) ??
    peer(judged, peers) ??
    flat(judged)
  return finding === undefined
    ? undefined
    : {
        ...finding,
        score: rounded(finding.score, largestScore),
        low: rounded(finding.low),
        high: rounded(finding.high),
        ...(finding.beside === undefined
          ? {}
          : { beside: { n: finding.beside.n, median: rounded(finding.beside.median) } })
      }
}
