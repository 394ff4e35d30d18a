/** Latest rows and feeds for tests of the read side. */
import { Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { sha256 } from "../../core/log/leaves.ts"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { utf8 } from "../../core/proof/bytes.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { leafTag } from "../../core/proof/leaf.ts"
import { leafHash } from "../../core/proof/merkle.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { keyless } from "../../core/readings/read/Access.ts"
import { Current, type LatestRow } from "../../core/readings/read/Current.ts"
import { RecentDays } from "../../core/readings/read/RecentDays.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import type { FeedState } from "../../core/wire/data/feedState.ts"
import { postgres } from "./database.ts"

export const hour = 3_600_000
export const day = 24 * hour
/** 2026-09-05T12:00:00Z */
export const noon = Date.UTC(2026, 8, 5, 12)

export const sampled = keyless
export const everything = { breadth: "all", historyDays: null, note: "all of it" } as const

const base: Manifest = {
  id: "telemetry",
  title: "Telemetry for tests",
  covers: { networks: ["FIL", "STORJ", "AKT", "SN1"] },
  tier: "supply_telemetry",
  source: "feed_a",
  hosts: ["stats.example.net"],
  every: "15 minutes",
  grade: "K",
  owner: "tests",
  metrics: {
    nodes_online: { unit: "count", min: 0, meaning: "Nodes that answer." },
    TOTAL_NODES: { unit: "count", meaning: "All nodes." },
    "nodes_country_*": { unit: "count", min: 0, meaning: "Nodes, by country.", of: ["DE", "FR"] }
  }
}

export const manifests: ReadonlyArray<Manifest> = [
  base,
  {
    ...base,
    id: "market",
    title: "Market for tests",
    covers: { catalog: "coingecko_id" },
    tier: "market",
    source: "feed_m",
    every: "3 hours",
    metrics: {
      price_usd: { unit: "usd", meaning: "Price." },
      fees_24h_usd: { unit: "usd", meaning: "Fees." }
    }
  },
  {
    ...base,
    id: "ships",
    title: "Ships for tests",
    covers: {
      sector: "MARITIME_AIS",
      symbols: ["SHIPS", "BALTIC", "NORWAY"],
      gauges: ["ais_vessels_tracked"]
    },
    tier: "physical",
    source: "ship_union",
    every: "10 minutes",
    metrics: { ais_vessels_tracked: { unit: "vessels", meaning: "Ships heard." } }
  },
  {
    ...base,
    id: "jamming",
    title: "Jamming for tests",
    covers: { sector: "GPS_INTERFERENCE", symbols: ["JAM"], gauges: ["gps_interference_days"] },
    tier: "physical",
    source: "jam_map",
    every: "5 hours",
    disabled: "a reason",
    metrics: {
      gps_interference_days: { unit: "days", meaning: "Days with a map." },
      gps_interference_first_day: { unit: "date", meaning: "First of them." }
    }
  }
]

export const feeds = (states: ReadonlyMap<string, FeedState> = new Map()): Layer.Layer<Feeds> =>
  Layer.succeed(Feeds, Feeds.of({ manifests, states: Effect.succeed(states) }))

/** `Current` and `Feeds` on a database. */
export const servicesOn = (database: typeof postgres) =>
  Current.layer.pipe(Layer.provideMerge(feeds()), Layer.provideMerge(database), Layer.orDie)

/** The same on a clone of the file's own. */
export const services = servicesOn(postgres)

const ids = new Map<string, number>()

/** A latest row: telemetry of FIL, true and read at noon, but for what `over` says. */
export const latest = (over: Partial<LatestRow> = {}): LatestRow => {
  const row: LatestRow = {
    series: 0,
    symbol: "FIL",
    metric: "nodes_online",
    source: "feed_a",
    plugin: "telemetry",
    tier: "supply_telemetry",
    unit: "count",
    value: 7,
    value_text: null,
    verify_url: "https://stats.example.net/v1/nodes",
    as_of: new Date(noon),
    confirmed_at: over.as_of ?? new Date(noon),
    simulated: false,
    ...over
  }
  const key = `${row.symbol}|${row.metric}|${row.source}`
  const series = ids.get(key) ?? ids.size + 1
  ids.set(key, series)
  return { ...row, series }
}

/** Makes these rows the whole snapshot. */
export const setSnapshot = (...rows: ReadonlyArray<LatestRow>) =>
  Effect.gen(function* () {
    const current = yield* Current
    const before = (yield* current.snapshot).rows.map(({ series }) => series)
    const now = new Set(rows.map(({ series }) => series))
    yield* current.apply(
      rows,
      before.filter((series) => !now.has(series))
    )
    yield* clearRecentDays
  })

/** What follows reads `daily` and `series` again, which the test has written itself. */
export const clearRecentDays = Effect.flatMap(RecentDays, (recent) => recent.forget)

/** Rows of `series`, and of `daily` by day: a value, or what differs from one accepted reading. */
export const storeSeries = Effect.fnUntraced(function* (over: Partial<LatestRow> = {}) {
  const sql = yield* SqlClient.SqlClient
  const { metric, plugin, source, symbol, tier, unit } = latest(over)
  const [inserted] = yield* sql<{ id: number }>`
    insert into series ${sql.insert({ symbol, metric, source, plugin, tier, unit })}
    on conflict (symbol, metric, source) do update set plugin = excluded.plugin returning id`
  yield* clearRecentDays
  return inserted?.id ?? 0
})

export interface Daily {
  readonly date: string
  readonly value: number
  readonly value_text?: string
  readonly incident?: number
  readonly version?: number
  readonly n?: number
  readonly recorded?: string
  /** Default: 10:00 of the day. */
  readonly as_of?: string
  readonly simulated?: boolean
}

export const storeDaily = Effect.fnUntraced(function* (series: number, days: ReadonlyArray<Daily>) {
  const sql = yield* SqlClient.SqlClient
  for (const it of days) {
    yield* sql`
      insert into daily (series, day, incident, version, as_of, value, value_text, n_observations, verify_url,
        recorded_at, simulated)
      values (${series}, ${it.date}::date, ${it.incident ?? 0}, ${it.version ?? 1},
        ${new Date(it.as_of ?? `${it.date}T10:00:00Z`)}, ${it.value}, ${it.value_text ?? null}, ${it.n ?? 1},
        'https://stats.example.net/v1/nodes', ${new Date(it.recorded ?? `${it.date}T10:01:00Z`)},
        ${it.simulated ?? false})`
  }
  yield* storeReadings
  yield* clearRecentDays
})

/** Makes the newest reading of each accepted day: a row without one is not served. */
export const storeReadings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* partitions.ensure(noon + 60 * day)
  yield* sql`
    insert into observation (series, as_of, version, value, value_text, recorded_at, run)
    select series, as_of, version, value, value_text, recorded_at, 'run' from daily
    where incident = 0 and n_observations > 0 and sealed_by is null and day >= '2026-08-06'
    on conflict (series, as_of, version) do update set value = excluded.value, value_text = excluded.value_text`
})

const sealedRows = rowsOf({
  series: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  unit: Schema.String,
  day: Schema.String,
  incident: Schema.Int,
  version: Schema.Int,
  as_of: Schema.Date,
  value: Schema.Finite,
  value_text: Schema.NullOr(Schema.String),
  n_observations: Schema.Int,
  verify_url: Schema.String,
  recorded_at: Schema.Date
})

/** Seals all open rows up to a day into a batch, each with its leaf: a sealed row without one is not served. */
export const sealRows = Effect.fnUntraced(function* (batch: number, upTo = "2999-01-01") {
  const sql = yield* SqlClient.SqlClient
  const hash = "0".repeat(64)
  const rows = yield* sql`
    with sealed as (
      update daily set sealed_by = ${batch}, readings_sha256 = ${hash}
      where sealed_by is null and day <= ${upTo}::date returning *
    )
    select d.*, d.day::text as day, s.symbol, s.metric, s.source, s.unit
    from sealed d join series s on s.id = d.series`.pipe(sealedRows)
  for (const { day, incident, series, version, ...row } of rows) {
    const text = canonical({
      v: leafTag,
      kind: version === 1 ? "reading" : "late",
      symbol: row.symbol,
      metric: row.metric,
      source: row.source,
      unit: row.unit,
      day,
      as_of: isoTime(row.as_of.getTime()),
      value: row.value,
      ...(row.value_text === null ? {} : { value_text: row.value_text }),
      n_observations: row.n_observations,
      readings_sha256: hash,
      verify_url: row.verify_url,
      version,
      ...(version === 1 ? {} : { follows: hash }),
      ...(incident === 0 ? {} : { excluded_by: incident }),
      recorded_at: isoTime(row.recorded_at.getTime())
    })
    yield* sql`insert into leaf ${sql.insert({
      batch,
      series,
      day,
      incident,
      version,
      text,
      hash: leafHash(utf8(text), sha256)
    })}`
  }
})
