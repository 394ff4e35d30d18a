/** What the answers to a question account for, and which of them stay. */
import { has } from "../../plugin/units.ts"
import type { SearchAnswer } from "../../wire/data/networks.ts"
import type { Listing } from "./listing.ts"
import { accountOf, type Figure, figureOf, type Inquiry, isOfPlace } from "./searchAccount.ts"
import { type Aspect, tellsAspect } from "./searchAspects.ts"
import { type Direction, spanOfGrowth } from "./searchGrowth.ts"
import type { Index } from "./searchIndex.ts"
import { isNameOf } from "./searchMetrics.ts"
import { directionOf, isAttribute, sameAs, wordsOf } from "./searchWords.ts"

/** Words that follow each other in a query, as those of the name of a place do, made one. */
export const joined = (words: ReadonlyArray<string>, query: string): ReadonlyArray<string> => {
  const all = wordsOf(query)
  const runs = all
    .map((word) => (words.includes(word) ? word : "|"))
    .join(" ")
    .split("|")
    .map((run) => run.trim())
  return [...new Set([...runs.filter((run) => run !== ""), ...words.filter((word) => !all.includes(word))])]
}

/** Whether a word says which thing a figure is of: not its price, not where, and no part of a phrase by which people call it. */
const isThing = (word: string, { entry, subject }: Figure): boolean =>
  !isAttribute(word) &&
  !isOfPlace(word) &&
  (isNameOf(word, entry) || [word, ...sameAs(word)].some((one) => subject.names.flat().includes(one)))

/** Whether a figure is a number of things where a question asks how many there are, and none where it asks how much. */
const isAsCounted = (query: string, { entry }: Figure): boolean => {
  const [, word] = /\bhow (many|much)\b/i.exec(query) ?? []
  return word === undefined || has(entry.declared.unit, "single") === (word.toLowerCase() === "many")
}

/** Whether a question asks for several things. */
const isList = /\b(?:and|plus|versus|vs)\b|[,&]/i

/** So many more figures follow one that is asked for by its name. */
const mostBeside = 4

/**
 * What the first of some answers tells of a question, and those of them that tell as much of what is measured. No answers where more is
 * left out than told, or what is told is only what is asked of a thing that is left out: the price of gold is of no token.
 */
export const accounted = (
  index: Index,
  list: Listing,
  {
    aspects,
    direction,
    ...requested
  }: Inquiry & { readonly aspects: ReadonlyArray<Aspect>; readonly direction: Direction | undefined },
  all: ReadonlyArray<SearchAnswer>
) => {
  const figures = all.flatMap((answer) => {
    const figure = figureOf(index, list, answer)
    return figure === undefined ? [] : [{ answer, figure, account: accountOf(figure, requested) }]
  })
  const isOrdered =
    (direction !== undefined && requested.name.length === 0) || directionOf(requested.words) !== undefined
  // Without an order, what tells most of the question comes first: wind in Denmark before wind in Britain, and a number of what is counted.
  const n = ({ account, figure }: (typeof figures)[number]) =>
    2 * account.covered.length + Number(isAsCounted(requested.query, figure))
  const byTold = isOrdered ? figures : figures.toSorted((a, b) => n(b) - n(a))
  const [first] = byTold
  if (first === undefined) return undefined
  const { covered, described, near, ofMetric, untold } = first.account
  const things = untold.filter((word) => !isOfPlace(word))
  const isSaidWhole =
    first.figure.entry.name.length > 1 && first.figure.entry.name.every((word) => covered.includes(word))
  const isOfAnother =
    !isSaidWhole &&
    requested.name.length === 0 &&
    covered.length + untold.length > 0 &&
    (covered.length + near.length === 0 ||
      covered.filter((word) => isThing(word, first.figure)).length < things.length - near.length)
  const isBreakdown = ({ entry }: Figure) => entry.declared.role === "breakdown"
  const alike = byTold.filter(
    ({ account, figure }) =>
      ofMetric.every((word) => described.includes(word) || account.ofMetric.includes(word)) &&
      (isBreakdown(first.figure) || !isBreakdown(figure) || account.ofMetric.length > ofMetric.length)
  )
  const { subject } = first.figure
  const ofName =
    subject.category === undefined ? requested.name : [...requested.name, ...subject.names.flat()]
  const isNothingTold =
    near.length === 0 && things.length > 0 && covered.every((word) => ofName.includes(word))
  const same = alike.filter(({ answer }) => answer.metric === first.answer.metric)
  const isByName =
    ofMetric.length > 0 && first.figure.entry.name.every((word) => requested.words.includes(word))
  const beside = alike.filter((one) => !same.includes(one)).slice(0, mostBeside)
  return {
    answers: (isOfAnother
      ? []
      : isNothingTold
        ? []
        : isByName
          ? alike.filter((one) => same.includes(one) || beside.includes(one))
          : alike
    ).map(({ answer }) => answer),
    things,
    // What a question lists is asked for by itself: "staked amount and validators", although both are of the first.
    beside: [...things, ...(isList.test(requested.query) ? described : [])],
    places: joined(untold.filter(isOfPlace), requested.query),
    aspects: aspects.filter(
      (aspect) =>
        !tellsAspect(aspect, first.figure.entry) &&
        !(direction !== undefined && aspect.spans?.includes(spanOfGrowth) === true)
    )
  }
}
