/**
 * The history query on Postgres with 100 thousand and with 10 million daily rows: ten metrics of a network
 * over 25 days, a network after the other, interleaved. Alone: `npx node test/bench/history.ts`.
 */
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { networks } from "../../core/catalog/Catalog.ts"
import * as DataClock from "../../core/clock/DataClock.ts"
import { epoch } from "../../core/readings/ingest/partitions.ts"
import { keyless } from "../../core/readings/read/Access.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { history } from "../../core/readings/read/history.ts"
import { migrate } from "../../runtime/database/migrate.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import * as Runs from "../support/runs.ts"
import * as Server from "./postgres.ts"
import { median, type Row, rounded } from "./row.ts"

const symbols = networks.slice(0, 400).map(({ symbol }) => symbol)
const metrics = 10
const sizes = [100_000, 10_000_000] as const
const length = 86_400_000

/** Days that give so many rows, the last of them now. */
const daysOf = (rows: number): number => Math.round(rows / (symbols.length * metrics))

/** Rows day by day, as they come in a service's life. */
const fill = Effect.fnUntraced(function* (days: number) {
  const sql = yield* SqlClient.SqlClient
  yield* migrate
  yield* sql.unsafe("alter table daily drop constraint daily_pkey")
  yield* sql`
    insert into series (symbol, metric, source, plugin, tier, unit)
    select s, 'metric_' || m, 'bench', 'bench', 'supply_telemetry', 'count'
    from unnest(${symbols}::text[]) s, generate_series(1, ${metrics}::int) m`
  yield* sql.unsafe(`
    insert into daily (series, day, incident, version, as_of, value, n_observations, verify_url, recorded_at, simulated,
      sealed_by)
    select s.id, date '2026-08-06' + d, 0, 1, timestamptz '2026-08-06T12:00:00Z' + d * interval '1 day', s.id + d, 24,
      'https://upstream.example/api/v1/providers', timestamptz '2026-08-06T12:00:00Z' + d * interval '1 day', false, 1
    from generate_series(0, ${days - 1}) d, series s order by d, s.id`)
  yield* sql.unsafe("alter table daily add primary key (series, day, incident, version)")
  yield* sql.unsafe("vacuum analyze daily, series")
})

const work = Effect.gen(function* () {
  const server = yield* Effect.acquireRelease(Effect.promise(Server.start), (running) =>
    Effect.promise(running.stop)
  )
  const databases: Array<(symbol: string) => Effect.Effect<number>> = []
  for (const size of sizes) {
    const days = daysOf(size)
    yield* Effect.promise(() => server.createDatabase(`history_${size}`))
    const url = Redacted.make(`${server.url}/history_${size}`)
    const database = yield* Layer.build(Layer.fresh(Postgres.layer(url)))
    yield* Effect.provideContext(fill(days), database)
    const current = yield* Effect.provideContext(Layer.build(Layer.fresh(Current.layer)), database)
    const services = Context.merge(database, current)
    const offset = epoch + (days - 0.5) * length - Date.now()
    databases.push((symbol) =>
      Effect.gen(function* () {
        const start = performance.now()
        const { data } = yield* history({ access: keyless, network: symbol, days: 24 })
        const took = performance.now() - start
        const points = Object.values(data[symbol] ?? {}).reduce((sum, { n_points }) => sum + n_points, 0)
        return points === metrics * 25 ? took : yield* Effect.die(`${points} points of ${symbol}`)
      }).pipe(
        Effect.provideService(DataClock.offset, offset),
        Effect.provideContext(services),
        Effect.provide(Runs.feeds),
        Effect.orDie
      )
    )
  }
  const took = sizes.map((): Array<number> => [])
  for (let pass = 0; pass < 2; pass++) {
    for (const symbol of symbols) {
      for (const [at, ask] of databases.entries()) took[at]?.push(yield* ask(symbol))
    }
  }
  const [small, large] = took.map((times) => median(times.slice(symbols.length)))
  const row: Row = {
    what: "history of a network, median with 10 million daily rows beside 100 thousand",
    value: rounded(large ?? Number.NaN),
    unit: "ms",
    peer: rounded(small ?? Number.NaN),
    ratio: rounded((large ?? Number.NaN) / (small ?? Number.NaN)),
    aim: "<= 1.3 of it",
    met: (large ?? Number.NaN) <= 1.3 * (small ?? Number.NaN)
  }
  return [row]
}).pipe(Effect.scoped)

export const run = (): Promise<ReadonlyArray<Row>> =>
  Effect.runPromise(Effect.provide(work, Logger.layer([])))

if (import.meta.main) console.table(await run())
