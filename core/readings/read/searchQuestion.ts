/** A question as it is understood: its words in English, without slips, and what they ask beside what a figure is. */
import { Effect } from "effect"
import { Feeds } from "../Feeds.ts"
import { type Aspect, aspectsOf } from "./searchAspects.ts"
import { type Index, indexOf } from "./searchIndex.ts"
import { inEnglish } from "./searchLanguages.ts"
import { pageAsked } from "./searchPages.ts"
import { isFiller, tellingWords, withPrice, wordsOf } from "./searchWords.ts"

/** Longer texts are no question. */
const longest = 100

export interface Question {
  /** As it was written, in English. */
  readonly query: string
  readonly index: Index
  /** The words that tell what is asked, as they were written. */
  readonly written: ReadonlyArray<string>
  /** The same, with those of metrics and names in place of slips. */
  readonly words: ReadonlyArray<string>
  readonly aspects: ReadonlyArray<Aspect>
}

/** "Rank networks by fees" and "storage networks by fees" ask for an order, the first not for a rank. */
const ofOrder = /\b(?:chains|coins|networks|projects|subnets|tokens)\s+by\b/i

/** All that is measured of the world is, if no place is named. */
const anywhere =
  /\b(?:across|around|in|of|on|over)\s+(?:the\s+)?(?:entire\s+|whole\s+)?(?:earth|globe|planet|world)\b/i

/** "Actually" and "roughly" say nothing that is looked for, unless something is called so. */
const isAdverb = (word: string): boolean => word.length > 4 && word.endsWith("ly")

/** A question in words, as it is understood. */
export const understood = Effect.fnUntraced(function* (text: string) {
  const query = text.trim().slice(0, longest)
  const index = indexOf((yield* Feeds).manifests)
  const english = inEnglish(query, (word) => isFiller(word) || index.vocabulary.has(word))
  // One word is a name, or what is measured.
  const { aspects, rest } = wordsOf(english).length < 2 ? { aspects: [], rest: english } : aspectsOf(english)
  const ordered = rest.replace(/^\s*rank\b/i, "top").replace(ofOrder, "top $&")
  const content = tellingWords(ordered.replace(anywhere, " ")).filter(
    (word) => !isAdverb(word) || index.vocabulary.knows(word)
  )
  const isOfNothing =
    content.every(isFiller) && wordsOf(english).length > 1 && pageAsked(content, english) === undefined
  const written = isOfNothing ? [] : content
  // No word of another language is taken for an English one, and none that asks beside what a figure is for a metric.
  const isTranslated = english !== query
  const ofAspects = new Set(aspects.flatMap(({ text }) => wordsOf(text)))
  const words = withPrice(
    index.vocabulary
      .joined(written)
      .map((word) => (isTranslated || ofAspects.has(word) ? word : index.vocabulary.nearest(word)))
  )
  return { query: english, index, written, words, aspects } satisfies Question
})
