/**
 * A closed day in one sentence, by rules: the largest fall and the largest rise of a network, or else of the physical world; what was
 * corrected; what had no reading. It says what is in the log and never why.
 */
import { bySymbol } from "../../../core/catalog/Catalog.ts"
import type { DayFacts, Move } from "../../../core/log/record/changesOfDay.ts"
import { formatNumber, metricWords } from "./format.ts"
import { type Html, html } from "./markup.ts"
import { nameOfSymbol } from "./nameOfSymbol.ts"
import { roughText } from "./roughly.ts"
import { metricPath } from "./values.ts"

const weekday = new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" })

/** By how much, without a sign. */
export const byNumber = ({ change, unit }: Move): string => roughText(Math.abs(change.absolute ?? 0), unit)

const moved = (move: Move): Html =>
  html`${metricWords(move.metric)} of ${nameOfSymbol(move.symbol)} ${move.change.relative < 0 ? "fell" : "rose"} by ${byNumber(move)} to <a href="${metricPath(move.symbol, move.metric)}">${roughText(move.change.to.value, move.unit)}</a>`

/** `1 value was`, `2 values were`. */
export const counted = (n: number, one: string, many: string): string =>
  `${formatNumber(n)} ${n === 1 ? one : many}`

/** The clauses of the sentence, the first without a capital. */
export const clausesOf = ({ absent, corrected, date, moves }: DayFacts): ReadonlyArray<Html> => {
  const ordered = [...moves.filter(({ symbol }) => bySymbol.has(symbol)), ...moves]
  const fall = ordered.find(({ change }) => change.relative < 0)
  const rise = ordered.find(({ change }) => change.relative > 0)
  return [
    ...(fall === undefined ? [] : [moved(fall)]),
    ...(rise === undefined ? [] : [moved(rise)]),
    ...(fall === undefined && rise === undefined ? [html`no headline figure moved`] : []),
    ...(corrected === 0
      ? []
      : [
          html`<a href="/changes/${date}#revised">${counted(corrected, "value was", "values were")} corrected</a>`
        ]),
    ...(absent === 0 ? [] : [html`<a href="/log/${date}">${formatNumber(absent)} series</a> had no reading`])
  ]
}

/** The sentence, with each figure as a link. */
export const daySentence = (facts: DayFacts): Html => {
  const clauses = clausesOf(facts)
  return html`${weekday.format(new Date(facts.date))}: ${clauses.map((clause, n) => html`${n === 0 ? "" : n === clauses.length - 1 ? " and " : ", "}${clause}`)}.`
}
