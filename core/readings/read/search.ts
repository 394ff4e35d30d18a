/**
 * The one search of the service: the explorer's suggestions and its list, `/v1/networks?query`, `/v1/data-dictionary?query`
 * and the MCP tools all ask it. Words count in any order, over names, meanings, other names and units; a slip of the fingers is
 * forgiven. It looks through what is in memory; a question for growth alone may read the recent days.
 */
import { Effect } from "effect"
import { bySymbol as catalog } from "../../catalog/Catalog.ts"
import { searchNetworks } from "../../catalog/lookup.ts"
import { Category } from "../../plugin/kinds.ts"
import { headlineOf } from "../../plugin/Manifest.ts"
import { mostAnswers, type SearchAnswer } from "../../wire/data/networks.ts"
import { Feeds } from "../Feeds.ts"
import { counts } from "./byDefinition.ts"
import type { CurrentRow } from "./Current.ts"
import { type Listing, listing } from "./listing.ts"
import { isOfPlace } from "./searchAccount.ts"
import { accounted, joined } from "./searchAccounted.ts"
import { type Aspect, aspectsOf } from "./searchAspects.ts"
import {
  type Among,
  all,
  answerOf,
  answersOf,
  byImportance,
  byMetricName,
  type Candidate,
  candidatesOf,
  everything,
  isBaseline,
  measured,
  onePerSeries,
  rank,
  rowsAmong,
  rowsOf
} from "./searchCandidates.ts"
import { type Direction, growthAsked, growthOf, inOrderOfGrowth, isOfGrowth } from "./searchGrowth.ts"
import { type Index, indexOf } from "./searchIndex.ts"
import { inEnglish } from "./searchLanguages.ts"
import {
  isCalled,
  type MetricWords,
  ofName,
  saysWhat,
  scoreOf,
  scoreOfSome,
  wordFit
} from "./searchMetrics.ts"
import { noteOf } from "./searchNote.ts"
import {
  comparing,
  isOfService,
  pageAsked,
  pageOfNetwork,
  pagesNear,
  type SearchPage,
  wordsOfPages
} from "./searchPages.ts"
import type { Naming, Subject } from "./searchSubjects.ts"
import {
  directionOf,
  isFiller,
  isOptional,
  isPeriod,
  isSuperlative,
  tellingWords,
  withPrice,
  wordsOf
} from "./searchWords.ts"
import { rankOfTier, telemetryTierOf } from "./telemetryTier.ts"

/** Of one metric, so many networks are named before the next metric is. */
const mostOfMetric = 3

/** Longer texts are no question. */
const longest = 100

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

/** What is shown of a network that is named and of which nothing is asked. */
const figures = ["price_usd", "market_cap_usd", "fees_30d_usd", "tvl_usd"]

/** The score of a network's headline among these. */
const ofHeadline = 10

const prominence =
  (headline: string | undefined) =>
  (entry: MetricWords): number => {
    const { metric } = entry
    const place = figures.indexOf(metric)
    if (metric === headline) return ofHeadline
    if (place >= 0) return 9 - place
    return entry.declared.role === "capacity" ? 4 : 0
  }

const isCategory = (word: string): word is Category => Category.literals.some((one) => one === word)

const headlines = (index: Index, list: Listing, symbols: ReadonlyArray<string>, among: Among) =>
  symbols.flatMap((symbol) => {
    const rows = list.bySymbol.get(symbol) ?? []
    const metrics = rows.filter(counts).map(({ row }) => row.metric)
    return candidatesOf(index, rowsAmong(rows, among), prominence(headlineOf(index.all, symbol, metrics)))
  })

/** Networks of a category, or of all, in the order of their importance. */
const ofCategory = (index: Index, list: Listing, category: string | undefined): ReadonlyArray<string> =>
  [...list.bySymbol.keys()]
    .flatMap((symbol) => {
      const network = catalog.get(symbol)
      return network !== undefined && (category ?? network.category) === network.category
        ? (index.subjects.bySymbol.get(symbol) ?? [])
        : []
    })
    .sort(byImportance(measured(list)))
    .map(({ symbol }) => symbol)

/** How well a metric answers. */
type Score = (entry: MetricWords) => number

const describing =
  (words: ReadonlyArray<string>): Score =>
  (entry) =>
    scoreOf(words, entry)

const bestOf = (candidates: ReadonlyArray<Candidate>): number =>
  candidates.reduce((best, { score }) => Math.max(best, score), 0)

/** The headlines of the largest networks, of a category or of all. */
const ofLargest = (index: Index, list: Listing, category: string | undefined, among: Among) => {
  const largest = ofCategory(index, list, category).filter(among.hasSymbol).slice(0, mostAnswers)
  const some = headlines(index, list, largest, among)
  return onePerSeries(some.filter(({ score }) => score === ofHeadline))
    .slice(0, mostAnswers)
    .map(({ entry, row, subject }) => answerOf(row, subject, entry))
}

/** Whether a word asks for the first, or for how many of them. */
const isOfOrder = (word: string): boolean => isSuperlative(word) || /^\d+$/.test(word)

/**
 * The series that a question for growth is about: of the metric that its other words describe best, or the headlines of the networks of
 * a category, or of all.
 */
const growers = (
  index: Index,
  list: Listing,
  words: ReadonlyArray<string>,
  among: Among
): ReadonlyArray<Candidate> => {
  const remaining = words.filter((word) => !isOfOrder(word) && !isPeriod(word))
  const [category] = remaining.filter(isCategory)
  const rest = remaining.filter((word) => word !== category)
  const order = byImportance(measured(list))
  const of = (symbols: ReadonlyArray<string>) => rowsAmong(rowsOf(list, symbols), among).filter(counts)
  const symbols = ofCategory(index, list, category).filter((symbol) => !isBaseline(symbol))
  if (rest.every(isOptional)) {
    const all = headlines(index, list, symbols.filter(among.hasSymbol), among)
    return onePerSeries(all.filter(({ score }) => score === ofHeadline))
  }
  const described = onePerSeries(candidatesOf(index, of(symbols), describing(rest))).toSorted(
    (a, b) => b.score - a.score || order(a.subject, b.subject) || rank(a) - rank(b) || byMetricName(a, b)
  )
  return described.filter(({ entry }) => entry.metric === described[0]?.entry.metric)
}

/** The answers to a question for growth that names no network; undefined of any other question, and where nothing is described. */
const answeringGrowth = Effect.fnUntraced(function* (
  { index, query, words }: Effect.Success<ReturnType<typeof understood>>,
  list: Listing,
  among: Among,
  direction: Direction
) {
  const other = words.filter((word) => !isOfGrowth(word))
  const unknown = other.filter((word) => !index.vocabulary.knows(word))
  const remaining = other.filter((word) => !unknown.includes(word))
  if (index.subjects.named(remaining, query).subjects.length > 0) return undefined
  const candidates = growers(index, list, remaining, among)
  if (candidates.length === 0) return undefined
  const growth = yield* growthOf(candidates.map(({ row }) => row))
  return {
    answers: inOrderOfGrowth(candidates, direction, growth)
      .slice(0, mostAnswers)
      .map(({ entry, row, subject }) => ({
        ...answerOf(row, subject, entry),
        growth: growth.get(row) ?? null
      })),
    named: { subjects: [], name: [], rest: words },
    unmeasured: unknown
  }
})

/**
 * The series among these that answer: of what is named, else of everything, else of the networks of a category that is named.
 */
const answering = (
  index: Index,
  list: Listing,
  words: ReadonlyArray<string>,
  named: Naming,
  among: Among
): ReadonlyArray<SearchAnswer> => {
  const byOrder = { order: byImportance(measured(list)), direction: directionOf(words) }
  const { order } = byOrder
  const scored = (rows: ReadonlyArray<CurrentRow>, score: Score) =>
    candidatesOf(index, rowsAmong(rows, among), score)
  const rowsNamed = ({ subjects }: Naming) =>
    rowsOf(
      list,
      subjects.toSorted(order).map(({ symbol }) => symbol)
    )
  const symbols = named.subjects.toSorted(order).map(({ symbol }) => symbol)
  const isNamed = symbols.length > 0
  if (isNamed) {
    const described = named.rest.length === 0 ? [] : scored(rowsNamed(named), describing(named.rest))
    const candidates =
      described.length === 0 && named.rest.every(isOptional)
        ? headlines(index, list, symbols, among)
        : described
    // The figure of another network is no answer to a question about this one.
    if (candidates.length > 0 || named.rest.length > 0) return answersOf(candidates, byOrder, mostAnswers)
  }
  const [category] = words.filter(isCategory)
  const rest = words.filter((word) => word !== category)
  if (category === undefined ? words.length > 0 && words.every(isOfOrder) : rest.every(isOptional)) {
    const answers = ofLargest(index, list, category, among)
    if (answers.length > 0) return answers
  }
  const candidates = scored(everything(list), describing(words))
  const perhaps = isNamed ? named : index.subjects.perhapsNamed(words)
  // A word of a name counts as much as one of a metric.
  const ofPerhaps = perhaps.rest.every(isOptional)
    ? []
    : scored(rowsNamed(perhaps), describing(perhaps.rest)).map((candidate) => ({
        ...candidate,
        score: candidate.score + perhaps.name.length * ofName
      }))
  if (bestOf(ofPerhaps) > bestOf(candidates)) return answersOf(ofPerhaps, byOrder, mostAnswers)
  if (candidates.length > 0 || category === undefined) return answersOf(candidates, byOrder, mostOfMetric)
  return answersOf(
    scored(rowsOf(list, ofCategory(index, list, category)), describing(rest)),
    byOrder,
    mostOfMetric
  )
}

/** Whether of the names of a network a question has nothing but a number. */
const isOfNumber = ({ names }: Subject, words: ReadonlyArray<string>): boolean => {
  const own = words.filter((word) => names.flat().includes(word))
  return own.length > 0 && own.every((word) => /^\d+$/.test(word))
}

/** In a question of so many words, those that are plain English name no network. */
const mostOfName = 2

/** Networks whose symbol, name or category has a word of the query. */
const networksOf = (
  index: Index,
  list: Listing,
  {
    isOfPage,
    isShort,
    query,
    words
  }: {
    readonly isOfPage: boolean
    readonly isShort: boolean
    readonly query: string
    readonly words: ReadonlyArray<string>
  },
  named: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const order = byImportance(measured(list))
  if (named.length > 0 && !isShort) return named.filter((symbol) => catalog.has(symbol))
  const ofSubnet = words.includes("subnet")
  const entries = [...new Set([query, words.join(" ")].flatMap(searchNetworks))].flatMap((symbol) => {
    const subject = index.subjects.bySymbol.get(symbol)
    // A number in a question for something else is no subnet.
    if (subject === undefined || (!ofSubnet && isOfNumber(subject, words))) return []
    const own = [...subject.names.flat(), subject.category]
    const called = words.filter((word) => own.includes(word))
    return isShort || called.some((word) => (!isOfPage && isCategory(word)) || index.subjects.tells(word))
      ? [{ subject, n: called.length }]
      : []
  })
  const tier = ({ symbol }: Subject) => rankOfTier[telemetryTierOf(symbol, list)]
  const others = entries
    .toSorted((a, b) => tier(a.subject) - tier(b.subject) || b.n - a.n || order(a.subject, b.subject))
    .map(({ subject }) => subject.symbol)
  return [...new Set([...named.filter((symbol) => catalog.has(symbol)), ...others])]
}

/** A question in words, as it is understood. */
const understood = Effect.fnUntraced(function* (text: string) {
  const query = text.trim().slice(0, longest)
  const index = indexOf((yield* Feeds).manifests)
  const english = inEnglish(query, (word) => isFiller(word) || index.vocabulary.has(word))
  // One word is a name, or what is measured.
  const { aspects, rest } = wordsOf(english).length < 2 ? { aspects: [], rest: english } : aspectsOf(english)
  // "Rank networks by fees" asks for an order, and not for a rank.
  const content = tellingWords(rest.replace(/^\s*rank\b/i, "top"))
  const isOfNothing =
    content.every(isFiller) && wordsOf(english).length > 1 && pageAsked(content, english) === undefined
  const written = isOfNothing ? [] : content
  // No word of another language is taken for an English one.
  const isTranslated = english !== query
  const words = withPrice(
    index.vocabulary.joined(written).map((word) => (isTranslated ? word : index.vocabulary.nearest(word)))
  )
  return { query: english, index, written, words, aspects }
})

const bestFor = (index: Index, list: Listing, words: ReadonlyArray<string>): number =>
  words.every((word) => isOptional(word) || isPeriod(word))
    ? 0
    : bestOf(candidatesOf(index, everything(list), describing(words)))

/**
 * Whether words say what is asked without others beside them: they name a category, or a metric is called by the only one that tells,
 * or described by several.
 */
const tells = (index: Index, list: Listing, words: ReadonlyArray<string>): boolean => {
  const needed = words.filter((word) => !isOptional(word) && !isPeriod(word))
  const described = (entry: MetricWords) =>
    scoreOf(words, entry) > 0 && (needed.length > 1 || needed.some((word) => isCalled(word, entry))) ? 1 : 0
  return words.some(isCategory) || bestOf(candidatesOf(index, everything(list), described)) > 0
}

/**
 * The words without those that keep any metric from answering: without the places that are named, else without the one word whose
 * absence lets a metric answer best by its name. Undefined where no metric does.
 */
const withoutSome = (
  index: Index,
  list: Listing,
  words: ReadonlyArray<string>
): ReadonlyArray<string> | undefined => {
  const elsewhere = words.filter((word) => !isOfPlace(word))
  const isElsewhere = elsewhere.length < words.length && bestFor(index, list, elsewhere) >= ofName
  const some = isElsewhere ? [elsewhere] : words.map((_, n) => words.toSpliced(n, 1))
  const [best] = some
    .map((fewer) => ({ fewer, score: bestFor(index, list, fewer) }))
    .toSorted((a, b) => b.score - a.score)
  return best === undefined || best.score < ofName ? undefined : best.fewer
}

/**
 * What is measured in other places than those that words name: series of the physical world whose symbols have a word of what is asked.
 * Undefined where no place is named, or nothing like it is measured anywhere.
 */
const elsewhere = (index: Index, list: Listing, words: ReadonlyArray<string>, among: Among) => {
  const places = words.filter(isOfPlace)
  if (places.length === 0) return undefined
  const rest = words.filter((word) => !places.includes(word))
  const alike = index.subjects.ofWorldWith(rest)
  const rows = rowsAmong(
    rowsOf(
      list,
      alike.map(({ symbol }) => symbol)
    ),
    among
  )
  const order = { order: byImportance(measured(list)), direction: directionOf(words) }
  const answers = answersOf(
    candidatesOf(index, rows, (entry) => (entry.declared.role === "headline" ? 2 : 1)),
    order,
    mostAnswers
  )
  const own = new Set(alike.flatMap(({ names }) => names.flat()))
  return answers.length === 0
    ? undefined
    : { answers, without: [...places, ...rest.filter((word) => !isOptional(word) && !own.has(word))] }
}

/** The series of a metric whose whole name, of several words, is among the words of a question, whatever is beside them. */
const saidWhole = (
  index: Index,
  list: Listing,
  words: ReadonlyArray<string>,
  among: Among
): ReadonlyArray<SearchAnswer> => {
  const isWhole = ({ name }: MetricWords) =>
    name.filter(saysWhat).length > 1 && name.every((word) => words.includes(word) || isOptional(word))
  const candidates = candidatesOf(index, rowsAmong(everything(list), among), (entry) =>
    isWhole(entry) ? scoreOfSome(words, entry) : 0
  )
  return answersOf(
    candidates,
    { order: byImportance(measured(list)), direction: directionOf(words) },
    mostOfMetric
  )
}

/** Whether a question is of what a word names, as in "users of grass" and "does grass have users". */
const isOfIt = (word: string, query: string): boolean =>
  new RegExp(`\\b(?:of|on|at|for|do|does|did|has|is|can)\\s+(?:the\\s+)?${word}\\b`, "i").test(query)

/** Of so many words a question is still about the same without one of them. */
const leastTelling = 3

/** What answers, and the words that it leaves out: those that nothing is called by, else those that nothing of what is named is. */
const answered = (
  { index, query, words }: Effect.Success<ReturnType<typeof understood>>,
  list: Listing,
  among: Among,
  isOfPage: boolean
) => {
  const unknown = words.filter((word) => saysWhat(word) && !index.vocabulary.knows(word))
  const other = words.filter((word) => !unknown.includes(word))
  const named = index.subjects.named(other, query)
  // What is left of a question without the word that it is about is a question about anything.
  const isLost =
    unknown.some((word) => !isOfPlace(word)) &&
    named.subjects.length === 0 &&
    (!tells(index, list, other) || unknown.length > other.filter((word) => !isOptional(word)).length) &&
    (other.length < leastTelling || withoutSome(index, list, other) === undefined)
  const whole = isLost ? saidWhole(index, list, other, among) : []
  if (whole.length > 0) return { answers: whole, named, unmeasured: unknown }
  const answers = other.length === 0 || isLost ? [] : answering(index, list, other, named, among)
  if (answers.length > 0 || isLost) return { answers, named, unmeasured: unknown }
  if (named.subjects.length === 0) {
    if (isOfPage) return { answers, named, unmeasured: unknown }
    const near = elsewhere(index, list, other, among)
    if (near !== undefined) return { answers: near.answers, named, unmeasured: [...unknown, ...near.without] }
    const whole = saidWhole(index, list, other, among)
    if (whole.length > 0) return { answers: whole, named, unmeasured: unknown }
    const fewer = withoutSome(index, list, other)
    if (fewer === undefined) {
      const called = other.find(
        (word) => isOfIt(word, query) && index.subjects.perhapsCalled([word]).length > 0
      )
      if (called === undefined) return { answers, named, unmeasured: unknown }
      const subjects = index.subjects.perhapsCalled([called])
      const rest = other.filter((word) => word !== called)
      return ofNamed(index, list, among, { subjects, name: [called], rest }, words, unknown)
    }
    const dropped = other.filter((word) => !fewer.includes(word))
    // A network may have the name of a plain word: the figure of another one is not what was asked.
    const meant = dropped.every((word) => isOfIt(word, query)) ? index.subjects.perhapsCalled(dropped) : []
    // Where more is left out than is left, what is left is about anything.
    const isHalf =
      [...unknown, ...dropped].filter((word) => !isOfPlace(word)).length <= fewer.filter(saysWhat).length
    if (meant.length === 0)
      return {
        answers: isHalf ? answering(index, list, fewer, named, among) : [],
        named,
        unmeasured: [...unknown, ...dropped]
      }
    return ofNamed(index, list, among, { subjects: meant, name: dropped, rest: fewer }, words, unknown)
  }
  return ofNamed(index, list, among, named, words, unknown)
}

/** What comes near a question about a network: of its figures those that some words describe, else its headline; and the words left out. */
const ofNamed = (
  index: Index,
  list: Listing,
  among: Among,
  named: Naming,
  words: ReadonlyArray<string>,
  unknown: ReadonlyArray<string>
) => {
  const byOrder = { order: byImportance(measured(list)), direction: directionOf(words) }
  const rows = rowsAmong(
    rowsOf(
      list,
      named.subjects.map(({ symbol }) => symbol)
    ),
    among
  )
  const some = candidatesOf(index, rows, (entry) => scoreOfSome(named.rest, entry))
  const near =
    some.length > 0
      ? answersOf(some, byOrder, mostAnswers)
      : answering(index, list, named.name, { ...named, rest: [] }, among)
  // What the first of them does not have it does not answer, although other figures of the network do.
  const best = rows.find(
    ({ row: { metric, symbol } }) => metric === near[0]?.metric && symbol === near[0].symbol
  )
  const entry = best && index.entry(best.plugin, best.row.metric)
  const rest = named.rest.filter(
    (word) => saysWhat(word) && !(entry !== undefined && wordFit(word, entry) > 0)
  )
  return { answers: near, named, unmeasured: [...unknown, ...rest] }
}

/** The same answers, each with how it grew. */
const withGrowth = Effect.fnUntraced(function* (list: Listing, answers: ReadonlyArray<SearchAnswer>) {
  const rowOf = ({ metric, source, symbol }: SearchAnswer) =>
    list.bySymbol.get(symbol)?.find(({ row }) => row.metric === metric && row.source === source)
  const growth = yield* growthOf(answers.flatMap((answer) => rowOf(answer) ?? []))
  return answers.map((answer) => {
    const row = rowOf(answer)
    return { ...answer, growth: (row && growth.get(row)) ?? null }
  })
})

/** What is said of an aspect in a word. */
const aspectWord = ({ kind, text }: Aspect): string =>
  kind === "each" ? `per ${text}` : ["limit", "one", "period", "share"].includes(kind) ? text : kind

/** What answers, with the periods of the question or, where nothing is told of them, without. */
const answeredAnyhow = (
  question: Effect.Success<ReturnType<typeof understood>>,
  list: Listing,
  among: Among,
  isOfPage: boolean
) => {
  const dated = answered(question, list, among, isOfPage)
  const words = question.words.filter((word) => !isPeriod(word))
  return dated.answers.length > 0 || isOfPage || words.length === 0 || words.length === question.words.length
    ? dated
    : answered({ ...question, words }, list, among, isOfPage)
}

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

/** Networks that a comparison names and no answer is of, by the words of their names. */
const leftOut = ({ name, subjects }: Naming, answers: ReadonlyArray<SearchAnswer>): ReadonlyArray<string> =>
  subjects.length < 2 || answers.length === 0
    ? []
    : subjects
        .filter(({ symbol }) => answers.every((answer) => answer.symbol !== symbol))
        .flatMap(({ names }) => [...new Set(names.flat().filter((word) => name.includes(word)))])

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
  const plain = grown ?? answeredAnyhow(question, list, among, isOfPage)
  const { named } = plain
  const isNamed = named.subjects.length > 0
  const near = page === undefined ? pagesNear({ words, query, isNamed }) : [page]
  const symbols = named.subjects.toSorted(byImportance(measured(list))).map(({ symbol }) => symbol)
  const ofPages = page === undefined ? wordsOfPages({ words, query, isNamed }) : words
  const ofAspects = question.aspects.flatMap(({ kind, text }) =>
    kind === "period" || kind === "share" ? wordsOf(text) : []
  )
  const requested = words.filter(
    (word) =>
      !ofPages.includes(word) && !ofAspects.includes(word) && (direction === undefined || !isOfGrowth(word))
  )
  const { name } = named
  const account = accounted(index, list, { ...question, words: requested, name, direction }, plain.answers)
  // What is cheap has a price, and not that of the token.
  const isOfAnotherPrice =
    words.includes("price") &&
    !written.includes("price") &&
    plain.answers[0]?.metric.endsWith("price_usd") === true
  // Who asks for a page of a network asks for none of its figures.
  const rest = named.rest.filter(saysWhat)
  const isOfPageAlone = isNamed && rest.length > 0 && rest.every((word) => ofPages.includes(word))
  const chosen =
    account === undefined || grown !== undefined
      ? plain.answers
      : isOfAnotherPrice || (isOfPageAlone && direction === undefined) || (page !== undefined && !isShort)
        ? []
        : account.answers
  const compared = named.rest.every(isOptional) ? sharedFirst(chosen, symbols) : chosen
  const answers =
    direction === undefined || grown !== undefined ? compared : yield* withGrowth(list, compared)
  const isOfMany = symbols.length === 0 && words.every((word) => isCategory(word) || isOfOrder(word))
  const first = isOfMany ? answers.map(({ symbol }) => symbol) : symbols
  const networks = networksOf(index, list, { query, words, isShort, isOfPage }, first)
  const pages = [
    ...comparing(named.subjects, answers),
    ...near,
    ...(answers.length === 0 && page === undefined ? named.subjects.slice(0, 2).map(pageOfNetwork) : [])
  ]
  const unknown = plain.unmeasured.filter((word) => requested.includes(word))
  const isUnknown = unknown.some((word) => !isOfPlace(word))
  const nothing = isUnknown || pages.length > 0 ? unknown : requested.filter(saysWhat)
  const left = account ?? {
    things: nothing.filter((word) => !isOfPlace(word)),
    places: joined(nothing.filter(isOfPlace), query),
    aspects: question.aspects
  }
  const things = [...left.things, ...(isOfAnotherPrice ? ["price"] : []), ...leftOut(named, answers)]
  // Without a figure nothing is of another time or of more than one.
  const isOfFigures = ({ kind }: Aspect) => !["advice", "forecast", "need", "reason"].includes(kind)
  const aspects =
    page !== undefined
      ? []
      : answers.length > 0
        ? left.aspects
        : left.aspects.filter((one) => !isOfFigures(one))
  const note =
    page === undefined
      ? noteOf(
          {
            things,
            places: left.places,
            aspects,
            of: isNamed ? named.subjects.map(({ name }) => name) : [],
            isTogether: answers.length === 0 && things.every((word) => index.vocabulary.knows(word))
          },
          answers
        )
      : undefined
  const result: Searched = {
    answers,
    pages,
    ofPage: page !== undefined,
    unmeasured: page === undefined ? [...things, ...left.places, ...aspects.map(aspectWord)] : [],
    ...(note === undefined ? {} : { note }),
    isCorrected: words.some((word) => !written.includes(word)) && words.join("") !== written.join(""),
    ofNetworks: isOfMany || (symbols.length > 0 && named.rest.length === 0),
    networks
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
