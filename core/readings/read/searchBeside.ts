/** What else a question asks than its first figure tells, where that is measured: fees, of "fees and market cap of filecoin". */
import type { SearchAnswer } from "../../wire/data/networks.ts"
import type { Listing } from "./listing.ts"
import { figureOf, type Inquiry, isOfPlace, isUnit } from "./searchAccount.ts"
import { accounted } from "./searchAccounted.ts"
import { answeredAnyhow } from "./searchAnswering.ts"
import type { Among } from "./searchCandidates.ts"
import type { Direction } from "./searchGrowth.ts"
import { isNameOf } from "./searchMetrics.ts"
import type { Question } from "./searchQuestion.ts"
import { isCategory } from "./searchWords.ts"

/** Words that the first figure does not tell, and the first of the figures that do. */
export interface Beside {
  readonly words: ReadonlyArray<string>
  readonly answer: SearchAnswer
}

/** So many words are looked for by themselves, so that a long question takes no longer than some short ones. */
const mostWords = 3

/**
 * Figures for words that the first figure of a question leaves out, all of them together or else each by itself: of the same networks or
 * the same category, and none that leaves out anything itself.
 */
export const besideOf = (
  question: Question,
  list: Listing,
  among: Among,
  inquiry: Inquiry & { readonly direction: Direction | undefined },
  untold: ReadonlyArray<string>
): ReadonlyArray<Beside> => {
  const others = untold.filter((word) => question.index.vocabulary.knows(word) && !isUnit(word))
  const look = (some: ReadonlyArray<string>): ReadonlyArray<Beside> => {
    const isKept = (word: string) =>
      some.includes(word) || inquiry.name.includes(word) || isCategory(word) || isOfPlace(word)
    const words = inquiry.words.filter(isKept)
    const { answers, named } = answeredAnyhow({ ...question, words }, list, among, false)
    const account = accounted(
      question.index,
      list,
      { ...inquiry, words, name: named.name, aspects: [] },
      answers
    )
    const [answer] = account?.answers ?? []
    const figure = answer && figureOf(question.index, list, answer)
    if (answer === undefined || figure === undefined || account === undefined) return []
    const isWhole = account.things.length + account.places.length === 0
    return isWhole && some.every((word) => isNameOf(word, figure.entry)) ? [{ words: some, answer }] : []
  }
  if (others.length === 0) return []
  const together = look(others)
  return together.length > 0 || others.length === 1
    ? together
    : others.slice(0, mostWords).flatMap((word) => look([word]))
}
