/** Words as a search compares them: of a query, of names, and of meanings. */
import MiniSearch from "minisearch"
import { folded } from "../../catalog/lookup.ts"
import searchWords from "../../catalog/searchWords.json" with { type: "json" }
import { Category } from "../../plugin/kinds.ts"

const places: ReadonlySet<string> = new Set(searchWords.places)

/** The plural of a word is the word; the name of a place has none. */
const singular = (word: string): string =>
  word.length > 3 && !places.has(word) && word.endsWith("s") && !/(?:ss|us|is)$/.test(word)
    ? word.replace(/(?:(?<=[^aeiou])ies|(?<=(?:ch|sh|x|ss))es|s)$/, (end) => (end === "ies" ? "y" : ""))
    : word

const filler: ReadonlySet<string> = new Set(searchWords.filler.map(singular))

/** Whether a word is of grammar and says nothing that is looked for. */
export const isFiller = (word: string): boolean => filler.has(word)

/** Periods as the names of metrics write them: `7 days`, `a week` and `weekly` are `7d`. */
const periods: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(?:last|past)[\s-]+(?=\d)/g, ""],
  [/\b(\d+)[\s-]*(?:days?|d)\b/g, "$1d"],
  [/\b(\d{1,3})[\s-]*(?:hours?|hrs?|h)\b/g, "$1h"],
  [/\b(?:1|one|a|last|past|this)[\s-]*year\b|\b1[\s-]*y\b/g, "1y"],
  [/\bweekly\b|\b(?:1|one|a|last|past|this)[\s-]*week\b/g, "7d"],
  [/\bmonthly\b|\b(?:1|one|a|last|past|this)[\s-]*month\b/g, "30d"],
  [/\bdaily\b|\b(?:1|one|a|last|past|per)[\s-]*day\b/g, "24h"],
  [/\b1d\b|\byesterday\b/g, "24h"]
]

/** Whether a word is a period: `7d`. */
export const isPeriod = (word: string): boolean => /^\d+[dhy]$/.test(word)

/** All words of a text in their order, in the singular. Underscores are spaces. */
export const wordsOf = (text: string): ReadonlyArray<string> => {
  const spaced = folded(text).replaceAll("_", " ")
  const dated = periods.reduce((text, [form, period]) => text.replace(form, period), spaced)
  return (dated.match(/[\p{L}\p{N}]+/gu) ?? []).map(singular)
}

/** The words of a text that tell it from others; all of them where none does. */
export const tellingWords = (text: string): ReadonlyArray<string> => {
  const words = wordsOf(text)
  const others = words.filter((word) => !filler.has(word))
  return others.length === 0 ? words : others
}

const superlatives: ReadonlySet<string> = new Set(searchWords.superlatives)

/** Whether a word asks for the first of an order. */
export const isSuperlative = (word: string): boolean => superlatives.has(word)

const lowest: ReadonlySet<string> = new Set(searchWords.lowest)

/** In which order of its values a question asks for a metric: the highest first, the lowest first, or neither. */
export const directionOf = (words: ReadonlyArray<string>): "highest" | "lowest" | undefined =>
  words.some((word) => lowest.has(word)) ? "lowest" : words.some(isSuperlative) ? "highest" : undefined

const optional: ReadonlySet<string> = new Set([...searchWords.optional, ...superlatives, ...lowest])

const priced: ReadonlySet<string> = new Set(["price", ...searchWords.priced])

/** What is cheap has a price, whether the word is said or not. */
export const withPrice = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  ["cheap", "cheapest", "cheaper", "expensive", "dearest", "priciest"].some((word) => words.includes(word)) &&
  !words.some((word) => priced.has(word))
    ? [...words, "price"]
    : words

/** Whether a word of a query may be missing in what it finds, as "number" in "number of nodes". */
export const isOptional = (word: string): boolean => optional.has(word)

const ordinary: ReadonlySet<string> = new Set(searchWords.ordinary.map(singular))

/** Whether a word is plain English although a network is called so: in a longer question it means no network, unless written as a symbol. */
export const isOrdinary = (word: string): boolean => ordinary.has(word)

const same = new Map(
  Object.entries(searchWords.same).map(([word, others]) => [singular(word), others.map(singular)])
)

const none: ReadonlyArray<string> = []

/** Words that mean the same in this field. */
export const sameAs = (word: string): ReadonlyArray<string> => same.get(word) ?? none

/** Whether a word is the name of a place that is no country. */
export const isPlace = (word: string): boolean => places.has(word)

const turning: ReadonlySet<string> = new Set(searchWords.turning)

/** Whether a word in the name of a metric makes of what is named another thing. */
export const isTurning = (word: string): boolean => turning.has(word)

const noPlaces: ReadonlySet<string> = new Set(searchWords.noPlaces)

/** Whether a word of the name of a country says no place by itself. */
export const isNoPlace = (word: string): boolean => noPlaces.has(word)

const attributes: ReadonlySet<string> = new Set(searchWords.attributes)

/** Whether a word says what is asked of a thing, as its price, and not which thing. */
export const isAttribute = (word: string): boolean => attributes.has(word)

const near: ReadonlyMap<string, ReadonlyArray<string>> = new Map(Object.entries(searchWords.near))

/** Words of the names of metrics that come near a word and are another thing: fees are no revenue. */
export const nearTo = (word: string): ReadonlyArray<string> => near.get(word) ?? none

const metricNames: ReadonlyMap<string, ReadonlyArray<string>> = new Map(Object.entries(searchWords.metrics))

const isFamilyOf = (name: string, metric: string): boolean =>
  name.endsWith("*") && metric.startsWith(name.slice(0, -1))

/** The family that the beginning of a metric names (`gpu_price_*`), if it is of one that people have a name for. */
export const familyNamed = (metric: string): string | undefined =>
  metricNames.keys().find((name) => isFamilyOf(name, metric))

/** What comes first of a group of metrics that count the same kind of thing, and are put in one order; undefined of all others. */
export const alikeTo = (metric: string): string | undefined =>
  searchWords.alike.find((group) => group.includes(metric))?.[0]

/** What else people call a metric, or its family. */
export const otherNamesOf = (metric: string): ReadonlyArray<string> =>
  [...metricNames].flatMap(([name, others]) => (name === metric || isFamilyOf(name, metric) ? others : []))

/** All of these names, in words. */
export const allOtherNames: ReadonlyArray<string> = [...metricNames.values()].flat()

/** What people call symbols of the physical world, the longest names first, and of these a part before its whole. */
export const otherSymbols: ReadonlyArray<{ readonly symbol: string; readonly words: ReadonlyArray<string> }> =
  Object.entries(searchWords.symbols)
    .flatMap(([symbol, names]) => names.map((name) => ({ symbol, words: wordsOf(name) })))
    .toSorted(
      (a, b) => b.words.length - a.words.length || b.symbol.split("_").length - a.symbol.split("_").length
    )

/** The words of these names. */
export const symbolWords: ReadonlyArray<string> = otherSymbols.flatMap(({ words }) => words)

export const isCategory = (word: string): boolean => Category.literals.some((one) => one === word)

/** Words that a slip of the fingers may have meant. */
export class Vocabulary {
  readonly #words: ReadonlySet<string>
  /** Models by their numbers alone, as people call them. */
  readonly #models = new Map<string, string>()
  readonly #index = new MiniSearch<{ readonly id: string }>({ fields: ["id"], tokenize: (text) => [text] })

  constructor(words: Iterable<string>) {
    this.#words = new Set([...words, ...optional, ...ordinary, ...same.keys()])
    this.#index.addAll([...this.#words].map((id) => ({ id })))
    for (const word of this.#words) {
      const [, number] = /^[gr]?tx(\d{3,})$/.exec(word) ?? []
      if (number !== undefined && !this.#models.has(number)) this.#models.set(number, word)
    }
  }

  /** Words with neighbours joined where only the joined word is one of these, as models are written: "rtx 4090" is "rtx4090", and so is "4090". */
  joined(words: ReadonlyArray<string>): ReadonlyArray<string> {
    const isModel = (word = "", number = "") =>
      /^\p{L}+$/u.test(word) && /\d/.test(number) && this.#words.has(word + number)
    return words.flatMap((word, n) => {
      const next = words[n + 1]
      if (isModel(words[n - 1], word)) return []
      if (isModel(word, next)) return [`${word}${next}`]
      return [this.#words.has(word) ? word : (this.#models.get(word) ?? word)]
    })
  }

  /** Whether a word is one of these. */
  has(word: string): boolean {
    return this.#words.has(word)
  }

  /** Whether anything that is measured, or a page, is called by a word or by one that it begins. */
  knows(word: string): boolean {
    return this.#words.has(word) || (word.length > 3 && this.#index.search(word, { prefix: true }).length > 0)
  }

  /**
   * The word itself where it is one of these, begins one or has a digit, as models do; else one of which it may be a slip: a letter
   * wrong, missing or too many, or letters in another order. In a word of four one is missing, or their order is wrong:
   * "cite" is no "site", and "rain" no "raiin". The same word where none is near.
   */
  nearest(word: string): string {
    if (this.knows(word) || word.length < 4 || /\d/.test(word)) return word
    const stem = stemsOf(word).find((one) => this.#words.has(one))
    if (stem !== undefined) return stem
    // Fingers seldom slip on the first letter: "deviation" is no "aviation".
    const within = (slips: number) =>
      this.#index
        .search(word, { fuzzy: slips })
        .map(({ id }) => String(id))
        .filter((one) => one[0] === word[0])
    const far = within(2)
    const turned = far.find((one) => letters(word) === letters(one))
    if (turned !== undefined) return turned
    if (word.length === 4) {
      const isLonger = (one: string) => one.length > word.length && !/(.)\1/.test(one)
      return within(1).find(isLonger) ?? word
    }
    return within(1)[0] ?? word
  }
}

/** What a form of a verb may be of: "burning" of "burn", "stored" of "store". */
const stemsOf = (word: string): ReadonlyArray<string> => {
  const [, stem] = /^(.{3,})(?:ing|ed)$/.exec(word) ?? []
  return stem === undefined ? [] : [stem, `${stem}e`, stem.replace(/(.)\1$/, "$1")]
}

const letters = (word: string): string => [...word].toSorted().join("")
