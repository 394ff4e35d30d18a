/**
 * What of a question a figure accounts for: a figure answers only where each word that says what is asked is of its metric, of what it
 * is measured of, or of a page that is named beside it. All others are said, and the figure is near.
 */
import type { SearchAnswer } from "../../wire/data/networks.ts"
import type { Listing } from "./listing.ts"
import type { Index } from "./searchIndex.ts"
import { isInMeaning, isOnlyNear, isToldBy, type MetricWords, placeWords, saysWhat } from "./searchMetrics.ts"
import type { Subject } from "./searchSubjects.ts"
import { isAttribute, isCategory, isNoPlace, isPlace, nearTo, sameAs, tellingWords } from "./searchWords.ts"

/** What a series is: its metric and what it is measured of. */
export interface Figure {
  readonly entry: MetricWords
  readonly subject: Subject
}

export const figureOf = (index: Index, list: Listing, answer: SearchAnswer): Figure | undefined => {
  const row = list.bySymbol
    .get(answer.symbol)
    ?.find(({ row }) => row.metric === answer.metric && row.source === answer.source)
  const entry = row && index.entry(row.plugin, row.row.metric)
  const subject = index.subjects.bySymbol.get(answer.symbol)
  return entry === undefined || subject === undefined ? undefined : { entry, subject }
}

/** Whether a word names what a figure is of: by a name, or by its category, beside others or alone, where no network is named. */
const isOfSubject = (
  word: string,
  { category, names }: Subject,
  words: ReadonlyArray<string>,
  isNamed: boolean
): boolean => {
  const own = names.flat()
  const isOfCategory = !isNamed && category !== undefined && words.includes(category)
  return (
    own.includes(word) || (isOfCategory && isCategory(word)) || sameAs(word).some((one) => own.includes(one))
  )
}

const head =
  /\bhow (?:many|much)\b(.*?)(?:\b(?:are|is|was|were|do|does|did|has|have|had|can|will|in|on|of|at|by|for|to|with|from|per)\b|[?!.,]|$)/i

/** The words of the thing of which a question asks how many or how much there is. */
const headOf = (query: string): ReadonlyArray<string> => {
  const [, words = ""] = head.exec(query) ?? []
  return words.trim() === "" ? [] : tellingWords(words)
}

/** Whether a word only repeats what another word of the question says: fees that a network earned are its fees. */
const isSaidBeside = (word: string, requested: ReadonlyArray<string>, entry: MetricWords): boolean =>
  isOnlyNear(word, entry) && nearTo(word).some((one) => requested.includes(one))

/** Gigabytes are written as Great Britain is. */
export const isUnit = (word: string): boolean => sameAs(word).includes("byte")

/** Whether a word is the name of a place. */
export const isOfPlace = (word: string): boolean =>
  (placeWords.has(word) && !isNoPlace(word)) ||
  isPlace(word) ||
  (!isUnit(word) && sameAs(word).some((one) => placeWords.has(one)))

export interface Account {
  /** Words of the question that say what is asked: those that the figure tells, and those that it does not. */
  readonly covered: ReadonlyArray<string>
  readonly untold: ReadonlyArray<string>
  /** Of those that are told, what its metric is. */
  readonly ofMetric: ReadonlyArray<string>
  /** Of these, what only its description says. */
  readonly described: ReadonlyArray<string>
  /** Of those that are not told, what its metric comes near. */
  readonly near: ReadonlyArray<string>
}

/** A question as an account reads it. */
export interface Inquiry {
  readonly words: ReadonlyArray<string>
  readonly query: string
  /** The words that name networks. */
  readonly name: ReadonlyArray<string>
}

/**
 * Which words a figure tells. What stands only in the description of a metric tells a word where another is of its name, or several are
 * described; never the thing that is counted.
 */
export const accountOf = ({ entry, subject }: Figure, { name, query, words }: Inquiry): Account => {
  const requested = words.filter(saysWhat)
  const heads = headOf(query)
  const ofName = requested.filter(
    (word) => !name.includes(word) && (isToldBy(word, entry) || isSaidBeside(word, requested, entry))
  )
  const described = requested.filter(
    (word) =>
      !name.includes(word) &&
      !ofName.includes(word) &&
      !heads.includes(word) &&
      !isAttribute(word) &&
      !isOfPlace(word) &&
      isInMeaning(word, entry)
  )
  const ofDescription = ofName.length > 0 || described.length > 1 ? described : []
  const ofMetric = [...ofName, ...ofDescription]
  const isNamed = name.length > 0 || subject.names.some((of) => of.every((word) => words.includes(word)))
  const covered = requested.filter(
    (word) => name.includes(word) || ofMetric.includes(word) || isOfSubject(word, subject, words, isNamed)
  )
  const untold = requested.filter((word) => !covered.includes(word))
  return {
    covered,
    untold,
    ofMetric,
    described: ofDescription,
    near: untold.filter((word) => isOnlyNear(word, entry))
  }
}
