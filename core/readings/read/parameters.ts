/** Validates read parameters, whether strings from a query or numbers from a tool call. */
import { Effect } from "effect"
import { bySymbol } from "../../catalog/Catalog.ts"
import { findSymbol, folded } from "../../catalog/lookup.ts"
import { metricNamed } from "../../plugin/Manifest.ts"
import { compare, parseTime } from "../../plugin/Value.ts"
import { validValuesCap } from "../../process/errors.ts"
import { BadParameter, UnknownSymbol } from "../../wire/problems/request.ts"
import { Feeds } from "../Feeds.ts"

export type Raw = string | number | undefined

/** Fails if both of two parameters that say the same were sent. */
export const notBoth = (
  field: string,
  one: unknown,
  other: string,
  another: unknown
): Effect.Effect<void, BadParameter> =>
  one === undefined || another === undefined
    ? Effect.void
    : Effect.fail(new BadParameter({ field, message: `Send ${field} or ${other}, not both.` }))

/** A whole number within inclusive bounds; `fallback` if absent. */
export const wholeNumber = (
  field: string,
  raw: Raw,
  { fallback, max, min }: { readonly min: number; readonly max: number; readonly fallback: number }
): Effect.Effect<number, BadParameter> => {
  if (raw === undefined) return Effect.succeed(fallback)
  const number = typeof raw === "number" || /^\d{1,15}$/.test(raw) ? Number(raw) : Number.NaN
  const valid = `a whole number from ${min} to ${max}`
  return Number.isInteger(number) && number >= min && number <= max
    ? Effect.succeed(number)
    : Effect.fail(new BadParameter({ field, message: `${field} must be ${valid}.`, valid }))
}

/** True for a real calendar day as `YYYY-MM-DD` (30 February and year 0 are rejected). */
export const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith("0000")) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** Parses `YYYYMMDD` or `YYYY-MM-DD` to `YYYY-MM-DD`; undefined if it is not a day. */
export const readDay = (text: string): string | undefined => {
  const day = text.replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3")
  return isDay(day) ? day : undefined
}

/** `readDay` for a parameter; fails if it is not a day. */
export const dayOf = (field: string, text: string): Effect.Effect<string, BadParameter> => {
  const day = readDay(text)
  if (day !== undefined) return Effect.succeed(day)
  const valid = "a calendar day as YYYYMMDD or YYYY-MM-DD"
  const message = `${field}: ${JSON.stringify(text.slice(0, 40))} is not a day. Send ${valid}, e.g. 20260904.`
  return Effect.fail(new BadParameter({ field, message, valid }))
}

const validTime = "an ISO 8601 date-time in UTC, e.g. 2026-09-01T08:00:00Z"

/** What is wrong with a text that is no time: the members of a `BadParameter`. */
export const notATime = (field: string) => ({
  field,
  message: `${field} must be ${validTime}.`,
  valid: `${validTime}, not in the future`
})

/** The time in epoch milliseconds, unless it is after `now`. */
export const notInFuture = (field: string, time: number, now: number): Effect.Effect<number, BadParameter> =>
  time <= now
    ? Effect.succeed(time)
    : Effect.fail(
        new BadParameter({
          field,
          message: `${field} must not be in the future.`,
          valid: `${validTime}, not in the future`
        })
      )

/** Parses a time no later than `now`, to epoch milliseconds. */
export const pastTime = (field: string, raw: string, now: number): Effect.Effect<number, BadParameter> => {
  const time = timeOf(raw)
  return time === undefined ? Effect.fail(new BadParameter(notATime(field))) : notInFuture(field, time, now)
}

/** A time in epoch milliseconds; undefined for a text that is none, or that is longer than any. */
export const timeOf = (raw: string): number | undefined => (raw.length > 64 ? undefined : parseTime(raw))

/**
 * Resolves a text to a symbol of the catalog (see `findSymbol`) or one that a feed declares, in any case. Use the
 * returned symbol from here on, not the text.
 */
export const knownSymbol = Effect.fnUntraced(function* (field: string, text: string) {
  if (bySymbol.has(text)) return text
  const declared = declaredBy((yield* Feeds).manifests)
  if (declared.has(text)) return text
  const match = findSymbol(text)
  const symbol =
    "symbol" in match ? match.symbol : declared.values().find((each) => folded(each) === folded(text))
  if (symbol !== undefined) return symbol
  return yield* UnknownSymbol.of(field, text, "symbol" in match ? [] : match.suggestions)
})

/** The symbols that the manifests name. */
const declaredBy = (manifests: Feeds["Service"]["manifests"]): ReadonlySet<string> => {
  const cached = declaredSymbols.get(manifests)
  if (cached !== undefined) return cached
  const symbols = new Set(
    manifests.flatMap(({ covers }) =>
      "sector" in covers ? covers.symbols : "networks" in covers ? covers.networks : []
    )
  )
  declaredSymbols.set(manifests, symbols)
  return symbols
}

/** Manifests never change while the process runs. */
const declaredSymbols = new WeakMap<Feeds["Service"]["manifests"], ReadonlySet<string>>()

/** Fails unless some feed declares the metric, or it is one of the `likely` names, which the error lists first. */
export const declaredMetric = Effect.fnUntraced(function* (
  field: string,
  metric: string,
  likely: ReadonlyArray<string>
) {
  const { manifests } = yield* Feeds
  if (likely.includes(metric)) return metric
  if (manifests.some(({ metrics }) => metricNamed(metrics, metric) !== undefined)) return metric
  const all = [...new Set(manifests.flatMap(({ metrics }) => Object.keys(metrics)))].sort(compare)
  const names = [...new Set([...likely, ...all])]
  const rest = names.length - validValuesCap
  return yield* new BadParameter({
    field,
    message:
      `Unknown ${field} ${JSON.stringify(metric.slice(0, 64))}.` +
      (rest > 0 ? ` See /v1/data-dictionary for ${rest} more names.` : ""),
    valid_values: names.slice(0, validValuesCap)
  })
})

/** Fails unless a feed or one of the `storedSeries` has this source label. The error lists theirs. */
export const declaredSource = Effect.fnUntraced(function* (
  field: string,
  source: string,
  storedSeries: ReadonlyArray<{ readonly source: string }>
) {
  const { manifests } = yield* Feeds
  const declared = manifests.flatMap((feed) => [feed.source, ...(feed.sources ?? [])])
  const stored = storedSeries.map((series) => series.source)
  if (declared.includes(source) || stored.includes(source)) return source
  return yield* new BadParameter({
    field,
    message: `Unknown ${field} ${JSON.stringify(source.slice(0, 64))}: no feed or stored series of this network has this label.`,
    valid_values: [...new Set(stored.length > 0 ? stored : declared)].sort(compare).slice(0, validValuesCap)
  })
})

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** The cursor of the next page; absent on the last page. */
  readonly next?: string
}

/**
 * A page of items sorted by a string key: at most `limit` items after `cursor`. A cursor is the key of an item, or of one
 * that has since left the list (`past`). Fails with `BadParameter`.
 */
export const page = <A>(
  all: ReadonlyArray<A>,
  key: (item: A) => string,
  limit: number,
  cursor: string | undefined,
  past: (cursor: string) => boolean
): Effect.Effect<Page<A>, BadParameter> => {
  if (cursor !== undefined && !past(cursor) && !all.some((item) => key(item) === cursor)) {
    return Effect.fail(
      new BadParameter({
        field: "cursor",
        message: `cursor: ${JSON.stringify(cursor.slice(0, 64))} is not a cursor of this list. Send next_cursor of the previous page, or no cursor for the first page.`,
        valid: "`next_cursor` of the previous page"
      })
    )
  }
  const rest = cursor === undefined ? all : all.filter((item) => compare(key(item), cursor) > 0)
  const items = rest.slice(0, limit)
  const last = items.at(-1)
  return Effect.succeed({
    items,
    ...(last !== undefined && rest.length > items.length ? { next: key(last) } : {})
  })
}

/** For lists by symbol: a network can leave the list between two pages but stays in the catalog. */
export const isCatalogued = (symbol: string): boolean => bySymbol.has(symbol)
