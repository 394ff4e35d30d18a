/** Pages of the service that answer a question: what changed, how to check a number, where the files are. */
import searchPages from "../../catalog/searchPages.json" with { type: "json" }
import { isOptional, tellingWords } from "./searchWords.ts"

/** A page for people, by its path. */
export interface SearchPage {
  readonly path: string
  readonly title: string
}

interface Question {
  readonly page: SearchPage
  readonly words: ReadonlyArray<string>
}

const questions: ReadonlyArray<Question> = searchPages
  .flatMap(({ asks, path, title }) =>
    asks.map((ask) => ({ page: { path, title }, words: tellingWords(ask) }))
  )
  .toSorted((a, b) => b.words.length - a.words.length)

/** All words by which pages are asked for. */
export const pageWords: ReadonlyArray<string> = questions.flatMap(({ words }) => words)

/** The page that words ask for: one of its questions is among them, and nothing else that tells is beside it. */
export const pageAsked = (words: ReadonlyArray<string>): SearchPage | undefined =>
  questions.find(
    ({ words: of }) =>
      of.every((word) => words.includes(word)) && words.every((word) => of.includes(word) || isOptional(word))
  )?.page

/** Pages one of whose questions is among the words, the closest first. */
export const pagesNear = (words: ReadonlyArray<string>): ReadonlyArray<SearchPage> => {
  const near = questions.filter(({ words: of }) => of.every((word) => words.includes(word)))
  return [...new Map(near.map(({ page }) => [page.path, page])).values()]
}
