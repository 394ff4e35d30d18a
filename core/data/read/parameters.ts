/** Parameters of the read side as they arrive, texts of a query or numbers of a tool call, held to what is valid. */
import { Effect } from "effect"
import { bySymbol } from "../../catalog/Catalog.ts"
import { findSymbol, folded } from "../../catalog/lookup.ts"
import { metricNamed } from "../../plugin/Plugin.ts"
import { compare, parseTime } from "../../plugin/Value.ts"
import { BadParameter, UnknownSymbol } from "../../wire/problems/request.ts"
import { validValuesCap } from "../errors.ts"
import { Feeds } from "../Feeds.ts"

export type Raw = string | number | undefined

/** A whole number between bounds, inclusive; `fallback` where it is not given. */
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
    : Effect.fail(new BadParameter({ field, message: `${field} is ${valid}.`, valid }))
}

/** True for a day of the calendar as `YYYY-MM-DD`; there is no year 0, and 30 February is no day. */
export const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith("0000")) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** The day `YYYY-MM-DD` that a text names as `YYYYMMDD` or as `YYYY-MM-DD`; undefined where it names none. */
export const readDay = (text: string): string | undefined => {
  const day = text.replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3")
  return isDay(day) ? day : undefined
}

/** The same for a parameter, which must name one. */
export const dayOf = (field: string, text: string): Effect.Effect<string, BadParameter> => {
  const day = readDay(text)
  if (day !== undefined) return Effect.succeed(day)
  const valid = "a day of the calendar as YYYYMMDD or YYYY-MM-DD"
  const message = `${field}: ${JSON.stringify(text.slice(0, 40))} is not a day. Send ${valid}, such as 20260904.`
  return Effect.fail(new BadParameter({ field, message, valid }))
}

/** A time that has passed at `now`, in epoch milliseconds. */
export const pastTime = (field: string, raw: string, now: number): Effect.Effect<number, BadParameter> => {
  const time = raw.length > 64 ? undefined : parseTime(raw)
  if (time !== undefined && time <= now) return Effect.succeed(time)
  const valid = "an ISO 8601 date-time in UTC, such as 2026-09-01T08:00:00Z"
  const message = time === undefined ? `${field} is ${valid}.` : `${field} lies in the future.`
  return Effect.fail(new BadParameter({ field, message, valid: `${valid}, that has passed` }))
}

/**
 * The symbol that a text names: one of the catalog, as `findSymbol` finds it, or one that a feed declares, in any case.
 * What is answered is of the symbol, so use what this gives and not the text.
 */
export const knownSymbol = Effect.fnUntraced(function* (field: string, text: string) {
  if (bySymbol.has(text)) return text
  const { manifests } = yield* Feeds
  const declared = manifests.flatMap(({ covers }) =>
    "sector" in covers ? covers.symbols : "networks" in covers ? covers.networks : []
  )
  const found = findSymbol(text)
  const symbol =
    declared.find((each) => each === text) ??
    ("symbol" in found ? found.symbol : declared.find((each) => folded(each) === folded(text)))
  if (symbol !== undefined) return symbol
  return yield* UnknownSymbol.of(field, text, "symbol" in found ? [] : found.suggestions)
})

/** Holds that some feed declares the metric. The refusal lists `likely` names first. */
export const declaredMetric = Effect.fnUntraced(function* (
  field: string,
  metric: string,
  likely: ReadonlyArray<string>
) {
  const { manifests } = yield* Feeds
  if (manifests.some(({ metrics }) => metricNamed(metrics, metric) !== undefined)) return metric
  const all = [...new Set(manifests.flatMap(({ metrics }) => Object.keys(metrics)))].sort(compare)
  const names = [...new Set([...likely, ...all])]
  const rest = names.length - validValuesCap
  return yield* new BadParameter({
    field,
    message:
      `${field}: no feed declares ${JSON.stringify(metric.slice(0, 64))}.` +
      (rest > 0 ? ` ${rest} more names stand in /v1/data-dictionary.` : ""),
    valid_values: names.slice(0, validValuesCap)
  })
})

/** Holds that some feed has the label, or one of the series `kept`. The refusal lists those of `kept`. */
export const declaredSource = Effect.fnUntraced(function* (
  field: string,
  source: string,
  kept: ReadonlyArray<{ readonly source: string }>
) {
  const { manifests } = yield* Feeds
  if ([...manifests, ...kept].some((feed) => feed.source === source)) return source
  return yield* new BadParameter({
    field,
    message: `${field}: no feed, and no series of this network, has the label ${JSON.stringify(source.slice(0, 64))}.`,
    valid_values: [...new Set((kept.length > 0 ? kept : manifests).map((feed) => feed.source))]
      .sort(compare)
      .slice(0, validValuesCap)
  })
})

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** The cursor of the next page; absent on the last one. */
  readonly next?: string
}

/**
 * A page of things sorted by a text key: those after `cursor`, at most `limit`. A cursor is the key of one of them, or
 * of one that was there when it was given and is `past` now. Fails with `BadParameter`.
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
        message: `cursor: ${JSON.stringify(cursor.slice(0, 64))} is not a cursor of this list. Send next_cursor of the page before, or none for the first page.`,
        valid: "`next_cursor` of the page before"
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

/** For a list by symbol: its networks may come and go between two pages, and stay in the catalog. */
export const isCatalogued = (symbol: string): boolean => bySymbol.has(symbol)
