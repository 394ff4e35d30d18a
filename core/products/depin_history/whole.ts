/**
 * What is delivered by default: every series of every network over the last closed days. It is the same for all buyers until a
 * day closes or a closed day is revised, so it is made once, a few series at a time, and its bytes are kept in a file.
 */
import { Array as Arr, Effect } from "effect"
import { bySymbol } from "../../catalog/Catalog.ts"
import { isSuppressed } from "../../catalog/suppressed.ts"
import * as DataClock from "../../clock/DataClock.ts"
import { hashed, ReadyPayload } from "../../credits/payload.ts"
import { day } from "../../plugin/time.ts"
import { compare, isoTime } from "../../plugin/Value.ts"
import { canonical } from "../../proof/canonical.ts"
import { epoch } from "../../readings/ingest/partitions.ts"
import { dayCounts } from "../../readings/read/byDefinition.ts"
import { dateOf, daysBetween, type Window } from "../../readings/read/days.ts"
import { type Recent, RecentDays, type SeriesRow } from "../../readings/read/RecentDays.ts"
import { rightsBySource } from "../../readings/read/rights.ts"
import type { HistoryColumn } from "../../wire/products/historyColumn.ts"
import { creditOf } from "../credited.ts"
import type { DepinHistory } from "./definition.ts"
import { methodologyOf } from "./methodology.ts"
import { PayloadFiles } from "./PayloadFiles.ts"

/** Closed days that are delivered by default. */
export const defaultDays = 30

/** The last closed days, cut by the start of history; undefined before the first close. */
export const closedWindow = (closed: string | undefined): Window | undefined => {
  if (closed === undefined) return undefined
  const to = Date.parse(closed)
  return { from: Math.max(epoch, to - (defaultDays - 1) * day), to }
}

/** Every series that is delivered, in the order of the payload. */
export const deliveredSeries = (recent: Pick<Recent, "all">): ReadonlyArray<SeriesRow> =>
  [...recent.all()]
    .filter((one) => bySymbol.has(one.symbol) && !isSuppressed(one))
    .sort((a, b) => compare(a.symbol, b.symbol) || compare(a.metric, b.metric) || compare(a.source, b.source))

/** Series that are made at once, before others take their turn. */
const atOnce = 100

/** The columns of some series; a series without an accepted day is left out. */
const columnsOf = Effect.fnUntraced(function* (
  some: ReadonlyArray<SeriesRow>,
  window: Window,
  recent: Recent
) {
  const { closed = "" } = recent
  const ids = some.map(({ id }) => id)
  const rows = recent.between(ids, window) ?? (yield* daysBetween(ids, window, ids.length * defaultDays * 4))
  const accepted = Map.groupBy(rows.filter(dayCounts), ({ series }) => series)
  return some.flatMap(({ id, metric, source, symbol, unit }): ReadonlyArray<HistoryColumn> => {
    const days = accepted.get(id) ?? []
    const last = days.at(-1)
    if (last === undefined) return []
    const open = days.find(({ date }) => date > closed)
    return [
      {
        symbol,
        metric,
        unit,
        source,
        verify_url: last.verify_url,
        as_of: isoTime(last.as_of.getTime()),
        ...(days.some(({ simulated }) => simulated) ? { simulated: true } : {}),
        dates: days.map(({ date }) => date),
        ...(open === undefined ? {} : { open_from: open.date }),
        values: days.map(({ value }) => value)
      }
    ]
  })
})

/** The same payload as `head` with all series would be, without all of them in one object. */
const make = Effect.fnUntraced(function* (recent: Recent, window: Window) {
  const texts: Array<string> = []
  const [symbols, sources] = [new Set<string>(), new Set<string>()]
  let [n_points, oldest, newest] = [0, Number.POSITIVE_INFINITY, 0]
  let first: HistoryColumn | undefined
  let simulated = false
  for (const some of Arr.chunksOf(deliveredSeries(recent), atOnce)) {
    for (const column of yield* columnsOf(some, window, recent)) {
      first ??= column
      symbols.add(column.symbol)
      sources.add(column.source)
      n_points += column.values.length
      simulated ||= column.simulated === true
      const at = Date.parse(column.as_of)
      oldest = Math.min(oldest, at)
      newest = Math.max(newest, at)
      texts.push(canonical(column))
    }
    yield* Effect.yieldNow
  }
  const head = {
    generated_utc: isoTime(yield* DataClock.now),
    from: dateOf(window.from),
    to: dateOf(window.to),
    ...(recent.closed === undefined ? {} : { closed_through: recent.closed }),
    n_networks: symbols.size,
    n_series: texts.length,
    n_points,
    ...creditOf(sources, yield* rightsBySource),
    series: [],
    methodology: methodologyOf(["every metric"])
  } satisfies DepinHistory
  // `series` is empty in the head alone: nothing else in it reads like this.
  const bytes = new TextEncoder().encode(
    canonical(head).replace('"series":[]', () => `"series":[${texts.join(",")}]`)
  )
  const outline = { ...head, series: first === undefined ? [] : [first] }
  return { ...hashed(bytes), size: texts.length, facts: { ages: { oldest, newest }, outline, simulated } }
})

type Build = Effect.Success<ReturnType<typeof make>>

interface CachedPayload extends Omit<Build, "bytes"> {
  readonly closed: string
  readonly revision: number
}

/** What was made last of each memory of days. */
const cache = new WeakMap<Recent, CachedPayload>()

/** Every series over days that are in memory; undefined if none has a value. Nothing is cache. */
export const everySeries = Effect.fn("Products.everySeries")(function* (window: Window) {
  const { facts, size, ...payload } = yield* make(yield* (yield* RecentDays).memory, window)
  return size === 0 ? undefined : new ReadyPayload({ ...payload, ...facts })
})

/** The default payload of now; undefined if no day is closed, or none of them has a value. */
export const whole = Effect.fn("depin_history.whole")(function* () {
  const files = yield* PayloadFiles
  const recent = yield* (yield* RecentDays).memory
  const { closed, revision } = recent
  const window = closedWindow(closed)
  if (closed === undefined || window === undefined) return undefined
  const before = cache.get(recent)
  if (before?.closed === closed && before.revision === revision) {
    const bytes = yield* files.get(before.sha256)
    if (bytes !== undefined) return new ReadyPayload({ bytes, sha256: before.sha256, ...before.facts })
  }
  const { bytes, ...build } = yield* make(recent, window)
  if (build.size === 0) return undefined
  yield* files.put(build.sha256, bytes)
  // Days that are not in memory may change without a word.
  if (recent.covers(window)) cache.set(recent, { ...build, closed, revision })
  return new ReadyPayload({ bytes, sha256: build.sha256, ...build.facts })
})
