/** `/v1/world`: coverage and gauges of the physical world. */
import { Effect } from "effect"
import { Sector } from "../../plugin/kinds.ts"
import type { Manifest } from "../../plugin/Manifest.ts"
import { isPartOfUnion } from "../../plugin/shapes/union.ts"
import { day, hour } from "../../plugin/time.ts"
import { isoTime } from "../../plugin/Value.ts"
import { dependenciesOf } from "../../wire/data/dependency.ts"
import type { Gauge, GaugePart, WorldResponse } from "../../wire/data/world.ts"
import { Feeds } from "../Feeds.ts"
import { counts, whyLeftOut } from "./byDefinition.ts"
import { Current, type CurrentRow, newestRead } from "./Current.ts"
import { IngestCounts } from "./IngestCounts.ts"
import { served } from "./listing.ts"
import { type RightsBySource, rightsBySource } from "./rights.ts"
import { Versions } from "./Versions.ts"

/** A gauge is shown while its last read is younger than this. */
export const gaugeWindow = 6 * hour

/** The physical world at `generated_utc`. `baseUrl` is the public address of the service, without a slash at its end. */
export const world = Effect.fn("Data.world")(function* (options: { readonly baseUrl: string }) {
  const current = yield* Current
  const feeds = yield* Feeds
  const rightsOf = yield* rightsBySource
  const { rows24h, total } = yield* (yield* IngestCounts).counts
  const now = yield* (yield* Versions).changedAt(dependenciesOf.world)
  const { bySymbol } = served(yield* current.snapshot)
  const collectors = feeds.manifests.flatMap((manifest) =>
    "sector" in manifest.covers
      ? [
          {
            manifest,
            covers: manifest.covers,
            rows: rowsFrom(manifest.id, manifest.covers.symbols, bySymbol)
          }
        ]
      : []
  )
  const sectors = Sector.literals.map((sector) => {
    const of = collectors.filter(({ covers }) => covers.sector === sector).flatMap(({ rows }) => rows)
    const symbols = new Set(of.filter(isWithin(day, now)).map(({ row }) => row.symbol))
    return { sector, live_24h: symbols.size > 0, series_24h: symbols.size }
  })
  const newest = newestRead(collectors.flatMap(({ rows }) => rows))
  const gauges: Record<string, Gauge> = {}
  const missing: Record<string, NonNullable<ReturnType<typeof whyLeftOut>>> = {}
  for (const { covers, manifest, rows } of collectors) {
    for (const name of covers.gauges ?? []) {
      const recent = rows.filter(isWithin(gaugeWindow, now))
      const gauge = gaugeOf(name, manifest, covers.symbols, recent.filter(counts), rightsOf)
      const why = recent.flatMap((row) => whyLeftOut(row) ?? [])[0]
      if (gauge === undefined && why !== undefined) missing[name] = why
      const before = gauges[name]
      if (gauge !== undefined && (before === undefined || before.as_of < gauge.as_of)) gauges[name] = gauge
    }
  }
  for (const name of Object.keys(gauges)) delete missing[name]
  const response: WorldResponse = {
    generated_utc: isoTime(now),
    measured_utc: newest === undefined ? null : isoTime(newest),
    estate: {
      sectors_live_24h: sectors.filter(({ live_24h }) => live_24h).length,
      rows_ingested_24h: rows24h,
      distinct_series_24h: sectors.reduce((sum, { series_24h }) => sum + series_24h, 0),
      rows_total: total
    },
    sectors,
    source: "This service's collectors, one per domain; every gauge and part names its upstream.",
    definitions: {
      sector:
        "A sector is one domain of the physical world, such as ships, aircraft, power grids or earthquakes.",
      series: "A series is a distinct (sector, symbol) pair.",
      gauge:
        "A gauge is the latest row successfully read within the last 6 hours; as_of is the time of the value. A gauge without such a row is absent, never 0."
    },
    gauges,
    ...(Object.keys(missing).length === 0 ? {} : { missing_gauges: missing }),
    next_steps: `Rows: ${options.baseUrl}/v1/network/{symbol}. Daily series: ${options.baseUrl}/v1/history?network={symbol}. Feeds and metrics: ${options.baseUrl}/v1/data-dictionary.`,
    not_investment_advice: "Informational measurements, not investment advice.",
    terms_url: `${options.baseUrl}/terms`
  }
  return response
})

const rowsFrom = (
  plugin: string,
  symbols: ReadonlyArray<string>,
  bySymbol: ReadonlyMap<string, ReadonlyArray<CurrentRow>>
): ReadonlyArray<CurrentRow> =>
  symbols.flatMap((symbol) => bySymbol.get(symbol)?.filter((row) => row.plugin === plugin) ?? [])

const isWithin =
  (window: number, now: number) =>
  ({ confirmedAt }: CurrentRow): boolean =>
    now - confirmedAt < window

/**
 * A sector's collector gives the gauge as a row of the metric under its first symbol, and the parts as rows of the same
 * metric under its others. `rows` are those of the window.
 */
const gaugeOf = (
  name: string,
  { metrics, source: whole }: Manifest,
  [main, ...others]: ReadonlyArray<string>,
  rows: ReadonlyArray<CurrentRow>,
  rightsOf: RightsBySource
): Gauge | undefined => {
  const newest = (symbol: string | undefined, metric: string) =>
    rows
      .filter(({ row }) => row.symbol === symbol && row.metric === metric)
      .reduce<CurrentRow | undefined>(
        (best, row) => (best === undefined || row.asOf > best.asOf ? row : best),
        undefined
      )
  const latest = newest(main, name)
  const method = metrics[name]?.meaning
  if (latest === undefined || method === undefined) return undefined
  const parts = others.flatMap((symbol) => newest(symbol, name) ?? [])
  const there = new Set(parts.map(({ row }) => row.symbol))
  const missing = others.filter((symbol) => !there.has(symbol))
  const isPartial = isPartOfUnion(whole, latest.row.source) && missing.length > 0
  const networks = [...new Set(parts.map(({ row }) => row.source))].filter(
    (source) => source !== latest.row.source
  )
  const first = newest(main, firstDayOf[name] ?? "")
  return {
    value: latest.row.value,
    as_of: latest.row.as_of,
    unit: latest.row.unit,
    symbol: latest.row.symbol,
    source: latest.row.source,
    verify_url: latest.row.verify_url,
    method,
    ...(first === undefined ? {} : { first_day: dashed(first.row.value) }),
    ...(networks.length === 0 ? {} : { receiver_networks: networks }),
    ...(parts.length === 0
      ? {}
      : {
          parts: Object.fromEntries(parts.map((part) => [part.row.symbol, partOf(part, method, rightsOf)]))
        }),
    ...(isPartial ? { missing_parts: missing } : {}),
    ...(latest.simulated ? { simulated: true as const } : {}),
    ...rightsOf(latest.row.source)
  }
}

const partOf = ({ row, simulated }: CurrentRow, method: string, rightsOf: RightsBySource): GaugePart => ({
  value: row.value,
  as_of: row.as_of,
  source: row.source,
  verify_url: row.verify_url,
  method,
  ...(simulated ? { simulated } : {}),
  ...rightsOf(row.source)
})

/** The metric holding the first day of a gauge's count, as the number YYYYMMDD. */
const firstDayOf: Readonly<Record<string, string>> = {
  gps_interference_days: "gps_interference_first_day"
}

const dashed = (yyyymmdd: number): string => String(yyyymmdd).replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3")
