/** Words as a search compares them: of a query, of names, and of meanings. */
import MiniSearch from "minisearch"
import { folded } from "../../catalog/lookup.ts"
import searchWords from "../../catalog/searchWords.json" with { type: "json" }

/** The plural of a word is the word. */
const singular = (word: string): string =>
  word.length > 3 && word.endsWith("s") && !/(?:ss|us|is)$/.test(word)
    ? word.replace(/(?:(?<=[^aeiou])ies|(?<=(?:ch|sh|x|ss))es|s)$/, (end) => (end === "ies" ? "y" : ""))
    : word

const filler: ReadonlySet<string> = new Set(searchWords.filler.map(singular))

/** Periods as the names of metrics write them: `7 days`, `a week` and `weekly` are `7d`. */
const periods: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(\d+)[\s-]*(?:days?|d)\b/g, "$1d"],
  [/\b(\d+)[\s-]*(?:hours?|hrs?|h)\b/g, "$1h"],
  [/\b(?:1|one|a|last|past|this)[\s-]*year\b|\b1[\s-]*y\b/g, "1y"],
  [/\bweekly\b|\b(?:1|one|a|last|past|this)[\s-]*week\b/g, "7d"],
  [/\bmonthly\b|\b(?:1|one|a|last|past|this)[\s-]*month\b/g, "30d"],
  [/\bdaily\b|\b(?:1|one|a|last|past|per)[\s-]*day\b/g, "24h"],
  [/\b1d\b/g, "24h"]
]

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

const optional: ReadonlySet<string> = new Set([...searchWords.optional, ...superlatives])

/** Whether a word of a query may be missing in what it finds, as "number" in "number of nodes". */
export const isOptional = (word: string): boolean => optional.has(word)

const same = new Map(
  Object.entries(searchWords.same).map(([word, others]) => [singular(word), others.map(singular)])
)

const none: ReadonlyArray<string> = []

/** Words that mean the same in this field. */
export const sameAs = (word: string): ReadonlyArray<string> => same.get(word) ?? none

/** What else people call the metrics, by metric. */
export const otherNames: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  Object.entries(searchWords.metrics)
)

/** Words that a slip of the fingers may have meant. */
export class Vocabulary {
  readonly #words: ReadonlySet<string>
  readonly #index = new MiniSearch<{ readonly id: string }>({ fields: ["id"], tokenize: (text) => [text] })

  constructor(words: Iterable<string>) {
    this.#words = new Set([...words, ...optional, ...same.keys()])
    this.#index.addAll([...this.#words].map((id) => ({ id })))
  }

  /** The word itself where it is known, begins a known one or has a digit, as models do; else the nearest; the same word where none is near. */
  nearest(word: string): string {
    if (this.#words.has(word) || word.length < 4 || /\d/.test(word)) return word
    if (this.#index.search(word, { prefix: true }).length > 0) return word
    return String(this.#index.search(word, { fuzzy: 0.25 })[0]?.id ?? word)
  }
}
