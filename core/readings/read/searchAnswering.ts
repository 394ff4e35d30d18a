/** The series that answer a question: of what it names, of what its words describe, or of a category. */
import { bySymbol as catalog } from "../../catalog/Catalog.ts"
import { headlineOf } from "../../plugin/Manifest.ts"
import { mostAnswers, type SearchAnswer } from "../../wire/data/networks.ts"
import { counts } from "./byDefinition.ts"
import type { CurrentRow } from "./Current.ts"
import type { Listing } from "./listing.ts"
import { isOfPlace } from "./searchAccount.ts"
import {
  type Among,
  answerOf,
  answersOf,
  byImportance,
  type Candidate,
  candidatesOf,
  everything,
  measured,
  onePerSeries,
  rowsAmong,
  rowsOf,
  type Score
} from "./searchCandidates.ts"
import type { Index } from "./searchIndex.ts"
import {
  isCalled,
  type MetricWords,
  ofName,
  saysWhat,
  scoreOf,
  scoreOfSome,
  wordFit
} from "./searchMetrics.ts"
import type { Question } from "./searchQuestion.ts"
import type { Naming } from "./searchSubjects.ts"
import { directionOf, isCategory, isOptional, isPeriod, isSuperlative } from "./searchWords.ts"

/** Of one metric, so many networks are named before the next metric is: more of them where an order of networks is asked for. */
const mostOfMetric = (words: ReadonlyArray<string>): number => (directionOf(words) === undefined ? 3 : 10)

/** What is shown of a network that is named and of which nothing is asked. */
const figures = ["price_usd", "market_cap_usd", "fees_30d_usd", "tvl_usd"]

/** The score of a network's headline among these. */
export const ofHeadline = 10

const prominence = (headline: string | undefined): Score => ({
  of: ({ declared, metric }) => {
    const place = figures.indexOf(metric)
    if (metric === headline) return ofHeadline
    if (place >= 0) return 9 - place
    return declared.role === "capacity" ? 4 : 0
  }
})

export const headlines = (index: Index, list: Listing, symbols: ReadonlyArray<string>, among: Among) =>
  symbols.flatMap((symbol) => {
    const rows = list.bySymbol.get(symbol) ?? []
    const metrics = rows.filter(counts).map(({ row }) => row.metric)
    return candidatesOf(index, rowsAmong(rows, among), prominence(headlineOf(index.all, symbol, metrics)))
  })

/** Networks of a category, or of all, in the order of their importance. */
export const ofCategory = (
  index: Index,
  list: Listing,
  category: string | undefined
): ReadonlyArray<string> =>
  [...list.bySymbol.keys()]
    .flatMap((symbol) => {
      const network = catalog.get(symbol)
      return network !== undefined && (category ?? network.category) === network.category
        ? (index.subjects.bySymbol.get(symbol) ?? [])
        : []
    })
    .sort(byImportance(measured(list)))
    .map(({ symbol }) => symbol)

/** How well words describe a metric, without those that what it is measured of says itself: wind, of a grid's part that is wind. */
export const describing = (words: ReadonlyArray<string>): Score => ({
  words,
  of: (entry, own) => {
    const whole = scoreOf(words, entry)
    const beside = own.filter((word) => !isCalled(word, entry))
    if (beside.length === 0) return whole
    // Of two categories a network is of one.
    const isBeside = (word: string) => beside.includes(word) || (isCategory(word) && beside.some(isCategory))
    const alone =
      whole > 0
        ? whole
        : scoreOf(
            words.filter((word) => !isBeside(word)),
            entry
          )
    return alone > 0 ? alone + beside.length * ofName : 0
  }
})

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
export const isOfOrder = (word: string): boolean => isSuperlative(word) || /^\d+$/.test(word)

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
  const isOfLargest = words.some(isOfOrder) && words.every((word) => isOfOrder(word) || isOptional(word))
  if (category === undefined ? isOfLargest : rest.every(isOptional)) {
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
  return answersOf(candidates, byOrder, mostOfMetric(words))
}

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
  const described: Score = {
    of: (entry) =>
      scoreOf(words, entry) > 0 && (needed.length > 1 || needed.some((word) => isCalled(word, entry))) ? 1 : 0
  }
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
    candidatesOf(index, rows, { of: ({ declared }) => (declared.role === "headline" ? 2 : 1) }),
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
  const candidates = candidatesOf(index, rowsAmong(everything(list), among), {
    words,
    of: (entry, own) => (isWhole(entry) ? scoreOfSome(words, entry) + own.length * ofName : 0)
  })
  return answersOf(
    candidates,
    { order: byImportance(measured(list)), direction: directionOf(words) },
    mostOfMetric(words)
  )
}

/** Whether a question is of what a word names, as in "users of grass" and "does grass have users". */
const isOfIt = (word: string, query: string): boolean =>
  new RegExp(`\\b(?:of|on|at|for|do|does|did|has|is|can)\\s+(?:the\\s+)?${word}\\b`, "i").test(query)

/** Of so many words a question is still about the same without one of them. */
const leastTelling = 3

/** What answers, and the words that it leaves out: those that nothing is called by, else those that nothing of what is named is. */
const answered = ({ index, query, words }: Question, list: Listing, among: Among, isOfPage: boolean) => {
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
  const some = candidatesOf(index, rows, { of: (entry) => scoreOfSome(named.rest, entry) })
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

/** What answers, with the periods of the question or, where less is told of it so, without: a week of fees is not what was burned. */
export const answeredAnyhow = (question: Question, list: Listing, among: Among, isOfPage: boolean) => {
  const dated = answered(question, list, among, isOfPage)
  const words = question.words.filter((word) => !isPeriod(word))
  const isTold = dated.answers.length > 0 && dated.unmeasured.every(isOfPlace)
  if (isTold || isOfPage || words.length === 0 || words.length === question.words.length) return dated
  const undated = answered({ ...question, words }, list, among, isOfPage)
  const tellsMore = undated.answers.length > 0 && undated.unmeasured.length < dated.unmeasured.length
  return dated.answers.length === 0 || tellsMore ? undated : dated
}
