/** What each product covers today: the networks, series and days behind it, and what is missing. */
import { Effect } from "effect"
import { networks as catalog } from "../../catalog/Catalog.ts"
import { isReviewed } from "../../plugin/reviewed.ts"
import { compare } from "../../plugin/Value.ts"
import { epoch } from "../../readings/ingest/partitions.ts"
import { Current, type CurrentRow } from "../../readings/read/Current.ts"
import { dateOf, type Window } from "../../readings/read/days.ts"
import { RecentDays } from "../../readings/read/RecentDays.ts"
import { ofAll } from "../../readings/read/readable.ts"
import { derived } from "../../readings/read/rights.ts"
import type { Coverage } from "../../wire/credits/coverage.ts"
import { Analyst } from "./analyst.ts"
import { headline } from "./columns.ts"
import { isIn, networks, type Part, readings } from "./inputs.ts"

const depin: ReadonlySet<string> = new Set(networks.map(({ symbol }) => symbol))
const all: ReadonlySet<string> = new Set(catalog.map(({ symbol }) => symbol))

/** The networks a product is about: the DePIN networks, or every network of the catalog. */
export const about = { depin, all } as const

const absent = (n: number, what: string): ReadonlyArray<string> =>
  n === 0 ? [] : [`${n} ${n === 1 ? "network has" : "networks have"} ${what}`]

/** What a sale has not, because the sources of these series do not let them be sold. */
const byRights = (sources: ReadonlyArray<string>): ReadonlyArray<string> =>
  sources.length === 0
    ? []
    : [
        `${sources.length} series whose sources do not let them be sold (${[...new Set(sources)].sort(compare).join(", ")}): their values are null or absent, named with the reason rights`
      ]

/** The same of figures from which no value can be told: they are made of all values, and what is not sold is named. */
export const ofDerived = (part: Part, symbols: ReadonlySet<string> = about.depin) =>
  Effect.gen(function* () {
    const { missing, withheld_by_rights } = yield* ofValues(part, symbols)
    const whole = yield* derived(ofValues(part, symbols))
    if (withheld_by_rights === undefined) return whole
    return {
      ...whole,
      missing: [...missing.slice(0, 1), ...whole.missing],
      withheld_by_rights
    } satisfies Coverage
  })

/** The same where nothing is delivered but these values: without any of them there is no sale. */
export const ofValuesAlone = (part: Part, symbols: ReadonlySet<string> = about.depin) =>
  Effect.map(
    ofValues(part, symbols),
    (covers): Coverage =>
      covers.series === 0 && covers.withheld_by_rights !== undefined
        ? { ...covers, deliverable: false }
        : covers
  )

/** Coverage by live values: `part` are those the product reads, `symbols` the networks it is about. */
export const ofValues = (part: Part, symbols: ReadonlySet<string> = about.depin) =>
  Effect.map(readings, ({ measured }): Coverage => {
    const reads = isIn(part)
    const rows = [...symbols].flatMap((symbol) => measured(symbol).rows.filter(reads))
    const measuredSymbols = new Set(rows.map(({ row }) => row.symbol))
    const metrics = new Set(rows.map(({ row }) => row.metric))
    const days = rows.map(({ asOf }) => asOf)
    const unconfirmed = rows.filter((row) => row.unconfirmed).length
    const unreviewed = rows.filter(({ row }) => !isReviewed(row.source)).length
    const withheld = [...symbols].flatMap((symbol) => measured(symbol).withheld.filter(reads))
    // What is measured and not sold is not absent.
    const there = new Set([...rows, ...withheld].map(({ row }) => row.symbol))
    for (const { row } of withheld) metrics.add(row.metric)
    const unread = typeof part === "function" ? [] : part.filter((metric) => !metrics.has(metric))
    return {
      networks: measuredSymbols.size,
      of_networks: symbols.size,
      series: rows.length,
      ...(rows.length === 0
        ? {}
        : {
            first_day: dateOf(days.reduce((least, at) => Math.min(least, at))),
            last_day: dateOf(days.reduce((most, at) => Math.max(most, at)))
          }),
      missing: [
        ...byRights(withheld.map(({ row }) => row.source)),
        ...absent(symbols.size - there.size, "none of these values"),
        ...(unread.length === 0 ? [] : [`No network has ${unread.join(", ")}`])
      ],
      ...(unconfirmed === 0 ? {} : { unconfirmed }),
      ...(unreviewed === 0 ? {} : { not_reviewed: unreviewed }),
      ...(withheld.length === 0 ? {} : { withheld_by_rights: withheld.length }),
      ...(rows.some(({ simulated }) => simulated) ? { simulated: true as const } : {})
    }
  })

/** The same, with who writes the words. */
export const ofAnalyses = Effect.gen(function* () {
  const author = (yield* Analyst) === null ? "rules" : "language_model"
  return { ...(yield* ofValues(() => true)), author } satisfies Coverage
})

/** Which series of which days an order of history has. */
interface HistoryPart {
  readonly has: (series: { readonly symbol: string; readonly metric: string }) => boolean
  /** Undefined before the first close, if it has closed days only. */
  readonly window: Window | undefined
}

/** The daily history of some series of the catalog's networks. */
export const ofHistory = Effect.fnUntraced(function* ({ has, window }: HistoryPart) {
  const recent = yield* (yield* RecentDays).series
  const isPart = (one: { readonly symbol: string; readonly metric: string }) =>
    all.has(one.symbol) && has(one)
  const series = [...recent.all()].filter(isPart)
  const unfiltered = yield* ofAll(Effect.flatMap(RecentDays, ({ series }) => series))
  const readable = new Set(series.map(({ id }) => id))
  const withheld = [...unfiltered.all()].filter((one) => isPart(one) && !readable.has(one.id))
  const symbols = new Set(series.map(({ symbol }) => symbol))
  const { rows } = yield* (yield* Current).snapshot
  const unconfirmed = rows.filter((one) => one.unconfirmed && isPart(one.row)).length
  const unreviewed = series.filter(({ source }) => !isReviewed(source)).length
  const last = window === undefined ? undefined : dateOf(window.to)
  return {
    networks: symbols.size,
    of_networks: all.size,
    series: series.length,
    ...(window === undefined ? {} : { first_day: dateOf(window.from), last_day: dateOf(window.to) }),
    missing: [
      ...byRights(withheld.map(({ source }) => source)),
      ...absent(all.size - symbols.size, "none of these series"),
      "Days before a series was first read, and days without a reading, are absent",
      ...(recent.closed === undefined
        ? ["No day is closed yet"]
        : last !== undefined && last > recent.closed
          ? [`Days after ${recent.closed}, up to ${last}, are delivered as open: they can still change`]
          : [])
    ],
    ...(unconfirmed === 0 ? {} : { unconfirmed }),
    ...(unreviewed === 0 ? {} : { not_reviewed: unreviewed }),
    ...(withheld.length === 0 ? {} : { withheld_by_rights: withheld.length }),
    ...(series.length === 0 && withheld.length > 0 ? { deliverable: false as const } : {})
  } satisfies Coverage
})

/** What subscriptions read of it: the headline metrics, since history starts. */
export const ofHeadlines = Effect.gen(function* () {
  const names = new Set(headline)
  const { closed } = yield* (yield* RecentDays).series
  return yield* ofHistory({
    has: ({ metric }) => names.has(metric),
    window: closed === undefined ? undefined : { from: epoch, to: Date.parse(closed) }
  })
})

/** A product that is not about values of networks. */
export const ofWords = (holds: string, ...missing: ReadonlyArray<string>): Coverage => ({
  networks: 0,
  of_networks: 0,
  series: 0,
  holds,
  missing
})

/** First-party telemetry. */
export const telemetry = ({ tier }: CurrentRow): boolean => tier === "supply_telemetry"
