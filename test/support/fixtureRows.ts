/** The rows of some plugins' `ok` cases as the service holds them: what the golden tests of products are made from. */
import { join } from "node:path"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { EncoderKeys } from "../../core/credits/EncoderKeys.ts"
import { Sources } from "../../core/log/Sources.ts"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import { parseTime } from "../../core/plugin/Value.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current, type LatestRow } from "../../core/readings/read/Current.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { secret } from "./credits.ts"
import { postgres } from "./database.ts"
import { plugins } from "./plugins.ts"
import { setSnapshot } from "./views.ts"

/** Later than every reading of the fixtures, by less than a week. */
export const fixtureNow = Date.UTC(2026, 8, 5, 12)

/** A plugin that is added later changes no kept payload. */
const used = new Set([
  "akash",
  "bittensor",
  "blockscout",
  "coingecko",
  "defillama",
  "filecoin",
  "flux",
  "github",
  "internet-computer",
  "nosana",
  "ohlcv-daily",
  "ohlcv-hourly",
  "storj",
  "swarm",
  "threefold",
  "threefold-gpus",
  "weatherxm"
])

const usedPlugins = plugins.filter(({ manifest }) => used.has(manifest.id))

/** One row for each series of these plugins: of several times in one fixture the newest. */
export const rowsOfFixtures = Effect.fn("rowsOfFixtures")(function* (
  plugins: ReadonlyArray<{ readonly manifest: Manifest }>
) {
  const rows = new Map<string, LatestRow>()
  for (const { manifest } of plugins) {
    const expected = yield* Fixtures.expected(join(Fixtures.root, manifest.id, "ok"))
    for (const row of "observations" in expected ? expected.observations : []) {
      const as_of = new Date(parseTime(row.as_of) ?? 0)
      const key = `${row.symbol}|${row.metric}|${row.source}`
      const before = rows.get(key)
      if (before !== undefined && before.as_of > as_of) continue
      rows.set(key, {
        series: before?.series ?? rows.size + 1,
        symbol: row.symbol,
        metric: row.metric,
        source: row.source,
        plugin: manifest.id,
        tier: manifest.tier,
        unit: row.unit,
        value: row.value,
        value_text: row.value_text ?? null,
        verify_url: row.verify_url,
        as_of,
        confirmed_at: as_of,
        simulated: false
      })
    }
  }
  return [...rows.values()]
})

export const fixtureRows: ReadonlyArray<LatestRow> = await Effect.runPromise(rowsOfFixtures(usedPlugins))

/** Every bar of the fixtures in the tables of readings. */
export const storeBars = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* partitions.ensure(fixtureNow)
  const recorded_at = new Date(fixtureNow)
  for (const plugin of ["ohlcv-hourly", "ohlcv-daily"]) {
    const expected = yield* Fixtures.expected(join(Fixtures.root, plugin, "ok"))
    // Readings from before the epoch are not kept.
    const rows = ("observations" in expected ? expected.observations : []).filter(
      ({ as_of }) => Date.parse(as_of) >= partitions.epoch
    )
    for (const of of Map.groupBy(
      rows,
      ({ metric, source, symbol }) => `${symbol}|${metric}|${source}`
    ).values()) {
      const [first] = of
      if (first === undefined) continue
      const { metric, source, symbol, unit, verify_url } = first
      const [inserted] = yield* sql<{ id: number }>`
        insert into series ${sql.insert({ symbol, metric, source, plugin, tier: "market", unit })} returning id`
      const series = inserted?.id ?? 0
      yield* sql`
        insert into observation (series, as_of, version, value, recorded_at, run)
        select ${series}::int, as_of, 1, value, ${recorded_at}, 'r'
        from jsonb_to_recordset(${JSON.stringify(of)}::jsonb) as x(as_of timestamptz, value float8)`
      const newest = of.reduce((a, b) => (a.as_of > b.as_of ? a : b))
      yield* sql`insert into latest ${sql.insert({
        series,
        as_of: new Date(newest.as_of),
        value: newest.value,
        verify_url,
        recorded_at,
        confirmed_at: recorded_at,
        run: "r",
        simulated: false
      })}`
    }
  }
})

/** The feeds of these plugins. */
export const fixtureFeeds = Layer.succeed(
  Feeds,
  Feeds.of({ manifests: usedPlugins.map(({ manifest }) => manifest), states: Effect.succeed(new Map()) })
)

export const fixtureServices = Layer.merge(Current.layer, EncoderKeys.layer).pipe(
  Layer.provide(secret),
  Layer.provideMerge(Sources.layer.pipe(Layer.provideMerge(Blobs.layerTable))),
  Layer.provideMerge(fixtureFeeds),
  Layer.provideMerge(postgres),
  Layer.orDie
)

/** Makes the fixtures' rows the snapshot, without the metrics named. */
export const setFixtureSnapshot = (...without: ReadonlyArray<string>) =>
  setSnapshot(...fixtureRows.filter(({ metric }) => !without.includes(metric)))
