/** Yesterday in five lines as an Atom feed, an entry per closed day: of all, a category, or what somebody watches. */
import { Effect } from "effect"
import { bySymbol } from "../../../core/catalog/Catalog.ts"
import { newestClosedDay } from "../../../core/log/closedDays.ts"
import { type DayScope, factsOfDay } from "../../../core/log/record/changesOfDay.ts"
import { Category } from "../../../core/plugin/kinds.ts"
import { day as dayMs } from "../../../core/plugin/time.ts"
import { knownSymbol } from "../../../core/readings/read/parameters.ts"
import { BadParameter } from "../../../core/wire/problems/request.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { type AtomEntry, atomResponse } from "../html/atom.ts"
import { dayLines } from "../html/dayLines.ts"
import { categoryTitle, formatDay } from "../html/format.ts"
import { html } from "../html/markup.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import { queryText } from "../html/queryText.ts"
import { watchedOf, watchedText } from "../html/watch.ts"

export interface DayFeedQuery {
  /** Symbols, and metrics as `HNT/devices_total`, with commas between them. */
  readonly symbol?: string | undefined
  readonly category?: string | undefined
}

/** Days of the feed. */
const inFeed = 7

/** Entries that one reader may name. */
const mostNamed = 50

export const dayFeedPath = "/changes/yesterday.xml"

/** What is looked at, in one form, and what it is called; no `scope` of all. */
export interface NamedScope {
  readonly scope?: DayScope
  readonly query: DayFeedQuery
  readonly title: string
}

const named = Effect.fnUntraced(function* (text: string) {
  const parts = [...new Set(text.split(",").map((part) => part.trim()))].filter((part) => part !== "")
  const watched = parts.flatMap((part) => watchedOf(part) ?? [])
  if (parts.length === 0 || parts.length > mostNamed || watched.length < parts.length) {
    const valid = `1 to ${mostNamed} symbols, or metrics as FIL/price_usd, with commas between them`
    return yield* new BadParameter({ field: "symbol", message: `symbol must be ${valid}.`, valid })
  }
  return yield* Effect.forEach(watched, (one) =>
    Effect.map(knownSymbol("symbol", one.symbol), (symbol) => ({ ...one, symbol }))
  )
})

/** Fails with `BadParameter` and `UnknownSymbol`. */
export const scopeOf = Effect.fn("explorer.scopeOf")(function* ({ category, symbol }: DayFeedQuery) {
  if (symbol !== undefined && category !== undefined)
    return yield* new BadParameter({ field: "category", message: "Name symbols or a category, not both." })
  if (symbol !== undefined) {
    const watched = yield* named(symbol)
    const texts = watched.map(watchedText)
    const [first, ...others] = watched
    const result: NamedScope = {
      scope: new Set(texts),
      query: { symbol: texts.join(",") },
      title: `${nameOfSymbol(first?.symbol ?? "")}${others.length === 0 ? "" : ` and ${others.length} more`}`
    }
    return result
  }
  if (category === undefined) return { query: {}, title: "all networks" } satisfies NamedScope
  const match = Category.literals.find((one) => one === category)
  if (match === undefined)
    return yield* new BadParameter({
      field: "category",
      message: `category must be one of ${Category.literals.join(", ")}.`,
      valid_values: [...Category.literals]
    })
  const of = [...bySymbol.values()].filter((one) => one.category === match)
  const result: NamedScope = {
    scope: new Set(of.map((one) => one.symbol)),
    query: { category: match },
    title: categoryTitle(match)
  }
  return result
})

/** The address of the feed of a scope. */
export const dayFeedAddress = ({ query: { category, symbol } }: NamedScope): string => {
  const text = queryText([
    ...(symbol === undefined ? [] : ([["symbol", symbol]] as const)),
    ...(category === undefined ? [] : ([["category", category]] as const))
  ])
  return text === "" ? dayFeedPath : `${dayFeedPath}?${text}`
}

const entryOf = Effect.fnUntraced(function* (
  date: string,
  { scope }: NamedScope,
  baseUrl: string,
  self: string
) {
  const facts = yield* factsOfDay(date, scope)
  if (facts === undefined) return []
  const lines = dayLines(facts)
  const entry: AtomEntry = {
    id: `${self}#${date}`,
    title: `${formatDay(date)}: ${lines[0]?.text ?? ""}`,
    updated: facts.closed_at,
    page: { href: `${baseUrl}/changes/${date}`, type: "text/html" },
    content: String(
      html`<ul>${lines.map(({ path, text }) => html`<li><a href="${baseUrl}${path}">${text}</a></li>`)}</ul>`
    )
  }
  return [entry]
})

export const dayFeed = Effect.fn("explorer.dayFeed")(function* (query: DayFeedQuery) {
  const { baseUrl } = yield* HttpSettings
  const scope = yield* orProblem(scopeOf(query))
  const self = `${baseUrl}${dayFeedAddress(scope)}`
  const newest = Date.parse(yield* orProblem(newestClosedDay))
  const dates = Array.from({ length: inFeed }, (_, n) =>
    new Date(newest - n * dayMs).toISOString().slice(0, 10)
  )
  const entries = yield* orProblem(Effect.forEach(dates, (date) => entryOf(date, scope, baseUrl, self)))
  return atomResponse({
    id: self,
    title: `Plumbline: yesterday in five lines, ${scope.title}`,
    subtitle: "What moved most, what was corrected, and what had no reading, of each closed day",
    self,
    page: `${baseUrl}/changes`,
    entries: entries.flat()
  })
})
