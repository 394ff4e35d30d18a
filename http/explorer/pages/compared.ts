/** What a comparison is of: the series that its address names, and the charts that show them. */
import { Effect } from "effect"
import { keyless } from "../../../core/readings/read/Access.ts"
import { dateOf } from "../../../core/readings/read/days.ts"
import { history } from "../../../core/readings/read/history.ts"
import { type Profile, profile, type ReadMetric } from "../../../core/readings/read/profile.ts"
import { search } from "../../../core/readings/read/search.ts"
import type { HistorySeries } from "../../../core/wire/data/history.ts"
import type { UnknownSymbol } from "../../../core/wire/problems/request.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { type ComparedLine, chartsOf, choicesForAll, commonDay } from "../charts/compareChart.ts"
import { type Letter, letters } from "../charts/letters.ts"
import { axisOf } from "../charts/valueAxis.ts"
import { formatDay, metricTitle, metricWords } from "../html/format.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import { queryText } from "../html/queryText.ts"
import { rightsText } from "../html/rights.ts"
import { pageTime } from "../html/shell.ts"
import type { KnownNote } from "../html/timeMachine.ts"
import { type AsKnown, asKnownOn, endOfPast, noteOfDays } from "./asKnown.ts"
import { headlineOf } from "./network.ts"
import { markedIn } from "./series.ts"

/** `a` to `f` are series as `FIL/active_storage_providers`; a network alone stands for its headline. */
export type CompareQuery = Readonly<
  Partial<Record<Letter | "as_known_at" | "axis" | "by" | "days", string | undefined>>
>

export const windows = [7, 30] as const

const paramsOf = (query: CompareQuery, now: number) => ({
  picks: letters.flatMap((letter) => {
    const text = (query[letter] ?? "").trim().slice(0, 120)
    return text === "" ? [] : [{ letter, text }]
  }),
  by: query.by === "value" ? ("value" as const) : ("index" as const),
  days: windows.find((one) => String(one) === query.days) ?? 30,
  axis: axisOf(query.axis),
  /** The end of the day on which the series are as they were known, epoch milliseconds. */
  at: endOfPast(query.as_known_at, now)
})
export type CompareParams = ReturnType<typeof paramsOf>

export interface Match {
  readonly letter: Letter
  readonly text: string
  readonly of: Profile
  readonly read: ReadMetric
  /** As it is now, or as it was known then. */
  readonly series: HistorySeries | undefined
  readonly asKnown: AsKnown | undefined
}

export interface NoMatch {
  readonly letter: Letter
  readonly text: string
  readonly why: string
  /** What was perhaps meant, as texts for the field. */
  readonly near: ReadonlyArray<string>
}

export const isMatch = (one: Match | NoMatch): one is Match => "of" in one

const closeTo = (word: string, of: Profile): ReadonlyArray<string> => {
  const parts = word.toLowerCase().split(/[\s_]+/)
  return of.metrics
    .filter(({ metric }) => parts.some((part) => part.length > 2 && metric.toLowerCase().includes(part)))
    .slice(0, 5)
    .map(({ metric }) => `${of.symbol}/${metric}`)
}

/** By its name, or by its words. */
const isCalled = (metric: string, text: string): boolean =>
  metric === text || metricWords(metric).toLowerCase() === text.toLowerCase()

/** Figures that answer a text which is no name, as texts for the field. */
const answersTo = (text: string) =>
  Effect.map(search(text), ({ answers }) =>
    answers.slice(0, 3).map(({ metric, symbol }) => `${symbol}/${metric}`)
  )

const find = Effect.fnUntraced(
  function* (letter: Letter, text: string, { at, days }: CompareParams) {
    const [, named = "", metric = ""] = /^([^/:]*)[/:]?(.*)$/.exec(text) ?? []
    const of = yield* profile(named.trim())
    const word = metric.trim()
    const read = word === "" ? headlineOf(of) : of.metrics.find(({ metric }) => isCalled(metric, word))
    if (read === undefined) {
      const name = nameOfSymbol(of.symbol)
      const why =
        word === "" ? `Nothing is measured of ${name}.` : `${word.slice(0, 60)} is not measured of ${name}.`
      return { letter, text, why, near: closeTo(word, of) } satisfies NoMatch
    }
    const { data } = yield* orProblem(
      history({
        access: keyless,
        network: of.symbol,
        metric: read.metric,
        source: read.row.source,
        days
      })
    )
    const present = data[of.symbol]?.[read.metric]
    const name = { symbol: of.symbol, metric: read.metric, source: read.row.source }
    const asKnown = at === undefined ? undefined : yield* orProblem(asKnownOn(name, { at, days, present }))
    const series = asKnown === undefined ? present : asKnown.series
    return { letter, text, of, read, series, asKnown } satisfies Match
  },
  (effect, letter, text) =>
    Effect.catchTag(effect, "UnknownSymbol", ({ did_you_mean = [] }: UnknownSymbol) =>
      Effect.map(answersTo(text), (answers): NoMatch => {
        const near = answers.length > 0 ? answers : did_you_mean
        return { letter, text, why: "No network has this name.", near }
      })
    )
)

/** What a query asks for, with what is known of it. */
export const compared = Effect.fn("explorer.compared")(function* (query: CompareQuery) {
  const now = yield* pageTime
  const params = paramsOf(query, now)
  const all: ReadonlyArray<Match | NoMatch> = yield* Effect.forEach(params.picks, ({ letter, text }) =>
    find(letter, text, params)
  )
  const matches = all.filter(isMatch)
  const lines = linesOf(matches)
  const { at, axis: requestedAxis, by, days } = params
  const fitted = chartsOf(lines, { at, by, days, now })
  const choices = choicesForAll(fitted)
  // A choice that some chart cannot have is none: the address of the page does not keep it.
  const axis = choices.find((one) => one === requestedAxis)
  return {
    params: { ...params, axis },
    all,
    matches,
    now,
    lines,
    charts: fitted.map((chart) => ({ ...chart, axis })),
    choices
  }
})

export type Compared = Effect.Success<ReturnType<typeof compared>>

export const nameOf = ({ of, read }: Match): string =>
  `${nameOfSymbol(of.symbol)}, ${metricTitle(read.metric)}`

/** The name of a series, its source, and whom to credit. */
export const sourceText = (match: Match): string => {
  const { row, terms } = match.read
  return `${nameOf(match)}. Source: ${row.source}${markedIn(row)}. ${rightsText(terms)}`.trim()
}

/** What differs between the series: their networks, else their metrics, else the whole name. */
const labelsOf = (matches: ReadonlyArray<Match>): ReadonlyArray<string> => {
  const ways = [
    ({ of }: Match) => nameOfSymbol(of.symbol),
    ({ read }: Match) => metricTitle(read.metric),
    nameOf
  ].map((labelOf) => matches.map(labelOf))
  return ways.find((labels) => new Set(labels).size === matches.length) ?? matches.map(nameOf)
}

export const linesOf = (matches: ReadonlyArray<Match>): ReadonlyArray<ComparedLine> => {
  const labels = labelsOf(matches)
  return matches.map((one, n) => ({
    letter: one.letter,
    name: nameOf(one),
    label: labels[n] ?? "",
    unit: one.read.row.unit,
    points: one.series?.points ?? [],
    now: one.asKnown?.now
  }))
}

export const targetOf = ({ of, read }: Match): string => `${of.symbol}/${read.metric}`

export const addressOf = (
  params: Pick<CompareParams, "at" | "axis" | "by" | "days">,
  items: ReadonlyArray<{ readonly letter: Letter; readonly text: string }>,
  path = "/compare"
): string => {
  const parameters = items.map(({ letter, text }) => [letter, text] as const)
  return `${path}?${queryText([...parameters, ["by", params.by], ["days", String(params.days)], ...(params.axis === undefined ? [] : ([["axis", params.axis]] as const)), ...(params.at === undefined ? [] : ([["as_known_at", dateOf(params.at)]] as const))])}`
}

/** The address that anyone can share: with the names as the service knows them. */
export const sharedOf = (params: CompareParams, all: ReadonlyArray<Match | NoMatch>, path?: string): string =>
  addressOf(
    params,
    all.map((one) => ({ letter: one.letter, text: isMatch(one) ? targetOf(one) : one.text })),
    path
  )

/** What is said of series that are as they were known; undefined of those that are as they are now. */
export const noteOf = (
  matches: ReadonlyArray<Match>,
  { at, days }: Pick<CompareParams, "at" | "days">
): KnownNote | undefined => {
  if (at === undefined) return undefined
  const notes = matches.flatMap(({ asKnown, letter, read }) =>
    asKnown === undefined ? [] : [{ letter, ...noteOfDays(asKnown, read.row.unit) }]
  )
  return {
    date: dateOf(at),
    lines: notes.flatMap(({ letter, lines }) => lines.map((line) => `${letter.toUpperCase()}, ${line}`)),
    one: "day of a series",
    many: "days of series",
    sign: "the dotted lines",
    beyond: notes.some(({ beyond }) => beyond !== undefined) ? days : undefined
  }
}

/** What the charts show, in a sentence. */
export const caption = (
  matches: ReadonlyArray<Match>,
  { by, days }: CompareParams,
  charts: number
): string => {
  if (by === "value") {
    return charts > 1
      ? `${days} days as measured, in ${charts} charts: one for each unit and order of magnitude.`
      : `${days} days as measured.`
  }
  const day = commonDay(linesOf(matches))
  return day === undefined
    ? "Each series is 100 on its own first day: no day has a reading of all."
    : `Each series is 100 on ${formatDay(day)}, the first day that all of them have.`
}
