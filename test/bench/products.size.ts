/**
 * One size of the products' benchmark: fills an embedded database for every network of the catalog that it finds, and
 * prints the median milliseconds of each product as JSON, by the clock and of the processor. Started by `products.ts`.
 */
import { Effect, Layer, Logger, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { networks } from "../../core/catalog/Catalog.ts"
import * as DataClock from "../../core/clock/DataClock.ts"
import { EncoderKeys } from "../../core/credits/EncoderKeys.ts"
import { Secret } from "../../core/credits/Secret.ts"
import { Sources } from "../../core/log/Sources.ts"
import { symbols as assets } from "../../core/plugin/shapes/candles.ts"
import { products } from "../../core/products/builds.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { migrate } from "../../runtime/database/migrate.ts"
import * as Pglite from "../../runtime/database/Pglite.ts"
import type { Timing } from "./products.ts"
import { median } from "./row.ts"

const [size = "400", dataDir = ""] = process.argv.slice(2)
const length = 86_400_000
const days = 90
const now = partitions.epoch + (days + 9.5) * length
const symbols = networks.slice(0, Number(size)).map(({ symbol }) => symbol)

/** Not of the networks: a run of one plugin, and a page of the signals. */
const apart = new Set<string>(["derivation_replay", "signal_ledger", "dag_manifold_30d"])

const daily = [
  ["coingecko", "market", "price_usd"],
  ["coingecko", "market", "market_cap_usd"],
  ["coingecko", "market", "volume_24h_usd"],
  ["defillama", "fees_tvl", "fees_24h_usd"],
  ["defillama", "fees_tvl", "tvl_usd"],
  ["blockscout", "holders", "holders_count"],
  ["bench", "supply_telemetry", "TOTAL_NODES"],
  ["bench", "supply_telemetry", "nodes_online"]
] as const
const others = [
  ...["fully_diluted_valuation_usd", "market_cap_rank", "circulating_supply", "total_supply", "max_supply"],
  ...["1h", "24h", "7d", "14d", "30d", "200d", "1y"].map((window) => `price_change_${window}_pct`)
].map((metric) => ["coingecko", "market", metric] as const)
const more = [
  ...others,
  ...["fees_7d_usd", "fees_30d_usd", "staking_tvl_usd"].map(
    (metric) => ["defillama", "fees_tvl", metric] as const
  ),
  ...["stars", "forks", "open_issues", "days_since_push", "archived", "repositories"].map(
    (name) => ["github", "developer", `dev_${name}`] as const
  )
]

const seriesOf = Effect.fnUntraced(function* (
  metrics: ReadonlyArray<readonly [string, string, string]>,
  of: ReadonlyArray<string>
) {
  const sql = yield* SqlClient.SqlClient
  for (const [plugin, tier, metric] of metrics) {
    yield* sql`
      insert into series (symbol, metric, source, plugin, tier, unit)
      select s, ${metric}, ${`${plugin}_bench`}, ${plugin}, ${tier}, 'count'
      from json_array_elements_text(${JSON.stringify(of)}::json) s`
  }
})

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* migrate
  yield* partitions.ensure(now)
  const every = (n: number, from: number) => symbols.filter((_, index) => index % n === from)
  const supply = (names: ReadonlyArray<string>) =>
    names.map((name) => ["bench", "supply_telemetry", name] as const)
  yield* seriesOf([...daily, ...more], symbols)
  const countries = ["DE", "US", "FR", "NL", "FI", "GB", "CH", "CA", "SG", "JP", "BR", "IN", "PL", "IT", "ES"]
  yield* seriesOf(supply(countries.map((code) => `nodes_country_${code}`)), every(10, 0))
  const models = ["a100", "h100", "h200", "l40s", "rtx3090", "rtx4090", "rtx5090", "t4"]
  const counts = models.flatMap((model) => [`gpu_allocatable_${model}`, `gpu_allocated_${model}`])
  yield* seriesOf(supply([...counts, "registered_gpu_count", "gpu_in_use", "gpu_available"]), every(10, 5))
  const at = new Date(now - 3_600_000)
  const read = { verify_url: "https://upstream.example/api/v1/nodes", recorded_at: at, simulated: false }
  yield* sql`
    insert into latest (series, as_of, value, verify_url, recorded_at, confirmed_at, run, simulated)
    select id, ${at}, 10 + id % 97, ${read.verify_url}, ${at}, ${at}, 'r', false from series`
  yield* sql`
    insert into batch (day, cut_off, claimed_by, claimed_until, closed_at)
    values (${at}::date - 1, ${at}, 'bench', ${at}, ${at})`
  for (const [, , metric] of daily) {
    yield* sql`
      insert into daily (series, day, incident, version, as_of, value, n_observations, verify_url, recorded_at,
        simulated, sealed_by)
      select s.id, d::date, 0, 1, d, s.id % 97 + 5 + sin(s.id + extract(epoch from d) / 86400), 24,
        ${read.verify_url}, d, false, case when d::date < ${at}::date then 1 end
      from series s, generate_series(${new Date(now - days * length)}::timestamptz, ${at}::timestamptz,
        interval '1 day') d
      where s.metric = ${metric}`
  }
  for (const [interval, count, step] of [
    ["1h", 100, length / 24],
    ["1d", days, length]
  ] as const) {
    const parts = ["open", "high", "low", "close", "volume"].map(
      (part) => ["ohlcv", "market", `ohlcv_${interval}_${part}`] as const
    )
    yield* seriesOf(parts, assets)
    const end = Math.floor(now / step) * step - 1
    yield* sql`
      insert into observation (series, as_of, version, value, recorded_at, run)
      select s.id, t, 1, 100 + sin(s.id * extract(epoch from t) / ${step / 1000}::float8), t, 'r'
      from series s, generate_series(${new Date(end - (count - 1) * step)}::timestamptz, ${new Date(end)}::timestamptz,
        make_interval(secs => ${step / 1000}::float8)) t
      where s.plugin = 'ohlcv' and s.metric like ${`ohlcv_${interval}_%`}`
    yield* sql`
      insert into latest (series, as_of, value, verify_url, recorded_at, confirmed_at, run, simulated)
      select id, ${new Date(end)}, 100, ${read.verify_url}, ${at}, ${at}, 'r', false
      from series where plugin = 'ohlcv' and metric like ${`ohlcv_${interval}_%`}`
  }
  yield* sql.unsafe("vacuum analyze series, latest, daily, observation")
})

const services = Effect.gen(function* () {
  const manifests = (yield* Plugins.all()).map(({ manifest }) => manifest)
  const feeds = Layer.succeed(Feeds, Feeds.of({ manifests, states: Effect.succeed(new Map()) }))
  return Layer.merge(Current.layer, EncoderKeys.layer).pipe(
    Layer.provide(Secret.layer(Redacted.make(new Uint8Array(32).fill(7)))),
    Layer.provideMerge(Sources.layer.pipe(Layer.provideMerge(Blobs.layerTable))),
    Layer.provideMerge(feeds)
  )
})

const work = Effect.gen(function* () {
  yield* fill
  const timings: Record<string, Timing> = {}
  yield* Effect.gen(function* () {
    for (const { build, key } of yield* products) {
      if (apart.has(key)) continue
      const times: Array<readonly [wall: number, cpu: number]> = []
      for (let n = 0; n < 9; n++) {
        const [start, used] = [performance.now(), process.cpuUsage()]
        yield* build({ id: `pur_${n}`, inputs: {} })
        const { system, user } = process.cpuUsage(used)
        times.push([performance.now() - start, (system + user) / 1000])
      }
      // The first ones are those of cold code.
      const warm = times.slice(2)
      const [[first] = [Number.NaN]] = times
      timings[key] = {
        first,
        wall: median(warm.map(([wall]) => wall)),
        cpu: median(warm.map(([, cpu]) => cpu))
      }
    }
  }).pipe(Effect.provide(yield* services))
  return timings
}).pipe(
  Effect.provideService(DataClock.offset, now - Date.now()),
  Effect.provide(Pglite.layer({ dataDir })),
  Effect.scoped
)

console.log(JSON.stringify(await Effect.runPromise(Effect.provide(work, Logger.layer([])))))
process.exit()
