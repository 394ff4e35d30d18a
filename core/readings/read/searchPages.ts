/** Pages of the service that answer a question: what changed, how to check a number, where the files are. */
import { measurePath, measures } from "../../catalog/Measures.ts"
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

interface AskedPage extends SearchPage {
  readonly asks: ReadonlyArray<string>
}

const questionsOf = (pages: ReadonlyArray<AskedPage>): ReadonlyArray<Question> =>
  pages
    .flatMap(({ asks, path, title }) =>
      asks.map((ask) => ({ page: { path, title }, words: tellingWords(ask) }))
    )
    .toSorted((a, b) => b.words.length - a.words.length)

const questions = questionsOf(searchPages)

/** A measure answers beside the figures, which come first. */
const ofMeasures = questionsOf(
  measures.map((measure) => ({
    path: measurePath(measure),
    title: `${measure.title}, by network`,
    asks: measure.asks
  }))
)

/** Whether a page is about the service, and not a measure of the networks. */
export const isOfService = ({ path }: SearchPage): boolean => questions.some(({ page }) => page.path === path)

/** Measures that are named beside the figures of one question. */
const mostMeasures = 2

/** All words by which pages are asked for. */
export const pageWords: ReadonlyArray<string> = [...questions, ...ofMeasures].flatMap(({ words }) => words)

/** The page that words ask for: one of its questions is among them, and nothing else that tells is beside it. */
export const pageAsked = (words: ReadonlyArray<string>): SearchPage | undefined =>
  questions.find(
    ({ words: of }) =>
      of.every((word) => words.includes(word)) && words.every((word) => of.includes(word) || isOptional(word))
  )?.page

/** Pages one of whose questions is among the words, the closest first, and after them the measures of which that is true. */
export const pagesNear = (words: ReadonlyArray<string>): ReadonlyArray<SearchPage> => {
  const near = (of: ReadonlyArray<Question>) => [
    ...new Map(
      of
        .filter((question) => question.words.every((word) => words.includes(word)))
        .map(({ page }) => [page.path, page])
    ).values()
  ]
  return [...near(questions), ...near(ofMeasures).slice(0, mostMeasures)]
}
