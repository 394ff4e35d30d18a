/** Metrics by words: how well the words of a query describe each metric that a feed declares. */
import { type Manifest, type Metric, metricNamed } from "../../plugin/Manifest.ts"
import countries from "../../plugin/shapes/countries.json" with { type: "json" }
import { wordOf } from "../../plugin/units.ts"
import {
  alikeTo,
  familyNamed,
  isOptional,
  isPeriod,
  isSuperlative,
  isTurning,
  nearTo,
  otherNamesOf,
  sameAs,
  tellingWords,
  wordsOf
} from "./searchWords.ts"

/** A metric of a feed, in words. */
export interface MetricWords {
  readonly metric: string
  readonly feed: string
  readonly declared: Metric
  /** The words of its name, and the same without a unit at their end. */
  readonly all: ReadonlyArray<string>
  readonly name: ReadonlyArray<string>
  readonly others: ReadonlyArray<ReadonlyArray<string>>
  readonly text: ReadonlySet<string>
  /** What its figures are called beside its name: the words of its unit, of the title of a feed of one thing, and of what is counted. */
  readonly beside: ReadonlySet<string>
}

/** A metric is called by its name without the unit at its end. */
const unitWords = new Set(["usd", "pct", "percent", "byte", "gib", "mw", "hz", "count"])

const withoutUnit = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const last = words.at(-1)
  return words.length > 1 && last !== undefined && unitWords.has(last) ? words.slice(0, -1) : words
}

/** The metrics of which a metric is one: prices of models of GPU, or countries of one count; else itself. */
export const familyOf = (metric: string): string =>
  alikeTo(metric) ?? familyNamed(metric) ?? metric.replace(/_country_[A-Z]{2}$/, "_country_*")

const countryNames: Readonly<Record<string, ReadonlyArray<string>>> = countries

/** The words of all names of countries. */
export const placeWords: ReadonlySet<string> = new Set(Object.values(countryNames).flat().flatMap(wordsOf))

/** What a metric of one country is called with the country's name (`nodes_country_DE`: nodes in Germany). */
const placeOf = (metric: string): ReadonlyArray<string> => {
  const [, of, code] = /^(.+)_country_([A-Z]{2})$/.exec(metric) ?? []
  return of === undefined || code === undefined
    ? []
    : (countryNames[code] ?? []).map((name) => `${of} ${name}`)
}

/** Where what is counted ends and what is said of it begins. */
const ofHead =
  /\b(?:that|which|whose|who|what|those|them|of|in|on|with|by|for|from|to|at|as|over|than|before|after|since|times|is|are|was|were|has|have|ever)\b|[.,;:()]/i

/** What a metric counts, as the beginning of what is said of it names it: stations, of "Stations that were active". */
const headOf = (meaning: string): ReadonlyArray<string> => {
  const [head = ""] = meaning.split(ofHead)
  return head.trim() === "" ? [] : tellingWords(head)
}

/** The words of a metric; undefined for one that the manifest does not declare. */
export const metricWordsOf = (manifest: Manifest, metric: string): MetricWords | undefined => {
  const declared = metricNamed(manifest.metrics, metric)
  if (declared === undefined) return undefined
  const { meaning, unit } = declared
  const all = wordsOf(metric)
  // The title of a feed of many networks names all that it gives, and not this figure: "fees and locked value".
  const { covers } = manifest
  const isOfMany = "catalog" in covers || ("networks" in covers && covers.networks.length > 1)
  const title = isOfMany ? [] : [manifest.title]
  const text = [metric, meaning, ...title, unit, wordOf(unit)].flatMap(tellingWords)
  return {
    metric,
    feed: manifest.id,
    declared,
    all,
    name: withoutUnit(all),
    others: [...otherNamesOf(metric), ...placeOf(metric)].map(tellingWords),
    text: new Set(text),
    beside: new Set([...[unit, wordOf(unit), ...title].flatMap(wordsOf), ...headOf(meaning)])
  }
}

/** Whether what is said of a metric has a form of words. */
export const metricSays = ({ declared, metric }: MetricWords, form: RegExp): boolean =>
  form.test(`${metric.replaceAll("_", " ")} ${declared.meaning}`.toLowerCase())

/** What a word is worth that is a word of a name. */
export const ofName = 4

/** What one is worth that begins such a word. */
const ofBeginning = 2.5

/** How well one word fits a list of words: itself, one that means the same, or its beginning; 0 where it does not. */
const nameFit = (word: string, words: ReadonlyArray<string>): number => {
  if (words.includes(word)) return ofName
  if (sameAs(word).some((one) => words.includes(one))) return 3
  // What is known to mean something else begins no name: who rents asks for nothing that is rented.
  return sameAs(word).length === 0 && word.length > 2 && words.some((one) => one.startsWith(word))
    ? ofBeginning
    : 0
}

const textFit = (word: string, text: ReadonlySet<string>): number =>
  text.has(word)
    ? 1.5
    : sameAs(word).some((one) => text.has(one))
      ? 1
      : word.length > 3 && begins(word, text)
        ? 0.8
        : 0

const begins = (word: string, text: ReadonlySet<string>): boolean => {
  for (const one of text) if (one.startsWith(word)) return true
  return false
}

const isSaidBy = (words: ReadonlyArray<string>, name: ReadonlyArray<string>): boolean =>
  words.length === name.length && words.every((word) => name.includes(word))

const ofRole = { headline: 0.5, capacity: 0.5, measure: 0.3, parameter: -0.5, breakdown: -1.5 } as const

/** How well a word fits the name of a metric, or its other names. */
const namesFit = (word: string, { all, others }: MetricWords): number =>
  Math.max(...[all, ...others].map((name) => nameFit(word, name)))

/**
 * How well a word fits a metric: its name, its other names, or what is said of it. Of devices, those that are said to be hotspots fit
 * hotspots best.
 */
export const wordFit = (word: string, entry: MetricWords): number => {
  const ofNames = namesFit(word, entry)
  const isSaid = ofNames > 0 && ofNames < ofName && entry.text.has(word)
  return Math.max(ofNames + (isSaid ? 0.5 : 0), textFit(word, entry.text))
}

/** Whether a word is a number that names no model ("above 5", "1 TB"). */
const isSmallNumber = (word: string): boolean => /^\d{1,2}$/.test(word)

/** Whether a word says what is measured: a period does not, and neither does a small number. */
export const saysWhat = (word: string): boolean =>
  !isOptional(word) && !isPeriod(word) && !isSmallNumber(word)

/** Letters by which a name may go on after a word that is still of it, as "validating" does after "valid". */
const leastOfBeginning = 4

const isIn = (word: string, words: Iterable<string> & { has(word: string): boolean }): boolean => {
  if (words.has(word) || sameAs(word).some((one) => words.has(one))) return true
  if (word.length < leastOfBeginning) return false
  for (const one of words) if (one.startsWith(word)) return true
  return false
}

/** Whether a metric is merely near a word, as fees are near revenue. */
export const isOnlyNear = (word: string, { all }: MetricWords): boolean =>
  !all.includes(word) && nearTo(word).some((one) => all.includes(one))

/** Whether a word is of the own name of a metric, or of what it says that it counts. */
export const isNameOf = (word: string, { all, beside }: MetricWords): boolean =>
  [word, ...sameAs(word)].some((one) => all.includes(one) || beside.has(one))

/**
 * Whether the figures of a metric are what a word asks for: it is of its names, its unit or the title of its feed, and the metric is not
 * merely near it, as fees are near revenue.
 */
export const isToldBy = (word: string, entry: MetricWords): boolean => {
  const { all, beside, others } = entry
  if (isOnlyNear(word, entry)) return false
  return [...[all, ...others].map((name) => new Set(name)), beside].some((words) => isIn(word, words))
}

/** Whether a word is in what is said of a metric, and the metric is not merely near it. */
export const isInMeaning = (word: string, entry: MetricWords): boolean =>
  (entry.text.has(word) || sameAs(word).some((one) => entry.text.has(one))) && !isOnlyNear(word, entry)

/** Whether a metric is called by a word. */
export const isCalled = (word: string, entry: MetricWords): boolean => namesFit(word, entry) > 0

/**
 * How well the words that fit the name of a metric describe it, whatever the others are; 0 where none of them says what is measured: "users"
 * stands in what is said of fees, and fees are no answer to a question for users.
 */
export const scoreOfSome = (words: ReadonlyArray<string>, entry: MetricWords): number =>
  words.some((word) => saysWhat(word) && isCalled(word, entry)) && !isTurned(words, entry)
    ? Math.max(
        0.1,
        words.reduce((score, word) => score + wordFit(word, entry), 0) - besides(words, entry) * 0.3
      )
    : 0

/** Words of the name of a metric that a question does not have. */
const besides = (words: ReadonlyArray<string>, { name }: MetricWords): number =>
  name.filter((word) => !isOptional(word) && nameFit(word, words) === 0).length

/**
 * Whether the name of a metric has a word that makes it another thing than what words ask for: a change of the price is no price. Not
 * where people call the metric by the words that are asked.
 */
const isTurned = (words: ReadonlyArray<string>, { all, others }: MetricWords): boolean =>
  all.some((word) => isTurning(word) && !words.some((one) => nameFit(one, [word]) > 0)) &&
  !others.some((name) =>
    name.every((word) => words.some((one) => one === word || sameAs(one).includes(word)))
  )

/** Of a name, what a question has to say to mean it: "earthquake", and not of "biggest earthquake". */
const withoutOptional = (name: ReadonlyArray<string>): ReadonlyArray<string> =>
  name.filter((word) => !isOptional(word) || isSuperlative(word))

/**
 * How well words describe a metric: above 0 where each that may not be missing is in its name, its other names, its meaning,
 * its unit or its feed's title, and one that says what is measured in its name, unless several do; 0 where one is not. A name that is the words and no more
 * comes before all others.
 */
export const scoreOf = (words: ReadonlyArray<string>, entry: MetricWords): number => {
  const needed = words.filter((word) => !isOptional(word))
  const subjects = needed.filter(saysWhat)
  if (needed.length > 0 && subjects.length < 2 && !subjects.some((word) => isCalled(word, entry))) return 0
  if (isTurned(words, entry)) return 0
  let score = 0
  for (const word of words) {
    const best = wordFit(word, entry)
    if (best === 0 && needed.includes(word) && !isSmallNumber(word)) return 0
    score += needed.length > 0 && isOptional(word) ? best / 4 : best
  }
  if (score === 0) return 0
  const unordered = words.filter((word) => !isSuperlative(word))
  const exact = isSaidBy(words, entry.name)
    ? 6
    : entry.others.some((name) => isSaidBy(words, name))
      ? 5
      : [entry.name, ...entry.others].some((name) => isSaidBy(unordered, name))
        ? 4
        : [entry.name, ...entry.others].some((name) => isSaidBy(needed, withoutOptional(name)))
          ? 3
          : 0
  // A name that is said needs no word beside it.
  const beside = exact >= 4 ? 0 : besides(words, entry)
  return Math.max(0.1, score + exact - beside * 0.3 + ofRole[entry.declared.role ?? "measure"])
}
