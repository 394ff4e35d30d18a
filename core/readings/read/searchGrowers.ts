/** Answers to questions for growth. */
import { Effect } from "effect"
import { mostAnswers, type SearchAnswer } from "../../wire/data/networks.ts"
import { counts } from "./byDefinition.ts"
import type { Listing } from "./listing.ts"
import { describing, headlines, isOfOrder, ofCategory, ofHeadline } from "./searchAnswering.ts"
import {
  type Among,
  answerOf,
  byImportance,
  byMetricName,
  type Candidate,
  candidatesOf,
  isBaseline,
  measured,
  onePerSeries,
  rank,
  rowsAmong,
  rowsOf
} from "./searchCandidates.ts"
import { type Direction, growthOf, inOrderOfGrowth, isOfGrowth } from "./searchGrowth.ts"
import type { Index } from "./searchIndex.ts"
import type { Question } from "./searchQuestion.ts"
import { isCategory, isOptional, isPeriod } from "./searchWords.ts"

/**
 * The series that a question for growth is about: of the metric that its other words describe best, or the headlines of the networks of
 * a category, or of all.
 */
const growers = (
  index: Index,
  list: Listing,
  words: ReadonlyArray<string>,
  among: Among
): ReadonlyArray<Candidate> => {
  const remaining = words.filter((word) => !isOfOrder(word) && !isPeriod(word))
  const [category] = remaining.filter(isCategory)
  const rest = remaining.filter((word) => word !== category)
  const order = byImportance(measured(list))
  const of = (symbols: ReadonlyArray<string>) => rowsAmong(rowsOf(list, symbols), among).filter(counts)
  const symbols = ofCategory(index, list, category).filter((symbol) => !isBaseline(symbol))
  if (rest.every(isOptional)) {
    const all = headlines(index, list, symbols.filter(among.hasSymbol), among)
    return onePerSeries(all.filter(({ score }) => score === ofHeadline))
  }
  const described = onePerSeries(candidatesOf(index, of(symbols), describing(rest))).toSorted(
    (a, b) => b.score - a.score || order(a.subject, b.subject) || rank(a) - rank(b) || byMetricName(a, b)
  )
  return described.filter(({ entry }) => entry.metric === described[0]?.entry.metric)
}

/** The answers to a question for growth that names no network; undefined of any other question, and where nothing is described. */
export const answeringGrowth = Effect.fnUntraced(function* (
  { index, query, words }: Question,
  list: Listing,
  among: Among,
  direction: Direction
) {
  const other = words.filter((word) => !isOfGrowth(word))
  const unknown = other.filter((word) => !index.vocabulary.knows(word))
  const remaining = other.filter((word) => !unknown.includes(word))
  if (index.subjects.named(remaining, query).subjects.length > 0) return undefined
  const candidates = growers(index, list, remaining, among)
  if (candidates.length === 0) return undefined
  const growth = yield* growthOf(candidates.map(({ row }) => row))
  return {
    answers: inOrderOfGrowth(candidates, direction, growth)
      .slice(0, mostAnswers)
      .map(({ entry, row, subject }) => ({
        ...answerOf(row, subject, entry),
        growth: growth.get(row) ?? null
      })),
    named: { subjects: [], name: [], rest: words },
    unmeasured: unknown
  }
})

/** The same answers, each with how it grew. */
export const withGrowth = Effect.fnUntraced(function* (list: Listing, answers: ReadonlyArray<SearchAnswer>) {
  const rowOf = ({ metric, source, symbol }: SearchAnswer) =>
    list.bySymbol.get(symbol)?.find(({ row }) => row.metric === metric && row.source === source)
  const growth = yield* growthOf(answers.flatMap((answer) => rowOf(answer) ?? []))
  return answers.map((answer) => {
    const row = rowOf(answer)
    return { ...answer, growth: (row && growth.get(row)) ?? null }
  })
})
