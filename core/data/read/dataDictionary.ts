/** `/v1/data-dictionary`: every feed and every metric, with freshness, history depth and coverage (spec 4.1). */
import { Duration, Effect, Schema } from "effect"
import { targetsOf } from "../../catalog/Catalog.ts"
import { type Covers, type Manifest, metricNamed, Sector, Tier } from "../../plugin/Plugin.ts"
import { compare, isoTime, Unit } from "../../plugin/Value.ts"
import * as DataClock from "../DataClock.ts"
import { FeedState, Feeds } from "../Feeds.ts"
import { Current, type CurrentRow } from "./Current.ts"
import { Freshness, freshness } from "./freshness.ts"
import { type DepthsByFeed, HistoryCoverage } from "./HistoryCoverage.ts"
import { isLive, served } from "./listing.ts"
import { described } from "./valueRow.ts"

const time = (description: string) =>
  Schema.NullOr(Schema.String).annotate({ format: "date-time", description: `${description}; null: never` })
const count = (description: string) => Schema.Natural.annotate({ description })
/** A feed reads several upstreams: a value carries the label of its own. */
const labels = {
  source: Schema.String.annotate({
    description: "Label of the feed's main upstream, where a value carries no other"
  }),
  sources: Schema.Array(Schema.String).annotate({
    description: "Labels that the latest values carry; empty before the first value"
  })
}

export const Feed = Schema.Struct({
  feed: Schema.String.annotate({ description: "Id of the collector" }),
  title: Schema.String.annotate({ description: "Title of the collector" }),
  tier: Tier.annotate({ description: "Kind of its series" }),
  sector: Schema.optionalKey(Sector.annotate({ description: "Sector of the physical world it belongs to" })),
  ...labels,
  hosts: Schema.Array(Schema.String).annotate({ description: "Hosts it reads, and no other" }),
  grade: Schema.Literals(["A", "B", "C", "K"]).annotate({
    description: "How well the upstream is verified: A best, C least; K needs a key"
  }),
  state: FeedState.fields.state.annotate({
    description: "How the feed fares; `open`: paused after failures; `needs_key`: a required key is not set"
  }),
  reason: Schema.optionalKey(Schema.String.annotate({ description: "Why, for a feed that does not run" })),
  cadence_seconds: Schema.Finite.annotate({ description: "Seconds between two runs" }),
  last_success: time("End of the last run that succeeded"),
  last_failure: time("End of the last run that failed"),
  last_error: Schema.NullOr(Schema.String).annotate({
    description: "What the last failure said; null: never failed"
  }),
  next_run: time("Start of the next run"),
  runs: count("Runs since the start of the service"),
  failures: count("Failed runs since the start of the service"),
  freshness: Schema.NullOr(Freshness).annotate({
    description: "Label of the newest value's age; null before the first value"
  }),
  newest_as_of: time("When the newest value was true"),
  newest_read: time("The last read that saw a value"),
  coverage: Schema.Struct({
    networks: count("Symbols with a latest value"),
    declared_networks: count("Symbols that the feed covers"),
    series: count("Series with a latest value"),
    live_series: count("Series with a value younger than 7 days")
  }).annotate({ description: "How much the feed covers" }),
  history: Schema.Struct({
    first_date: Schema.NullOr(Schema.String).annotate({
      format: "date",
      description: "First day of daily history; null: none"
    }),
    last_date: Schema.NullOr(Schema.String).annotate({
      format: "date",
      description: "Last day of daily history; null: none"
    }),
    days: count("Days with a daily row")
  }).annotate({ description: "Depth of the daily history, measured at most once in five minutes" })
}).annotate({ identifier: "Feed", description: "One collector" })
export interface Feed extends Schema.Schema.Type<typeof Feed> {}

export const DictionaryMetric = Schema.Struct({
  metric: described.metric,
  feed: Schema.String.annotate({ description: "Id of the collector that emits it" }),
  ...labels,
  tier: Tier.annotate({ description: "Kind of its series" }),
  unit: Unit.annotate({ description: "Unit of its values" }),
  meaning: Schema.String.annotate({ description: "What is counted, and how" }),
  min: Schema.optionalKey(Schema.Finite.annotate({ description: "Least possible value" })),
  max: Schema.optionalKey(Schema.Finite.annotate({ description: "Greatest possible value" })),
  networks: count("Symbols with a latest value of it from this feed")
}).annotate({ identifier: "DictionaryMetric", description: "One metric of one collector" })
export interface DictionaryMetric extends Schema.Schema.Type<typeof DictionaryMetric> {}

export const DataDictionaryResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  feeds: Schema.Array(Feed).annotate({ description: "Every collector, by id" }),
  metrics: Schema.Array(DictionaryMetric).annotate({ description: "Every metric, by name and feed" })
}).annotate({
  identifier: "DataDictionaryResponse",
  description: "What is measured, how, how fresh, how deep"
})
export interface DataDictionaryResponse extends Schema.Schema.Type<typeof DataDictionaryResponse> {}

/** Every feed and every metric. Suppressed series are counted nowhere. */
export const dataDictionary: Effect.Effect<DataDictionaryResponse, never, Current | Feeds | HistoryCoverage> =
  Effect.gen(function* () {
    const current = yield* Current
    const feeds = yield* Feeds
    const depths = yield* (yield* HistoryCoverage).byFeed
    const states = yield* feeds.states
    const now = yield* DataClock.now
    const byPlugin = Map.groupBy(served(yield* current.snapshot).rows, ({ plugin }) => plugin)
    const manifests = feeds.manifests.toSorted((a, b) => compare(a.id, b.id))
    return {
      generated_utc: isoTime(now),
      feeds: manifests.map((manifest) => {
        const { id } = manifest
        return feedOf(manifest, states.get(id), byPlugin.get(id) ?? [], depths.get(id), now)
      }),
      metrics: manifests
        .flatMap((manifest) => metricsOf(manifest, byPlugin.get(manifest.id) ?? []))
        .sort((a, b) => compare(a.metric, b.metric) || compare(a.feed, b.feed))
    }
  })

const feedOf = (
  manifest: Manifest,
  state: FeedState | undefined,
  rows: ReadonlyArray<CurrentRow>,
  depth: ReturnType<DepthsByFeed["get"]>,
  now: number
): Feed => {
  const newest = (time: (row: CurrentRow) => number) =>
    rows.length === 0 ? null : rows.reduce((most, row) => Math.max(most, time(row)), Number.NEGATIVE_INFINITY)
  const asOf = newest((row) => row.asOf)
  const read = newest((row) => row.confirmedAt)
  const reason = state?.reason ?? manifest.disabled
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
    const { max, meaning, min, unit } = declared
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
        networks: new Set(measured.map(({ row }) => row.symbol)).size
      }
    ]
  })
}
