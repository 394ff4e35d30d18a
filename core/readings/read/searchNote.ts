/** The first line of an answer: what of the question the figures below it do not tell. */
import type { SearchAnswer } from "../../wire/data/networks.ts"
import type { Aspect } from "./searchAspects.ts"
import type { Beside } from "./searchBeside.ts"
import { wordsOf } from "./searchWords.ts"

const quoted = (words: ReadonlyArray<string>, joint: "and" | "or" = "or"): string => {
  const all = words.map((word) => `“${word}”`)
  const last = all.at(-1) ?? ""
  return all.length < 2 ? last : `${all.slice(0, -1).join(", ")} ${joint} ${last}`
}

/** What is said of each aspect that a figure does not tell. */
const sentenceOf = ({ kind, text }: Aspect, first: SearchAnswer | undefined): string => {
  switch (kind) {
    case "forecast":
      return "Nothing here is a forecast: figures are of what was measured."
    case "advice":
      return "No advice is given here, and nothing says what is good or best: figures are of what was measured."
    case "reason":
      return "No reasons are measured here."
    case "share":
      return `Not as a share (“${text}”): figures are of amounts.`
    case "average":
      return `Not as an average (“${text}”).`
    case "need":
      return "What is needed to take part is not measured here."
    case "limit":
      return `Not filtered by “${text}”: some of the figures may not meet it.`
    case "except":
      return `Not filtered by “${text}”: nothing is left out.`
    case "one":
      return "Not for one operator or device."
    case "each":
      return `Not per ${text}.`
    case "period": {
      const days =
        first === undefined
          ? ""
          : `; earlier days are at /network/${encodeURIComponent(first.symbol)}/${first.metric}`
      return `Not for “${text}”: each figure is of the time that its row says${days}.`
    }
  }
}

/** What the first of some figures does not tell of a question. */
export interface Untold {
  readonly things: ReadonlyArray<string>
  /** Of these, those that another figure tells. */
  readonly beside: ReadonlyArray<Beside>
  readonly places: ReadonlyArray<string>
  readonly aspects: ReadonlyArray<Aspect>
  /** The networks that are named. */
  readonly of: ReadonlyArray<string>
  /** Whether each of the things is measured of something, and nothing is all of them. */
  readonly isTogether: boolean
}

const sentenceOfThings = (things: ReadonlyArray<string>, { isTogether, of }: Untold): string =>
  of.length > 0
    ? `Nothing measured of ${of.join(" or ")} is called ${quoted(things)}.`
    : isTogether
      ? `Nothing measured here is all that is asked: ${quoted(things, "and")}.`
      : `Nothing measured here is called ${quoted(things)}.`

const figureName = ({ metric, name }: SearchAnswer): string =>
  `${metric.toLowerCase().replaceAll("_", " ")} of ${name}`

const sentenceOfBeside = ({ answer, words }: Beside): string =>
  `For ${quoted(words, "and")} see another figure below: ${figureName(answer)}.`

/** The sentences for what the first of some figures does not tell; undefined where it tells all. */
export const noteOf = (untold: Untold, answers: ReadonlyArray<SearchAnswer>): string | undefined => {
  const [first] = answers
  const { aspects, places } = untold
  const isSaid = (word: string) =>
    aspects.some(({ kind, text }) => kind === "each" && wordsOf(text).includes(word))
  const besides = untold.beside.flatMap(({ words }) => words)
  const things = untold.things.filter((word) => !isSaid(word) && !besides.includes(word))
  const sentences = [
    ...untold.beside.map(sentenceOfBeside),
    ...(things.length === 0 ? [] : [sentenceOfThings(things, untold)]),
    ...(places.length === 0 ? [] : [`Not measured for ${quoted(places)}.`]),
    ...aspects.map((aspect) => sentenceOf(aspect, first))
  ]
  if (sentences.length === 0) return undefined
  const isOfAnother =
    things.length + places.length > 0 || aspects.some(({ kind }) => ["each", "one", "need"].includes(kind))
  return [
    ...sentences,
    ...(first === undefined || !isOfAnother
      ? []
      : [`What follows comes near and is another figure: ${figureName(first)}.`])
  ].join(" ")
}
