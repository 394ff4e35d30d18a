/** The networks that a question names or describes. */
import { bySymbol as catalog } from "../../catalog/Catalog.ts"
import { searchNetworks } from "../../catalog/lookup.ts"
import type { Listing } from "./listing.ts"
import { byImportance, measured } from "./searchCandidates.ts"
import type { Index } from "./searchIndex.ts"
import type { Subject } from "./searchSubjects.ts"
import { isCategory } from "./searchWords.ts"
import { rankOfTier, telemetryTierOf } from "./telemetryTier.ts"

/** Whether of the names of a network a question has nothing but a number. */
const isOfNumber = ({ names }: Subject, words: ReadonlyArray<string>): boolean => {
  const own = words.filter((word) => names.flat().includes(word))
  return own.length > 0 && own.every((word) => /^\d+$/.test(word))
}

/** Networks whose symbol, name or category has a word of the query. */
export const networksOf = (
  index: Index,
  list: Listing,
  {
    isOfPage,
    isShort,
    query,
    words
  }: {
    readonly isOfPage: boolean
    readonly isShort: boolean
    readonly query: string
    readonly words: ReadonlyArray<string>
  },
  named: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const order = byImportance(measured(list))
  if (named.length > 0 && !isShort) return named.filter((symbol) => catalog.has(symbol))
  const ofSubnet = words.includes("subnet")
  const entries = [...new Set([query, words.join(" ")].flatMap(searchNetworks))].flatMap((symbol) => {
    const subject = index.subjects.bySymbol.get(symbol)
    // A number in a question for something else is no subnet.
    if (subject === undefined || (!ofSubnet && isOfNumber(subject, words))) return []
    const own = [...subject.names.flat(), subject.category]
    const called = words.filter((word) => own.includes(word))
    return isShort || called.some((word) => (!isOfPage && isCategory(word)) || index.subjects.tells(word))
      ? [{ subject, n: called.length }]
      : []
  })
  const tier = ({ symbol }: Subject) => rankOfTier[telemetryTierOf(symbol, list)]
  const others = entries
    .toSorted((a, b) => tier(a.subject) - tier(b.subject) || b.n - a.n || order(a.subject, b.subject))
    .map(({ subject }) => subject.symbol)
  return [...new Set([...named.filter((symbol) => catalog.has(symbol)), ...others])]
}
