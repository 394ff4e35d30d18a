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

/** A question in words, as it is understood. */
export const understood = Effect.fnUntraced(function* (text: string) {
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
  return { query: english, index, written, words, aspects } satisfies Question
})
