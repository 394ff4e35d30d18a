/**
 * The one search of the service: the explorer's suggestions and its list, `/v1/networks?query`, `/v1/data-dictionary?query`
 * and the MCP tools all ask it. Words count in any order, over names, meanings, other names and units; a slip of the fingers is
 * forgiven. It looks through what is in memory; a question for growth alone may read the recent days.
 */
import { Effect } from "effect"
import { mostAnswers, type SearchAnswer } from "../../wire/data/networks.ts"
import { listing } from "./listing.ts"
import { isOfPlace } from "./searchAccount.ts"
import { accounted, joined } from "./searchAccounted.ts"
import { answeredAnyhow, isOfOrder } from "./searchAnswering.ts"
import type { Aspect } from "./searchAspects.ts"
import { type Beside, besideOf } from "./searchBeside.ts"
import { type Among, all, byImportance, measured } from "./searchCandidates.ts"
import { answeringGrowth, withGrowth } from "./searchGrowers.ts"
import { type Direction, growthAsked, isOfGrowth } from "./searchGrowth.ts"
import { saysWhat, scoreOf } from "./searchMetrics.ts"
import { networksOf } from "./searchNetworks.ts"
import { noteOf, type Untold } from "./searchNote.ts"
import {
  comparing,
  isOfMeasure,
  isOfService,
  pageAsked,
  pageOfNetwork,
  pagesNear,
  type SearchPage,
  wordsOfPages
} from "./searchPages.ts"
import { type Question, understood } from "./searchQuestion.ts"
import type { Naming } from "./searchSubjects.ts"
import { isCategory, isOptional, wordsOf } from "./searchWords.ts"

export interface Searched {
  /** True where a word was taken for a slip of another. */
  readonly isCorrected: boolean
  /** True where the query names or sorts networks and asks for no figure of them. */
  readonly ofNetworks: boolean
  /** Series with their latest value, best first; at most `mostAnswers`. */
  readonly answers: ReadonlyArray<SearchAnswer>
  /** A page that answers, where one was asked for; then those that come near. */
  readonly pages: ReadonlyArray<SearchPage>
  /** True where a page was asked for: it comes before figures. */
  readonly ofPage: boolean
  /** What of the query the first answer does not tell: words that it is not called, places, periods and what else was asked of it. */
  readonly unmeasured: ReadonlyArray<string>
  /** The same in sentences, to be read before the answers; absent where they tell all that is asked. */
  readonly note?: string
  /** Networks of the catalog that the query names or any of its words describes: those measured first, those only listed last. */
  readonly networks: ReadonlyArray<string>
}

/** What is said of an aspect in a word. */
const aspectWord = ({ kind, text }: Aspect): string =>
  kind === "each" ? `per ${text}` : ["except", "limit", "one", "period", "share"].includes(kind) ? text : kind

/** Of several networks that are named and of which nothing else is asked, what is measured of all of them comes first. */
const sharedFirst = (
  answers: ReadonlyArray<SearchAnswer>,
  symbols: ReadonlyArray<string>
): ReadonlyArray<SearchAnswer> => {
  if (symbols.length < 2) return answers
  const isShared = ({ metric }: SearchAnswer) =>
    symbols.every((symbol) => answers.some((answer) => answer.metric === metric && answer.symbol === symbol))
  return [...answers.filter(isShared), ...answers.filter((answer) => !isShared(answer))]
}

const isSame = (a: SearchAnswer, b: SearchAnswer): boolean => a.metric === b.metric && a.symbol === b.symbol

/** What else was asked stands after the figures of what was asked first. */
const withBeside = (
  answers: ReadonlyArray<SearchAnswer>,
  beside: ReadonlyArray<Beside>
): ReadonlyArray<SearchAnswer> => {
  const others = answers.filter((answer) => !beside.some((one) => isSame(one.answer, answer)))
  const n = others.filter(({ metric }) => metric === others[0]?.metric).length
  return others.toSpliced(n, 0, ...beside.map(({ answer }) => answer)).slice(0, mostAnswers)
}

/** Networks that a comparison names and no answer is of, by the words of their names. */
const leftOut = ({ name, subjects }: Naming, answers: ReadonlyArray<SearchAnswer>): ReadonlyArray<string> =>
  subjects.length < 2 || answers.length === 0
    ? []
    : subjects
        .filter(({ symbol }) => answers.every((answer) => answer.symbol !== symbol))
        .flatMap(({ names }) => [...new Set(names.flat().filter((word) => name.includes(word)))])

/** In a question of more words, those that are plain English name no network. */
const mostOfName = 2

/** The words that figures have to tell: not those of a page, of a period or a share, or of growth. */
const requestedOf = (
  { aspects, words }: Question,
  ofPages: ReadonlyArray<string>,
  direction: Direction | undefined
): ReadonlyArray<string> => {
  const ofAspects = aspects.flatMap(({ kind, text }) =>
    kind === "period" || kind === "share" ? wordsOf(text) : []
  )
  return words.filter(
    (word) =>
      !ofPages.includes(word) && !ofAspects.includes(word) && (direction === undefined || !isOfGrowth(word))
  )
}

/** What is cheap has a price, and not that of the token. */
const isOfTokenPrice = ({ words, written }: Question, first: SearchAnswer | undefined): boolean =>
  words.includes("price") && !written.includes("price") && first?.metric.endsWith("price_usd") === true

/** What nothing tells of a question whose words no figure accounts for. */
const leftWithout = (
  { aspects, query }: Question,
  requested: ReadonlyArray<string>,
  unmeasured: ReadonlyArray<string>,
  hasPages: boolean
) => {
  const unknown = unmeasured.filter((word) => requested.includes(word))
  const isUnknown = unknown.some((word) => !isOfPlace(word))
  const nothing = isUnknown || hasPages ? unknown : requested.filter(saysWhat)
  return {
    things: nothing.filter((word) => !isOfPlace(word)),
    places: joined(nothing.filter(isOfPlace), query),
    aspects
  }
}

/** Without a figure, nothing is of another time or of more than one. */
const isOfFigures = ({ kind }: Aspect): boolean => !["advice", "forecast", "need", "reason"].includes(kind)

/** Answers to a question in words, from all series or among those that are chosen. Never fails: what nothing answers has none. */
export const search = Effect.fn("Data.search")(function* (text: string, among: Among = all) {
  const list = yield* listing
  const question = yield* understood(text)
  const { index, query, words, written } = question
  const isShort = wordsOf(text).length <= mostOfName
  const page = pageAsked(words, query)
  const direction = page === undefined ? growthAsked(words) : undefined
  const isOfPage = page !== undefined || pagesNear({ words, query, isNamed: false }).some(isOfService)
  const grown = direction === undefined ? undefined : yield* answeringGrowth(question, list, among, direction)
  // A file or a proof is asked for of a figure: the words that say so are not about the figure itself.
  const ofFiles = page === undefined ? wordsOfPages({ words, query, isNamed: true }) : []
  const about = words.filter((word) => !ofFiles.includes(word))
  const of = { ...question, words: ofFiles.length === 0 || about.some(saysWhat) ? about : [] }
  const plain = grown ?? answeredAnyhow(of, list, among, isOfPage)
  const { named } = plain
  const isNamed = named.subjects.length > 0
  const near = page === undefined ? pagesNear({ words, query, isNamed }) : [page]
  const symbols = named.subjects.toSorted(byImportance(measured(list))).map(({ symbol }) => symbol)
  const ofPages = page === undefined ? wordsOfPages({ words, query, isNamed }) : words
  const requested = requestedOf(question, ofPages, direction)
  const inquiry = { ...question, words: requested, name: named.name, direction }
  const account = accounted(index, list, inquiry, plain.answers)
  const isOfAnotherPrice = isOfTokenPrice(question, plain.answers[0])
  // Who asks for a page of a network asks for none of its figures.
  const rest = named.rest.filter(saysWhat)
  const isOfPageAlone =
    isNamed && [...rest, ...ofFiles].some(saysWhat) && rest.every((word) => ofPages.includes(word))
  const isWithoutFigures =
    isOfAnotherPrice || (isOfPageAlone && direction === undefined) || (page !== undefined && !isShort)
  const chosen =
    account === undefined || grown !== undefined ? plain.answers : isWithoutFigures ? [] : account.answers
  const compared = named.rest.every(isOptional) ? sharedFirst(chosen, symbols) : chosen
  const beside =
    account === undefined || compared.length === 0
      ? []
      : besideOf(question, list, among, inquiry, account.beside)
  const figures = withBeside(compared, beside)
  const answers = direction === undefined || grown !== undefined ? figures : yield* withGrowth(list, figures)
  const pages = [
    ...comparing(named.subjects, answers),
    ...near,
    ...(answers.length === 0 && page === undefined ? named.subjects.slice(0, 2).map(pageOfNetwork) : [])
  ]
  const isOfMany = symbols.length === 0 && words.every((word) => isCategory(word) || isOfOrder(word))
  const first = isOfMany ? answers.map(({ symbol }) => symbol) : symbols
  const left =
    account ??
    leftWithout(
      question,
      requested,
      plain.unmeasured,
      pages.some((one) => !isOfMeasure(one))
    )
  const things = [...left.things, ...(isOfAnotherPrice ? ["price"] : []), ...leftOut(named, answers)]
  const untold: Untold = {
    things,
    beside,
    places: left.places,
    aspects: left.aspects.filter((aspect) => answers.length > 0 || !isOfFigures(aspect)),
    of: named.subjects.map(({ name }) => name),
    isTogether: answers.length === 0 && things.every((word) => index.vocabulary.knows(word))
  }
  // A page that is asked for tells all.
  const note = page === undefined ? noteOf(untold, answers) : undefined
  const result: Searched = {
    answers,
    pages,
    ofPage: page !== undefined,
    unmeasured: page === undefined ? [...things, ...untold.places, ...untold.aspects.map(aspectWord)] : [],
    ...(note === undefined ? {} : { note }),
    isCorrected: words.some((word) => !written.includes(word)) && words.join("") !== written.join(""),
    ofNetworks: isOfMany || (symbols.length > 0 && named.rest.length === 0),
    networks: networksOf(index, list, { query, words, isShort, isOfPage }, first)
  }
  return result
})

/** Of metrics, those that words describe, best first: by their names, meanings, units and feeds. */
export const rankMetrics = Effect.fn("Data.rankMetrics")(function* <
  M extends { readonly feed: string; readonly metric: string; readonly networks: number }
>(text: string, metrics: ReadonlyArray<M>) {
  const { index, query, words } = yield* understood(text)
  // A metric's name does not contain a network: what is asked of one is asked of all.
  const { rest } = index.subjects.named(words, query)
  const scored = (words: ReadonlyArray<string>) =>
    metrics.flatMap((metric) => {
      const entry = index.entry(metric.feed, metric.metric)
      const score = entry === undefined ? 0 : scoreOf(words, entry)
      return score > 0 ? [{ metric, score }] : []
    })
  const whole = scored(words)
  return (whole.length > 0 ? whole : scored(rest))
    .toSorted((a, b) => b.score - a.score || b.metric.networks - a.metric.networks)
    .map(({ metric }) => metric)
})
