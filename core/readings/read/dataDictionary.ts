/** `/v1/data-dictionary`: every feed and every metric, with freshness, history depth and coverage. */
import { Duration, Effect } from "effect"
import { targetsOf } from "../../catalog/Catalog.ts"
import { byRung, flowsIn, type Rung } from "../../plugin/flows.ts"
import { type Covers, isDue, type Manifest, metricNamed, type Terms } from "../../plugin/Manifest.ts"
import { methodsBySource } from "../../plugin/methods.ts"
import { compare, isoTime } from "../../plugin/Value.ts"
import { type DataDictionaryResponse, DictionaryMetric, type Feed } from "../../wire/data/dataDictionary.ts"
import { dependenciesOf } from "../../wire/data/dependency.ts"
import type { FeedState } from "../../wire/data/feedState.ts"
import { columnsOf } from "../csv.ts"
import { Feeds } from "../Feeds.ts"
import { Current, type CurrentRow } from "./Current.ts"
import { freshness } from "./freshness.ts"
import { type DepthsByFeed, HistoryCoverage } from "./HistoryCoverage.ts"
import { isLive, served } from "./listing.ts"
import { type ProofsByFeed, ProvedSeries } from "./ProvedSeries.ts"
import { rankMetrics } from "./search.ts"
import { type Chosen, choose, type ListShape, pageOfRows, type Selection } from "./selection.ts"
import { Versions } from "./Versions.ts"

/** What a caller looks for: words, and what every list takes. */
export interface DictionarySearch extends Selection {
  readonly query?: string | undefined
}

const shape: ListShape<DictionaryMetric> = {
  columns: columnsOf(DictionaryMetric),
  order: "list",
  key: ({ feed, metric }) => `${metric}!${feed}`,
  limit: { max: 10_000, fallback: 10_000 },
  past: () => false
}

/** The metrics that the chosen networks measure, as `metric!feed`; undefined if all are asked for. */
const measuredBy = (chosen: Chosen, rows: ReadonlyArray<CurrentRow>, isFiltered: boolean) =>
  isFiltered
    ? new Set(
        rows.flatMap(({ plugin, row }) => (chosen.hasSymbol(row.symbol) ? [`${row.metric}!${plugin}`] : []))
      )
    : undefined

/**
 * The metrics that words describe, best first, and those that a selection leaves, with the feeds that report them: of `symbols`
 * and `category`, what is measured of these networks. Fails with `BadParameter` and `UnknownSymbol`.
 */
export const searchedDictionary = Effect.fn("Data.searchedDictionary")(function* ({
  query = "",
  ...selection
}: DictionarySearch) {
  const { feeds, metrics, ...others } = yield* dataDictionary
  const chosen = yield* choose(selection, (name) => metrics.some(({ metric }) => metric === name))
  const { rows } = served(yield* (yield* Current).snapshot)
  const measured = measuredBy(chosen, rows, chosen.symbols !== undefined || selection.category !== undefined)
  const described = query.trim() === "" ? metrics : yield* rankMetrics(query, metrics)
  const matching = described.filter(
    (one) => chosen.hasMetric(one.metric) && measured?.has(shape.key(one)) !== false
  )
  const { items, next } = yield* pageOfRows(matching, selection, shape)
  const reporting = new Set(items.map(({ feed }) => feed))
  const response: DataDictionaryResponse = {
    ...others,
    feeds: feeds.filter(({ feed }) => reporting.has(feed)),
    metrics: items,
    ...(next === undefined ? {} : { next_cursor: next })
  }
  return response
})

/** Every feed and every metric. Suppressed series are counted nowhere. */
export const dataDictionary: Effect.Effect<
  DataDictionaryResponse,
  never,
  Current | Feeds | HistoryCoverage | ProvedSeries | Versions
> = Effect.gen(function* () {
  const current = yield* Current
  const feeds = yield* Feeds
  const depths = yield* (yield* HistoryCoverage).byFeed
  const proofs = yield* (yield* ProvedSeries).byFeed
  const states = yield* feeds.states
  const now = yield* (yield* Versions).changedAt(dependenciesOf.dictionary)
  const byPlugin = Map.groupBy(served(yield* current.snapshot).rows, ({ plugin }) => plugin)
  const manifests = feeds.manifests.toSorted((a, b) => compare(a.id, b.id))
  return {
    generated_utc: isoTime(now),
    feeds: manifests.map((manifest) => {
      const { id } = manifest
      return feedOf(manifest, states.get(id), byPlugin.get(id) ?? [], depths.get(id), proofs[id], now)
    }),
    metrics: manifests
      .flatMap((manifest) => metricsOf(manifest, byPlugin.get(manifest.id) ?? []))
      .sort((a, b) => compare(a.metric, b.metric) || compare(a.feed, b.feed))
  }
})

/** `values` is what it was when the terms had no uses: whether values may be handed on. */
const termsSaid = (terms: Terms): NonNullable<Feed["terms"]> => ({ ...terms, values: terms.bulk })

const feedOf = (
  manifest: Manifest,
  state: FeedState | undefined,
  rows: ReadonlyArray<CurrentRow>,
  depth: ReturnType<DepthsByFeed["get"]>,
  proofs: ProofsByFeed[string] | undefined,
  now: number
): Feed => {
  const newest = (time: (row: CurrentRow) => number) =>
    rows.length === 0 ? null : rows.reduce((most, row) => Math.max(most, time(row)), Number.NEGATIVE_INFINITY)
  const asOf = newest((row) => row.asOf)
  const read = newest((row) => row.confirmedAt)
  const reason = state?.reason ?? manifest.disabled
  const methods = methodsBySource(manifest)
  return {
    feed: manifest.id,
    title: manifest.title,
    tier: manifest.tier,
    ...("sector" in manifest.covers ? { sector: manifest.covers.sector } : {}),
    source: manifest.source,
    sources: sourcesOf(rows),
    hosts: manifest.hosts,
    grade: manifest.grade,
    state: state?.state ?? (manifest.disabled === undefined ? "waiting" : "disabled"),
    ...(reason === undefined ? {} : { reason }),
    ...(manifest.evidence?.some((entry) => isDue(entry, now)) === true ? { evidence_due: true } : {}),
    ...(manifest.terms === undefined ? {} : { terms: termsSaid(manifest.terms) }),
    ...(methods.length === 0 ? {} : { methods: Object.fromEntries(methods) }),
    ...(proofs === undefined ? {} : { proofs }),
    ...(rows.some(({ unconfirmed }) => unconfirmed) ? { unconfirmed: true } : {}),
    ...(manifest.reviewed === false ? { reviewed: false as const } : {}),
    ...(manifest.ended === undefined ? {} : { ended: manifest.ended }),
    cadence_seconds: Duration.toSeconds(manifest.every),
    last_success: state?.last_success ?? null,
    last_failure: state?.last_failure ?? null,
    last_error: state?.last_error ?? null,
    next_run: state?.next_run ?? null,
    runs: state?.runs ?? 0,
    failures: state?.failures ?? 0,
    freshness: asOf === null ? null : freshness(now - asOf),
    newest_as_of: asOf === null ? null : isoTime(asOf),
    newest_read: read === null ? null : isoTime(read),
    coverage: {
      networks: new Set(rows.map(({ row }) => row.symbol)).size,
      declared_networks: declared(manifest.covers),
      series: rows.length,
      live_series: rows.filter(isLive(now)).length
    },
    history: { first_date: depth?.first ?? null, last_date: depth?.last ?? null, days: depth?.days ?? 0 }
  }
}

const declared = (covers: Covers): number =>
  "networks" in covers
    ? covers.networks.length
    : "sector" in covers
      ? covers.symbols.length
      : targetsOf(covers).length

const sourcesOf = (rows: ReadonlyArray<CurrentRow>): ReadonlyArray<string> =>
  [...new Set(rows.map(({ row }) => row.source))].sort(compare)

/** The lowest of some rungs. */
const leastOf = ([first, ...others]: ReadonlyArray<Rung>): Rung =>
  others.reduce<Rung>((least, rung) => (byRung(least, rung) < 0 ? rung : least), first ?? "aggregated")

const metricsOf = (
  { id, metrics, source, tier }: Manifest,
  rows: ReadonlyArray<CurrentRow>
): ReadonlyArray<DictionaryMetric> => {
  const byMetric = Map.groupBy(rows, ({ row }) => row.metric)
  // Of a family, the members that are measured: all that its words could name would be thousands.
  const named = Object.keys(metrics).filter((name) => metrics[name]?.of === undefined)
  const names = new Set([...named, ...byMetric.keys()])
  return [...names].flatMap((metric) => {
    const declared = metricNamed(metrics, metric)
    if (declared === undefined) return []
    const { flow, max, meaning, min, unit } = declared
    const measured = byMetric.get(metric) ?? []
    return [
      {
        metric,
        feed: id,
        source,
        sources: sourcesOf(measured),
        tier,
        unit,
        meaning,
        ...(min === undefined ? {} : { min }),
        ...(max === undefined ? {} : { max }),
        ...(flow === undefined ? {} : { rung: leastOf(flowsIn(flow).map(([, { rung }]) => rung)) }),
        networks: new Set(measured.map(({ row }) => row.symbol)).size
      }
    ]
  })
}
