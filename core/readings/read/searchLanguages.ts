/** Questions in German, French, Spanish and Portuguese: what their words are called in English, and words of grammar that say nothing. */
import searchLanguages from "../../catalog/searchLanguages.json" with { type: "json" }

interface Language {
  readonly grammar: ReadonlySet<string>
  readonly words: ReadonlyMap<string, string>
}

const { places: ofPlaces, ...others } = searchLanguages

const places: ReadonlyMap<string, string> = new Map(Object.entries(ofPlaces))

const languages: ReadonlyArray<Language> = Object.values(others).map(({ grammar, words }) => ({
  grammar: new Set(grammar),
  words: new Map([...Object.entries(words), ...places])
}))

/** A word without its accents, as people leave them out. */
const plain = (word: string): string =>
  word.normalize("NFD").replace(/\p{M}/gu, "").replaceAll("ß", "ss").toLowerCase()

/** Of so many words of grammar a question is in a language; some are words of others, or symbols. */
const leastOfGrammar = 2

/** How much of a question is of a language; 0 where it may as well be English. */
const partOf = (
  words: ReadonlyArray<string>,
  { grammar, words: own }: Language,
  isEnglish: (word: string) => boolean
): number => {
  const ofWords = words.filter((word) => own.has(word) && !isEnglish(word)).length
  const ofGrammar = words.filter((word) => grammar.has(word) && !isEnglish(word)).length
  return ofWords === 0 && ofGrammar < leastOfGrammar ? 0 : ofWords + ofGrammar
}

const form = /[\p{L}\p{M}\p{N}]+/gu

/**
 * A question in English words, if it is in another language that is understood; else as it is. `isEnglish` says whether a word is
 * one that English questions have: it tells no language.
 */
export const inEnglish = (text: string, isEnglish: (word: string) => boolean): string => {
  const words = (text.match(form) ?? []).map(plain)
  const [best] = languages
    .map((language) => ({ language, n: partOf(words, language, isEnglish) }))
    .toSorted((a, b) => b.n - a.n)
  if (best === undefined || best.n === 0) return text
  const { grammar, words: own } = best.language
  // What is written as a symbol stays one.
  return text.replace(form, (word) => {
    const folded = plain(word)
    if (word.length > 1 && word === word.toUpperCase()) return word
    return own.get(folded) ?? (grammar.has(folded) ? "" : word)
  })
}
