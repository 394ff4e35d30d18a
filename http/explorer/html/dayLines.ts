/** A closed day in five lines, by rules: what moved most, what was corrected, what had no reading; never why. */
import type { DayFacts, Move } from "../../../core/log/record/changesOfDay.ts"
import { byNumber, counted } from "./daySentence.ts"
import { formatChange, metricWords } from "./format.ts"
import { nameOfSymbol } from "./nameOfSymbol.ts"
import { roughText } from "./roughly.ts"
import { metricPath } from "./values.ts"

export interface DayLine {
  readonly text: string
  /** Where it leads. */
  readonly path: string
}

/** Lines of what moved: the others are always there. */
const mostMoves = 3

const movedLine = ({ change, metric, symbol, unit, ...move }: Move): DayLine => ({
  text: `${metricWords(metric).replace(/^./, (first) => first.toUpperCase())} of ${nameOfSymbol(symbol)} ${change.relative < 0 ? "fell" : "rose"} by ${byNumber({ ...move, change, metric, symbol, unit })} (${formatChange(change.relative)}) to ${roughText(change.to.value, unit)}.`,
  path: metricPath(symbol, metric)
})

/** Of each metric of a symbol its largest move alone; they come the largest first. */
const largestMoves = (moves: ReadonlyArray<Move>): ReadonlyArray<Move> => {
  const first = new Map<string, Move>()
  for (const move of moves) {
    const path = metricPath(move.symbol, move.metric)
    if (!first.has(path)) first.set(path, move)
  }
  return [...first.values()]
}

/** Where a day's changes are. */
const pathOfDay = (date: string): string => `/changes/${date}`

export const dayLines = ({ absent, corrected, date, moves }: DayFacts): ReadonlyArray<DayLine> => [
  ...(moves.length === 0
    ? [{ text: "No headline figure moved.", path: pathOfDay(date) }]
    : largestMoves(moves).slice(0, mostMoves).map(movedLine)),
  {
    text:
      corrected === 0
        ? "No published value was corrected."
        : `${counted(corrected, "published value was", "published values were")} corrected; both stay in the log.`,
    path: `${pathOfDay(date)}#revised`
  },
  {
    text:
      absent === 0
        ? "Every expected series had a reading."
        : `${counted(absent, "series", "series")} had no reading.`,
    path: `/log/${date}#absent`
  }
]
