/**
 * The recent days in memory: 31 days of 7,000 series, as they are loaded from the embedded engine. Every tenth value has an
 * exact text, and every twentieth series has another address each day. Prints the memory they hold, the time that the load
 * takes, and a network's 30 days from memory beside the same by SQL. Alone: `npx node test/bench/recentDays.ts`.
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect, Logger } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../core/clock/DataClock.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { daysBetween, lastDays } from "../../core/readings/read/days.ts"
import { RecentDays, recentDays } from "../../core/readings/read/RecentDays.ts"
import { migrate } from "../../runtime/database/migrate.ts"
import * as Pglite from "../../runtime/database/Pglite.ts"
import { median, type Row, rounded, within } from "./row.ts"

const series = 7000
const perSymbol = 10
const day = 86_400_000
const today = Date.UTC(2026, 9, 20)

setFlagsFromString("--expose-gc")
const collect: unknown = runInNewContext("gc")

/** Bytes that this thread holds. */
const usedBytes = (): number => {
  if (typeof collect === "function") for (let n = 0; n < 3; n++) collect()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* migrate
  yield* sql.unsafe(`
    insert into series (symbol, metric, source, plugin, tier, unit)
    select 'SYMBOL' || (n / ${perSymbol}), 'metric_' || (n % ${perSymbol}), 'bench', 'bench', 'supply_telemetry', 'count'
    from generate_series(0, ${series - 1}) n`)
  yield* sql.unsafe(`
    insert into daily (series, day, incident, version, as_of, value, value_text, n_observations, verify_url, recorded_at,
      simulated)
    select s.id, d::date, 0, 1, d + interval '12 hours', s.id + 0.5,
      case when s.id % 10 = 3 then (s.id + 0.5)::text || '00' end, 24,
      'https://upstream.example/api/v1/networks/' || s.symbol || '/metrics/' || s.metric
        || case when s.id % 20 = 0 then '?day=' || d::date else '' end, d + interval '12 hours', false
    from series s, generate_series(timestamptz '${new Date(today - (recentDays - 1) * day).toISOString()}',
      timestamptz '${new Date(today).toISOString()}', interval '1 day') d`)
  // A day that no reading gave is set aside, and takes more memory than one that is served.
  yield* partitions.ensure(today)
  yield* sql.unsafe(`
    insert into observation (series, as_of, version, value, value_text, recorded_at, run)
    select series, as_of, 1, value, value_text, recorded_at, 'bench' from daily`)
})

const timed = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const start = performance.now()
    yield* work
    return performance.now() - start
  })

const work = Effect.gen(function* () {
  yield* fill
  return yield* Effect.gen(function* () {
    const recent = yield* RecentDays
    yield* recent.memory
    yield* recent.forget
    const before = usedBytes()
    const load = yield* timed(recent.memory)
    const bytes = usedBytes() - before
    const memory = yield* recent.memory
    const window = lastDays(today, 30)
    const [memoryMs, peer]: [Array<number>, Array<number>] = [[], []]
    for (let n = 0; n < series / perSymbol; n += 5) {
      const ids = memory.of(`SYMBOL${n}`).map(({ id }) => id)
      if (memory.between(ids, window)?.length !== ids.length * 30)
        return yield* Effect.die("days are missing")
      memoryMs.push(yield* timed(Effect.sync(() => memory.between(ids, window))))
      peer.push(yield* timed(daysBetween(ids, window, 10_000)))
    }
    const rows: ReadonlyArray<Row> = [
      within("memory of 31 days of 7,000 series", "MiB", bytes / 2 ** 20, ["<=", 10]),
      within("loading them from the embedded engine", "ms", load, ["<=", 5000]),
      {
        what: "30 days of a network of ten series, from memory beside SQL",
        value: rounded(median(memoryMs)),
        unit: "ms",
        peer: rounded(median(peer)),
        ratio: rounded(median(memoryMs) / median(peer)),
        aim: "<= 0.1 of SQL",
        met: median(memoryMs) <= 0.1 * median(peer)
      }
    ]
    return rows
  }).pipe(
    Effect.provide(Current.layer),
    Effect.provideService(DataClock.offset, today + day / 2 - Date.now())
  )
}).pipe(Effect.provide(Pglite.layer({})))

export const run = (): Promise<ReadonlyArray<Row>> =>
  Effect.runPromise(Effect.provide(Effect.orDie(work), Logger.layer([])))

if (import.meta.main) {
  console.table(await run())
  process.exit()
}
