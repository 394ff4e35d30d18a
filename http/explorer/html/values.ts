/** Values, ages and links that look the same on every page. */
import { notReviewed } from "../../../core/plugin/reviewed.ts"
import type { Unit } from "../../../core/plugin/Value.ts"
import type { HistorySeries } from "../../../core/wire/data/history.ts"
import type { TelemetryTier } from "../../../core/wire/data/networks.ts"
import type { HeldReading, LevelInDoubt } from "../../../core/wire/data/valueRow.ts"
import type { WholeValue } from "../../../core/wire/data/whole.ts"
import { sparkline } from "../charts/sparkline.ts"
import {
  type FormattedValue,
  formatAge,
  formatAged,
  formatExactly,
  formatTime,
  formatValue,
  metricWords,
  telemetryWords,
  valueText
} from "./format.ts"
import { type Html, html, raw } from "./markup.ts"

/** A number with its unit, as it is formatted; the exact number is in the title and in the markup. */
export const valueMarkup = (
  row: { readonly value: number; readonly value_text?: string | undefined },
  { before, number, unit }: FormattedValue
): Html => {
  const exact = row.value_text ?? String(row.value)
  return html`<data value="${exact}" title="${row.value_text ?? formatExactly(row.value)}">${before}${number}</data>${
    unit !== "" && html`&nbsp;<span class="unit">${unit}</span>`
  }`
}

/** The same in the digits of a page that is about the value. */
export const valueOf = (row: {
  readonly value: number
  readonly value_text?: string | undefined
  readonly unit: Unit
}): Html => valueMarkup(row, formatValue(row.value, row.unit))

/** What a value is marked by; a type of rows that say less of themselves, too. */
interface Marked {
  readonly by_definition?: true | undefined
  readonly simulated?: true | undefined
  readonly unconfirmed?: true | undefined
  readonly level_in_doubt?: LevelInDoubt | undefined
  readonly reviewed?: false | undefined
}

/** The word for a value of which no figure is computed: two levels in doubt mark it as an unconfirmed feed does. */
const uncountedWord = ({ level_in_doubt, unconfirmed }: Marked): string | undefined =>
  level_in_doubt !== undefined ? "level in doubt" : unconfirmed === true ? "unconfirmed" : undefined

/** What is said of a value beside its source: nothing of most. */
export const marksText = (row: Marked): ReadonlyArray<string> => {
  const uncounted = uncountedWord(row)
  return [
    ...(row.simulated === true ? ["simulated"] : []),
    ...(uncounted === undefined ? [] : [uncounted]),
    ...(row.by_definition === true ? ["by definition"] : []),
    ...(row.reviewed === false ? [notReviewed] : [])
  ]
}

/** Why a value is marked, in words for a page. */
export const unconfirmedWords =
  "Unconfirmed: nothing but its author has compared this feed with its upstream yet. No headline, share, index or rank is computed from it."

/** Which two levels a value is one of, in words for a page. */
export const doubtWords = ({ after, before, since }: LevelInDoubt, unit: Unit): string =>
  `Level in doubt since ${formatTime(since)}: several runs gave ${valueText(after.value, unit)} where it had been ${valueText(before.value, unit)}, and nothing has said yet which is right. Until a second source or the operator does, no headline, share, index or rank is computed from it.`

/** Why no figure is computed from a value; undefined where some are. */
export const uncountedWords = (row: Marked & { readonly unit: Unit }): string | undefined =>
  row.level_in_doubt !== undefined
    ? doubtWords(row.level_in_doubt, row.unit)
    : row.unconfirmed === true
      ? unconfirmedWords
      : undefined

/** What a reader is told of a value whose plugin was not reviewed. */
const reviewWords =
  "The operator of this service loads the plugin behind it from elsewhere: the project has not reviewed how it is read."

/** Why a 0 is marked, in words for a page. */
export const definedWords = ({
  by_definition_reason: reason,
  source_method: method
}: {
  readonly by_definition_reason?: string | undefined
  readonly source_method?: string | undefined
}): string =>
  `By definition, not counted${reason === undefined ? "" : `: ${reason}`}. Method: ${method ?? "not stated"}. No headline, sum, share, rank or alert is made of it.`

/** The newer reading that a guard holds back, in words for a page. */
export const heldWords = ({ as_of, reason, value }: HeldReading, unit: Unit): string =>
  `A reading of ${valueText(value, unit)} from ${formatTime(as_of)} is held back: ${reason}.`

/** Under a value: the word that says why no figure is computed of it, and the newer reading that is held back. */
export const uncountedMark = (
  row: Marked & {
    readonly unit: Unit
    readonly by_definition_reason?: string | undefined
    readonly source_method?: string | undefined
    readonly held?: HeldReading | undefined
  }
): Html => {
  const { held: withheld } = row
  const uncounted = uncountedWord(row)
  return html`${uncounted !== undefined && html`<span class="sub" title="${uncountedWords(row)}">${uncounted}</span>`}${row.by_definition === true && html`<span class="sub" title="${definedWords(row)}">by definition</span>`}${row.reviewed === false && html`<span class="sub" title="${reviewWords}">${notReviewed}</span>`}${withheld !== undefined && html`<span class="sub" title="${heldWords(withheld, row.unit)}">${valueText(withheld.value, row.unit)} is held back</span>`}`
}

/** Under a value that is more than what it is a part of. */
export const exceedsMark = (whole: WholeValue | undefined): Html | false =>
  whole !== undefined && html`<span class="sub">more than the ${metricWords(whole.metric)}</span>`

/** The same in a sentence, with the figure that it is a part of. */
export const exceedsSentence = (whole: WholeValue | undefined, unit: Unit): Html | false =>
  whole !== undefined &&
  html`<p role="note"><strong>More than the whole.</strong> It is a part of the ${metricWords(whole.metric)}, which is ${valueOf({ ...whole, unit })} (${whole.source}, ${formatTime(whole.as_of)}). One of the two is not what it says, so no share is computed from them.</p>`

/** How old a value is; the exact time is in the title. A script keeps the age of `data-age` elements current. */
export const ageOf = (as_of: string, now: number): Html =>
  html`<time datetime="${as_of}" title="${formatTime(as_of)}" data-age>${formatAge(now - Date.parse(as_of))}</time>`

/** The same as a phrase: `3 min old`, or `less than 1 min old`. */
export const agedOf = (as_of: string, now: number): Html =>
  html`<time datetime="${as_of}" title="${formatTime(as_of)}" data-age="phrase">${formatAged(now - Date.parse(as_of))}</time>`

/** The row says what is measured, and a cell beside it how much it changed. */
const sparkWords = ({ n_points, points, unit }: HistorySeries, days: number): string => {
  const [oldest, newest] = [points[0], points.at(-1)]
  const summary = `${n_points} of ${days} days have a reading`
  return oldest === undefined || newest === undefined
    ? summary
    : `${summary}, from ${valueText(oldest.value, unit)} to ${valueText(newest.value, unit)}`
}

export const sparkOf = (series: HistorySeries | undefined, today: string, days: number): Html | false =>
  series !== undefined &&
  raw(
    sparkline({
      points: series.points,
      today,
      days,
      label: sparkWords(series, days)
    })
  )

export const telemetryOf = (tier: TelemetryTier): Html =>
  html`<span class="tag ${tier}" title="${telemetryWords[tier].long}">${telemetryWords[tier].short}</span>`

export const networkPath = (symbol: string): string => `/network/${encodeURIComponent(symbol)}`

export const metricPath = (symbol: string, metric: string): string =>
  `${networkPath(symbol)}/${encodeURIComponent(metric)}`

/** The host of an address, for a link that leaves the site. */
export const hostOf = (address: string): string => {
  try {
    return new URL(address).hostname.replace(/^www\./, "")
  } catch {
    return address
  }
}

/** A link out of the site. */
/** `of` is said where links are listed without their row. */
export const outward = (address: string, text: string = hostOf(address), of = ""): Html =>
  html`<a href="${address}" rel="noopener noreferrer external">${text}${of !== "" && html`<span class="visually-hidden">, source of ${of}</span>`}</a>`
