/** Pages of the service that answer a question: what changed, how to check a number, where the files are. */
import { measurePath, measures } from "../../catalog/Measures.ts"
import searchPages from "../../catalog/searchPages.json" with { type: "json" }
import type { SearchAnswer } from "../../wire/data/networks.ts"
import type { Subject } from "./searchSubjects.ts"
import { isOptional, tellingWords, wordsOf } from "./searchWords.ts"

/** A page for people, by its path. */
export interface SearchPage {
  readonly path: string
  readonly title: string
}

interface Question {
  readonly ofFigures: boolean
  /** Words of grammar without which its one word that tells is about anything: "who runs" is no "run". */
  readonly beside: ReadonlyArray<string>
  readonly page: SearchPage
  readonly words: ReadonlyArray<string>
}

interface AskedPage extends SearchPage {
  /** Whether it is asked for of any figure, as its file or its proof is, and not of the service alone. */
  readonly ofFigures?: boolean
  readonly asks: ReadonlyArray<string>
}

const questionsOf = (pages: ReadonlyArray<AskedPage>): ReadonlyArray<Question> =>
  pages
    .flatMap(({ asks, ofFigures = false, path, title }) =>
      asks.map((ask) => {
        const words = tellingWords(ask)
        return { page: { path, title }, ofFigures, words, beside: words.length > 1 ? [] : wordsOf(ask) }
      })
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

export const isOfMeasure = ({ path }: SearchPage): boolean =>
  ofMeasures.some(({ page }) => page.path === path)

/** Measures that are named beside the figures of one question. */
const mostMeasures = 2

/** All words by which pages are asked for. */
export const pageWords: ReadonlyArray<string> = [...questions, ...ofMeasures].flatMap(({ words }) => words)

const isBeside = (beside: ReadonlyArray<string>, query: string): boolean => {
  const all = beside.length === 0 ? [] : wordsOf(query)
  return beside.length < 2 || beside.every((word) => all.includes(word))
}

/** The page that words ask for: one of its questions is among them, and nothing else that tells is beside it. */
export const pageAsked = (words: ReadonlyArray<string>, query: string): SearchPage | undefined =>
  questions.find(
    ({ beside, words: of }) =>
      isBeside(beside, query) &&
      of.every((word) => words.includes(word)) &&
      words.every((word) => of.includes(word) || isOptional(word))
  )?.page

/** A question as pages are found for it. */
interface PagesAsked {
  readonly words: ReadonlyArray<string>
  readonly query: string
  /** Whether it names a network. */
  readonly isNamed: boolean
}

/** The questions for pages of the service that are among some words; of those only that are asked of any figure, where a network is named. */
const questionsAmong = ({ isNamed, query, words }: PagesAsked): ReadonlyArray<Question> =>
  questions.filter(
    (question) =>
      (question.ofFigures || !isNamed) &&
      isBeside(question.beside, query) &&
      question.words.every((word) => words.includes(word))
  )

/** Pages one of whose questions is among the words, the closest first, and after them the measures of which that is true. */
export const pagesNear = (requested: PagesAsked): ReadonlyArray<SearchPage> => {
  const pagesOf = (of: ReadonlyArray<Question>) => [
    ...new Map(of.map(({ page }) => [page.path, page])).values()
  ]
  const measured = ofMeasures.filter((question) =>
    question.words.every((word) => requested.words.includes(word))
  )
  return [...pagesOf(questionsAmong(requested)), ...pagesOf(measured).slice(0, mostMeasures)]
}

/** Those of the words that ask for pages of the service which come near. */
export const wordsOfPages = (requested: PagesAsked): ReadonlyArray<string> =>
  questionsAmong(requested).flatMap(({ words }) => words)

/** The page that compares two networks that are named: by what answers of both, else by their headlines. */
export const comparing = (
  subjects: ReadonlyArray<Subject>,
  answers: ReadonlyArray<SearchAnswer>
): ReadonlyArray<SearchPage> => {
  const [a, b, ...others] = subjects
  if (a?.category === undefined || b?.category === undefined || others.length > 0) return []
  const metric = answers[0]?.metric
  const isOfBoth = [a, b].every(({ symbol }) =>
    answers.some((answer) => answer.symbol === symbol && answer.metric === metric)
  )
  const line = ({ symbol }: Subject) => encodeURIComponent(symbol) + (isOfBoth ? `/${metric}` : "")
  return [{ path: `/compare?a=${line(a)}&b=${line(b)}`, title: `${a.name} and ${b.name} compared` }]
}

/** The page of a network that is named and of which nothing is measured that is asked. */
export const pageOfNetwork = ({ name, symbol }: Subject): SearchPage => ({
  path: `/network/${encodeURIComponent(symbol)}`,
  title: `What is measured of ${name}`
})
