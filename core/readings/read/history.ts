/** `/v1/history`: daily series of one network, of several, or of one metric of all. */
import { Effect, Option, Stream } from "effect"
import { isSuppressed } from "../../catalog/suppressed.ts"
import * as DataClock from "../../clock/DataClock.ts"
import type { Tier } from "../../plugin/kinds.ts"
import { day } from "../../plugin/time.ts"
import { compare, isoTime, type Unit } from "../../plugin/Value.ts"
import type { Change } from "../../wire/data/change.ts"
import { dependenciesOf } from "../../wire/data/dependency.ts"
import { type HistoryResponse, type HistorySeries, mostNetworks } from "../../wire/data/history.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { changeOver, ofSameHour } from "../change.ts"
import { type Access, accessNote } from "./Access.ts"
import { countsBetween } from "./agreementCounts.ts"
import { archivedDays } from "./archivedDays.ts"
import { dayCounts } from "./byDefinition.ts"
import { Current } from "./Current.ts"
import { type DailyRow, daysBetween, lastClosedDay, lastDays } from "./days.ts"
import { daysKnownAt } from "./knownAt.ts"
import {
  declaredMetric,
  declaredSource,
  knownSymbol,
  notBoth,
  page,
  pastTime,
  type Raw,
  wholeNumber
} from "./parameters.ts"
import { pickSource } from "./pickSource.ts"
import { type Recent, RecentDays, type SeriesRow } from "./RecentDays.ts"
import { type RightsBySource, rightsBySource } from "./rights.ts"
import { type Names, namesOf } from "./selection.ts"
import { unconfirmedThen } from "./standings.ts"
import { Versions } from "./Versions.ts"
import { definitionOf, reviewOf } from "./valueRow.ts"

/** Days per answer across all series: a page holds as many series as fit, at least one. */
const daysOfAnswer = 20_000

/** Days of the longest window. */
const mostDays = 3650

/** What `network` says for every network that has the metric. The caller's tier must include it: check that first. */
export const everyNetwork = "*"

interface HistoryParams {
  readonly access: Access
  /** A symbol, several with commas between them, or `everyNetwork`. */
  readonly network?: string | undefined
  /** The same by its other name, or as a list. */
  readonly symbols?: Names
  readonly metric?: string | undefined
  /** Several of them. */
  readonly metrics?: Names
  readonly days?: Raw
  readonly source?: string | undefined
  readonly as_known_at?: string | undefined
  /** `YYYY-MM-DD`: the window ends on the day before it, if that is earlier. */
  readonly before?: string | undefined
}

/** The named networks, each once; undefined for all. */
export const namedNetworks = Effect.fnUntraced(function* (
  text: string | undefined,
  metric: string | undefined
) {
  const refuse = (message: string) => new BadParameter({ field: "network", message })
  if (text === undefined) {
    return yield* refuse("network is required: a network symbol, e.g. FIL or SN64, or several: FIL,AR.")
  }
  if (text === everyNetwork) {
    return metric === undefined
      ? yield* refuse("network=* requires metric: one metric of all networks.")
      : undefined
  }
  const names = text.split(",")
  if (names.length > mostNetworks) {
    return yield* refuse(`network has ${names.length} symbols; at most ${mostNetworks} fit into one call.`)
  }
  return [...new Set(yield* Effect.forEach(names, (name) => knownSymbol("network", name)))]
})

/** The series that are asked for, whichever names the parameters have. Fails with `BadParameter` and `UnknownSymbol`. */
const wantedSeries = Effect.fnUntraced(function* ({ metric, metrics, network, symbols }: HistoryParams) {
  yield* notBoth("symbols", symbols, "network", network)
  yield* notBoth("metrics", metrics, "metric", metric)
  const names = metric === undefined ? yield* namesOf("metrics", metrics) : [metric]
  const text = network ?? (typeof symbols === "string" ? symbols : symbols?.join(","))
  const networks = yield* namedNetworks(text, names?.[0])
  return { networks, metrics: names === undefined ? undefined : new Set(names) }
})

/** The requested series, one per network and metric, and the window. */
const planned = Effect.fnUntraced(function* (params: HistoryParams) {
  const { access, source } = params
  const { metrics, networks } = yield* wantedSeries(params)
  const isWanted = (metric: string): boolean => metrics?.has(metric) !== false
  const days = yield* wholeNumber("days", params.days, { min: 1, max: mostDays, fallback: 30 })
  const now = yield* DataClock.now
  const knownAt =
    params.as_known_at === undefined ? undefined : yield* pastTime("as_known_at", params.as_known_at, now)

  const recent = yield* (yield* RecentDays).memory
  const stored = yield* seriesOf(networks ?? symbolsWith(recent, isWanted), recent, knownAt)
  for (const metric of metrics ?? []) {
    const field = params.metric === undefined ? "metrics" : "metric"
    yield* declaredMetric(field, metric, [...new Set(stored.map((one) => one.metric))])
  }
  if (source !== undefined) yield* declaredSource("source", source, stored)
  const asOne = networks?.length === 1
  const matching = stored.filter((one) => isWanted(one.metric))
  const chosen = [...Map.groupBy(matching, (one) => (asOne ? one.metric : `${one.symbol}/${one.metric}`))]
    .flatMap(([place, candidates]) => {
      const series =
        source === undefined
          ? pickSource(candidates[0]?.symbol ?? "", candidates[0]?.metric ?? "", candidates)
          : candidates.find((candidate) => candidate.source === source)
      return series === undefined ? [] : [{ ...series, place }]
    })
    .sort((a, b) => compare(a.place, b.place))
  const reach = access.historyDays === null ? days : Math.min(days, access.historyDays)
  const { from: earliest, to: latest } = lastDays(knownAt ?? now, days)
  const to = params.before === undefined ? latest : Math.min(latest, Date.parse(params.before) - day)
  const from = Math.max(earliest, lastDays(now, access.historyDays ?? mostDays).from)
  const closed = knownAt === undefined ? recent.closed : yield* lastClosedDay(knownAt)
  const width = Math.max(1, (to - from) / day + 1)
  return { networks, days, reach, knownAt, chosen, closed, from, recent, to, width }
})

/** The days of some of the planned series, each with its own: from memory, where they are there. */
const daysOf = Effect.fnUntraced(function* (
  { closed, from, knownAt, recent, to, width }: Effect.Success<ReturnType<typeof planned>>,
  items: ReadonlyArray<Placed>
) {
  const ids = items.map(({ id }) => id)
  // Beside its accepted row a day may have one for each incident that excludes some of its readings; they come last.
  const limit = items.length * width * 4
  const { rebuilt, rows, uncertain } =
    knownAt === undefined
      ? {
          rows:
            recent.between(ids, { from, to }) ??
            (yield* archivedDays(items, { from, to })) ??
            (yield* daysBetween(ids, { from, to }, limit)),
          rebuilt: none,
          uncertain: none
        }
      : yield* daysKnownAt(ids, { from, to, knownAt }, limit)
  const bySeries = Map.groupBy(rows, ({ series }) => series)
  // What was compared later was not known then.
  const seenOn =
    knownAt === undefined ? yield* countsBetween(ids, { from, to }, items.length * width) : undefined
  return items.map((item) => ({
    item,
    seenOn,
    rows: bySeries.get(item.id) ?? [],
    closed,
    rebuilt: rebuilt.get(item.id) ?? [],
    uncertain: uncertain.get(item.id) ?? []
  }))
})

const none: ReadonlyMap<number, ReadonlyArray<string>> = new Map()

/** What `daysOf` gives for a series. */
type Days = Effect.Success<ReturnType<typeof daysOf>>[number]

/**
 * Daily series, from `daily`: the window is `days` days, today among them, cut by the epoch and by what the
 * access reaches. A day is its newest version with an accepted reading; of several sources one answers (`pickSource`), or
 * the one that `source` names. With `as_known_at` the answer is the one that was given at that time: the window ends on
 * that day, and days that changed since are rebuilt from their readings while these are kept (`knownAt.ts`).
 *
 * `cursor` is the last metric of the previous page; of several networks, network and metric. Fails with `UnknownSymbol` and `BadParameter`.
 */
export const history = Effect.fn("Data.history")(function* (
  options: HistoryParams & { readonly limit?: Raw; readonly cursor?: string | undefined }
) {
  const limit = yield* wholeNumber("limit", options.limit, { min: 1, max: 500, fallback: 500 })
  const plan = yield* planned(options)
  const { days, knownAt, networks, reach, width } = plan
  const versions = yield* Versions
  const { items, next } = yield* page(
    plan.chosen,
    (series) => series.place,
    Math.min(limit, Math.max(1, Math.floor(daysOfAnswer / width))),
    options.cursor,
    // A network's series never disappear.
    () => false
  )
  const rightsOf = yield* rightsBySource
  const notes: Array<string> = []
  if (reach < days) notes.push(`days=${days}: your tier includes ${reach} days of history.`)
  // A named network without any series is there all the same, with none.
  const measured = new Set(plan.chosen.map(({ symbol }) => symbol))
  const data = new Map<string, Array<readonly [string, HistorySeries]>>(
    (networks ?? []).filter((symbol) => !measured.has(symbol)).map((symbol) => [symbol, []])
  )
  for (const seriesDays of yield* daysOf(plan, items)) {
    const { metric, place, symbol } = seriesDays.item
    const built = seriesObject(seriesDays, rightsOf)
    const series = getOrInsert(data, symbol)
    if (built !== undefined) series.push([metric, built])
    else {
      const excluded = excludedDates(seriesDays.rows)
      if (excluded.length > 0) notes.push(`${place}: ${excludedNote(excluded)}`)
      if (seriesDays.uncertain.length > 0) notes.push(`${place}: ${uncertainNote(seriesDays.uncertain)}`)
    }
  }
  const response: HistoryResponse = {
    generated_utc: isoTime(
      // What depends on all networks is made anew each time.
      knownAt ??
        (networks === undefined
          ? yield* versions.present
          : yield* versions.changedAt(dependenciesOf.history(networks)))
    ),
    source_table: "daily",
    window_days: days,
    ...(knownAt === undefined ? {} : { as_known_at: isoTime(knownAt) }),
    data: Object.fromEntries([...data].map(([symbol, series]) => [symbol, Object.fromEntries(series)])),
    access: accessNote(options.access),
    ...(notes.length === 0 ? {} : { note: notes.join(" ") }),
    ...(next === undefined ? {} : { next_cursor: next })
  }
  return response
})

const getOrInsert = <A>(map: Map<string, Array<A>>, key: string): Array<A> => {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const created: Array<A> = []
  map.set(key, created)
  return created
}

/** Maps `of` over the same series, one metric at a time, so few days are in memory at once. */
export const historyStream = <A>(
  params: HistoryParams,
  of: (symbol: string, metric: string, series: HistorySeries) => ReadonlyArray<A>
) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const plan = yield* planned(params)
      const rightsOf = yield* rightsBySource
      const some = Math.max(1, Math.floor(daysAtOnce / plan.width))
      return Stream.paginate(0, (at) =>
        Effect.map(
          daysOf(plan, plan.chosen.slice(at, at + some)),
          (batch) =>
            [
              batch.flatMap((days) => {
                const built = seriesObject(days, rightsOf)
                return built === undefined ? [] : of(days.item.symbol, days.item.metric, built)
              }),
              at + some < plan.chosen.length ? Option.some(at + some) : Option.none()
            ] as const
        )
      )
    })
  )

const daysAtOnce = 2000

interface Series extends SeriesRow {
  /** Of the latest row; before all others where there is none any more. */
  readonly asOf: number
  /** True while its feed is not confirmed or two of its levels are in doubt, or if it was so at the time that was asked for. */
  readonly unconfirmed: boolean
}

/** A series, and its place among those of the answer. */
interface Placed extends Series {
  readonly place: string
}

/** Every series of some symbols, including those whose latest row is gone. */
const seriesOf = Effect.fnUntraced(function* (
  symbols: ReadonlyArray<string>,
  recent: Recent,
  knownAt: number | undefined
) {
  const { bySymbol } = yield* (yield* Current).snapshot
  const isUnconfirmed = knownAt === undefined ? undefined : yield* unconfirmedThen
  return symbols.flatMap((symbol) => {
    const latest = new Map(bySymbol.get(symbol)?.map((row) => [row.series, row] as const))
    return recent
      .of(symbol)
      .filter((row) => !isSuppressed({ symbol, metric: row.metric, source: row.source }))
      .map((row): Series => {
        const newest = latest.get(row.id)
        return {
          ...row,
          asOf: newest?.asOf ?? Number.NEGATIVE_INFINITY,
          unconfirmed:
            isUnconfirmed === undefined || knownAt === undefined
              ? newest?.unconfirmed === true
              : newest !== undefined && isUnconfirmed(newest.plugin, row.id, knownAt)
        }
      })
      .sort((a, b) => compare(a.metric, b.metric))
  })
})

/** Symbols with a series of a wanted metric; sorted. */
const symbolsWith = (recent: Recent, isWanted: (metric: string) => boolean): ReadonlyArray<string> => {
  const symbols = new Set<string>()
  for (const row of recent.all()) if (isWanted(row.metric)) symbols.add(row.symbol)
  return [...symbols].sort(compare)
}

/** Every symbol with a series, sorted. */
export const networksWithHistory = Effect.gen(function* () {
  return symbolsWith(yield* (yield* RecentDays).memory, () => true)
})

const excludedDates = (rows: ReadonlyArray<DailyRow>): ReadonlyArray<string> => [
  ...new Set(rows.filter(({ incident }) => incident > 0).map(({ date }) => date))
]

const excludedNote = (dates: ReadonlyArray<string>): string =>
  `A quality incident excludes readings of ${dates.join(", ")}; they are kept but not served.`

const uncertainNote = (dates: ReadonlyArray<string>): string =>
  `${dates.join(", ")} changed after as_known_at, and the readings are no longer kept: the newest version recorded by then is shown, if there is one.`

/** The served series; undefined if no day in the window has an accepted reading. `rows` are sorted by day. */
const seriesObject = (
  { closed, item: { id, source, tier, unconfirmed, unit }, rebuilt, rows, seenOn, uncertain }: Days,
  rightsOf: RightsBySource
): HistorySeries | undefined => {
  const accepted = rows.filter(({ incident }) => incident === 0)
  const [first, last] = [accepted[0], accepted.at(-1)]
  if (first === undefined || last === undefined) return undefined
  // What is served with a mark does not begin or end a change.
  const change = changeOfClosed(accepted.filter(dayCounts), unit, tier, closed)
  const why = change === undefined ? tooFew(tier) : change.why
  const excluded = excludedDates(rows)
  const note = [
    ...(why === undefined ? [] : [why]),
    ...(excluded.length === 0 ? [] : [excludedNote(excluded)]),
    ...(uncertain.length === 0 ? [] : [uncertainNote(uncertain)])
  ]
  return {
    tier,
    source,
    unit,
    verify_url: last.verify_url,
    as_of: isoTime(last.as_of.getTime()),
    points: accepted.map(({ by_definition, date, n_observations, simulated, value, value_text }) => ({
      date,
      value,
      ...(value_text === null ? {} : { value_text }),
      n_observations,
      ...(closed === undefined || date > closed ? { open: true as const } : {}),
      ...(simulated ? { simulated } : {}),
      ...definitionOf(by_definition),
      ...seenOn?.(id, date, value)
    })),
    n_points: accepted.length,
    first_date: first.date,
    last_date: last.date,
    change_pct: change?.relative ?? null,
    ...(change === undefined ? {} : { change }),
    ...(excluded.length === 0 ? {} : { excluded_dates: excluded }),
    ...(rebuilt.length === 0 ? {} : { rebuilt_dates: rebuilt }),
    ...(uncertain.length === 0 ? {} : { uncertain_dates: uncertain }),
    ...(note.length === 0 ? {} : { note: note.join(" ") }),
    ...(unconfirmed ? { unconfirmed } : {}),
    ...reviewOf(source),
    ...rightsOf(source)
  }
}

const endOf = ({ as_of, date, value, value_text }: DailyRow) => ({
  date,
  value,
  ...(value_text === null ? {} : { value_text }),
  as_of: isoTime(as_of.getTime())
})

/**
 * From the first to the last closed day. The world has a daily rhythm, in traffic as in the grid, so that its days are compared
 * at the hour of the last one.
 */
const changeOfClosed = (
  rows: ReadonlyArray<DailyRow>,
  unit: Unit,
  tier: Tier,
  closed: string | undefined
): Change | undefined => {
  const days = closed === undefined ? [] : rows.filter(({ date }) => date <= closed)
  const last = days.at(-1)
  const comparable = tier === "physical" && last !== undefined ? ofSameHour(days, last.as_of) : days
  return changeOver(unit, comparable.map(endOf))
}

const tooFew = (tier: Tier): string =>
  tier === "physical"
    ? "The window has fewer than two closed days with a reading of the same hour, so there is no change."
    : "The window has fewer than two closed days with a reading, so there is no change."
