/**
 * Ten years of 400 networks with 10 metrics each, 14.6 million days: one metric of all networks and one network's page,
 * from the archive beside plain SQL, and the sizes of the files. Takes minutes and 5 GB of disk, so it runs only when it
 * is named: `npm run bench -- years`. The files of the years are written by DuckDB in the layout of ours; one month is also
 * written by ours.
 */
import { rmSync, statSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { Context, Effect, Layer, Logger, Redacted, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { networks } from "../../core/catalog/Catalog.ts"
import * as DataClock from "../../core/clock/DataClock.ts"
import { keyOf } from "../../core/log/archive/ArchiveFiles.ts"
import { FileMaker } from "../../core/log/archive/FileMaker.ts"
import { columns } from "../../core/products/shared/columns.ts"
import { leafBytes, type RowLeaf } from "../../core/proof/leaf.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { keyless } from "../../core/readings/read/Access.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { history } from "../../core/readings/read/history.ts"
import { LongHistory } from "../../core/readings/read/LongHistory.ts"
import * as folder from "../../runtime/archive/folder.ts"
import * as longHistory from "../../runtime/archive/longHistory.ts"
import * as parquetFiles from "../../runtime/archive/parquetFiles.ts"
import { migrate } from "../../runtime/database/migrate.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import * as Runs from "../support/runs.ts"
import { cpuOf, cpuOfChildren } from "./cpu.ts"
import * as Server from "./postgres.ts"
import { median, type Row, rounded } from "./row.ts"

const symbols = networks.slice(0, 400).map(({ symbol }) => symbol)
const metrics = 10
const first = 2027
const years = 10
const length = 86_400_000
const start = Date.UTC(first, 0, 1)
const end = Date.UTC(first + years, 0, 1)
const now = end + 12 * 3_600_000
const ceiling = 512

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* migrate
  yield* partitions.ensure(now)
  yield* sql.unsafe("alter table daily drop constraint daily_pkey")
  yield* sql`
    insert into series (symbol, metric, source, plugin, tier, unit)
    select s, 'metric_' || m, 'bench', 'bench', 'supply_telemetry', 'count'
    from unnest(${symbols}::text[]) s, generate_series(1, ${metrics}::int) m`
  yield* sql`
    insert into batch (day, cut_off, claimed_by, claimed_until, closed_at, log_index, absent)
    select d, d + interval '32 hours', 'bench', now(), d + interval '32 hours', 0, ''
    from generate_series(${new Date(start)}::timestamptz, ${new Date(end - length)}::timestamptz, interval '1 day') d`
  for (let year = first; year < first + years; year++) {
    yield* sql.unsafe(`
      insert into daily (series, day, incident, version, as_of, value, n_observations, verify_url, recorded_at, simulated,
        sealed_by)
      select s.id, d::date, 0, 1, d + interval '12 hours', s.id + extract(doy from d) / 7, 24,
        'https://upstream.example/api/v1/' || s.symbol, d + interval '12 hours', false, b.id
      from batch b cross join lateral (select b.day::timestamp at time zone 'UTC' as d) t, series s
      where extract(year from b.day) = ${year} order by d, s.id`)
  }
  yield* sql.unsafe("alter table daily add primary key (series, day, incident, version)")
  yield* sql.unsafe("vacuum analyze daily, series, batch")
})

/** The years as files, from the rows in the database's order of values. */
const write = Effect.fnUntraced(function* (place: string, groupRows: number) {
  const sql = yield* SqlClient.SqlClient
  const instance = yield* Effect.promise(() =>
    DuckDBInstance.create(":memory:", { memory_limit: "1GB", threads: "2" })
  )
  const duckdb = yield* Effect.promise(() => instance.connect())
  const run = (text: string) => Effect.promise(() => duckdb.run(text))
  const ids = yield* sql<{
    id: number
    symbol: string
    metric: string
  }>`select id, symbol, metric from series`
  yield* run("create table series (id integer, symbol varchar, metric varchar)")
  yield* run(
    `insert into series values ${ids.map(({ id, metric, symbol }) => `(${id}, '${symbol}', '${metric}')`).join()}`
  )
  let bytes = 0
  for (let year = first; year < first + years; year++) {
    const [name, sha256] = [`yearly/${year}.parquet`, String(year).repeat(16)]
    const path = join(place, keyOf(name, sha256))
    yield* Effect.promise(() => mkdir(dirname(path), { recursive: true }))
    yield* run(`copy (
      select d::date as day, symbol, metric, 'bench' as source, 'count' as unit, id + dayofyear(d) / 7 as value,
        null::varchar as value_text, d + interval 12 hour as as_of, 24::integer as n_observations,
        'https://upstream.example/api/v1/' || symbol as verify_url, 'reading' as kind, 1::integer as version,
        null::integer as excluded_by, d + interval 12 hour as recorded_at, false as simulated
      from series, range(timestamp '${year}-01-01', timestamp '${year + 1}-01-01', interval 1 day) t(d)
      order by metric, symbol, source, day
    ) to '${path}' (format parquet, compression snappy, row_group_size ${groupRows})`)
    const size = statSync(path).size
    bytes += size
    yield* sql`insert into archive_file (name, period, first_day, last_day, last_batch, rows, bytes, sha256, log_index, recorded_at)
      select ${name}, 'year', min(day), max(day), max(id), 0, ${size}, ${sha256}, 0, now() from batch
      where extract(year from day) = ${year}`
  }
  instance.closeSync()
  return bytes
})

/** A month of the same series by our own writer: bytes and milliseconds for a row. */
const writeOwnMonth = Effect.fnUntraced(function* (place: string) {
  const hash = new Uint8Array(32)
  const leaf = (metric: number, symbol: string, at: number): RowLeaf => ({
    v: "service-leaf-v2",
    kind: "reading",
    symbol,
    metric: `metric_${metric}`,
    source: "bench",
    unit: "count",
    day: new Date(at).toISOString().slice(0, 10),
    as_of: new Date(at + length / 2).toISOString().replace(".000Z", "Z"),
    value: metric + at / length / 7,
    n_observations: 24,
    readings_sha256: "0".repeat(64),
    verify_url: `https://upstream.example/api/v1/${symbol}`,
    version: 1,
    recorded_at: new Date(at + length / 2).toISOString().replace(".000Z", "Z")
  })
  const sorted = symbols.toSorted()
  const pages = Stream.fromIterable(Array.from({ length: metrics }, (_, n) => n + 1)).pipe(
    Stream.map((metric) =>
      sorted.flatMap((symbol) =>
        Array.from({ length: 31 }, (_, n) => ({
          text: Buffer.from(leafBytes(leaf(metric, symbol, start + n * length))).toString(),
          hash
        }))
      )
    )
  )
  const from = performance.now()
  const { make } = Context.get(yield* Layer.build(parquetFiles.layer(join(place, "drafts"))), FileMaker)
  const draft = yield* make(
    {
      statement: {
        v: "service-archive-v1",
        period: "month",
        first_day: `${first}-01-01`,
        last_day: `${first}-01-31`,
        sources: []
      },
      pages
    },
    null
  )
  return { ...draft, took: performance.now() - from }
})

/** CPU time of this process and of the one that reads the archive: a busy machine makes less of a difference to it. */
const cpu = () => cpuOf(process.pid) + cpuOfChildren(process.pid, "query.child")

const timed = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const from = performance.now()
    const result = yield* work
    return [performance.now() - from, result] as const
  })

const work = Effect.gen(function* () {
  const server = yield* Effect.acquireRelease(Effect.promise(Server.start), (running) =>
    Effect.promise(running.stop)
  )
  yield* Effect.promise(() => server.createDatabase("years"))
  const database = yield* Layer.build(Postgres.layer(Redacted.make(`${server.url}/years`)))
  const place = join(server.shared, "archive")
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(place, { recursive: true, force: true })))
  const say = (text: string) => Effect.sync(() => console.error(text))
  const [filling] = yield* timed(Effect.provideContext(fill, database))
  yield* say(`filled in ${Math.round(filling / 1000)} s`)
  const [writing, bytes] = yield* timed(Effect.provideContext(write(place, 40_000), database))
  yield* say(`files in ${Math.round(writing / 1000)} s`)
  const own = yield* writeOwnMonth(place)
  const services = Context.merge(
    database,
    yield* Effect.provideContext(
      Layer.build(
        Layer.merge(
          Current.layer,
          longHistory.layer({ ceiling, folder: place }).pipe(Layer.provide(folder.layer(place)))
        )
      ),
      database
    )
  )
  const archive = Context.get(services, LongHistory)
  const runWith = <A, E, R>(ask: Effect.Effect<A, E, R>, reads: typeof archive) =>
    ask.pipe(
      Effect.provideService(LongHistory, reads),
      Effect.provideService(DataClock.offset, now - Date.now()),
      Effect.provideContext(services),
      Effect.provide(Runs.feeds)
    )
  const all = (metric: string, from: number) =>
    Effect.map(columns({ metrics: [metric], from, to: end - length }), (series) =>
      series.reduce((sum, { values }) => sum + values.length, 0)
    )
  const page = (network: string) =>
    Effect.map(
      history({ access: { ...keyless, historyDays: null }, network, metric: "metric_3", days: 3650 }),
      ({ data }) => data[network]?.["metric_3"]?.n_points ?? 0
    )
  const times = Effect.fnUntraced(function* <E, R>(
    of: (n: number) => Effect.Effect<number, E, R>,
    runs: number,
    reads: typeof archive,
    expected: number
  ) {
    const durations: Array<number> = []
    const before = cpu()
    for (let n = 0; n < runs; n++) {
      const [ms, points] = yield* timed(runWith(of(n), reads))
      if (points < expected) return yield* Effect.die(`${points} points, expected ${expected}`)
      durations.push(ms)
    }
    return { took: median(durations), cpu: (cpu() - before) / runs }
  })
  const points = symbols.length * Math.round((end - start) / length)
  // Another window each time, so that nothing is kept from the one before.
  const metric = (n: number) => all(`metric_${(n % metrics) + 1}`, start)
  const network = (n: number) => page(symbols[(n * 7) % symbols.length] ?? "FIL")
  yield* runWith(network(0), archive)
  const [byArchive, bySql] = [
    yield* times(metric, 5, archive, points),
    yield* times((n) => metric(n + 5), 2, undefined, points)
  ]
  const [pageByArchive, pageBySql] = [
    yield* times(network, 15, archive, 3600),
    yield* times((n) => network(n + 20), 15, undefined, 3600)
  ]
  const of = (what: string, value: number, unit: string, limit: number, peer?: number): Row => ({
    what,
    value: rounded(value),
    unit,
    ...(peer === undefined ? {} : { peer: rounded(peer) }),
    ratio: rounded(value / limit),
    aim: `<= ${limit}`
  })
  return [
    of("one metric of 400 networks, ten years: archive beside SQL", byArchive.took, "ms", 1500, bySql.took),
    of("the same by the archive, CPU time", byArchive.cpu, "ms", 1500),
    of("one network's metric, ten years: archive beside SQL", pageByArchive.took, "ms", 100, pageBySql.took),
    of("the same by the archive, CPU time", pageByArchive.cpu, "ms", 100),
    of("ten years as files without hashes of rows", bytes / 2 ** 20, "MiB", 250),
    of(`a month of ${own.rows} rows by our writer`, own.bytes / 1024, "KiB", 4096),
    of(`a month of ${own.rows} rows by our writer`, own.took, "ms", 15_000)
  ] satisfies ReadonlyArray<Row>
}).pipe(Effect.scoped)

export const run = (): Promise<ReadonlyArray<Row>> =>
  Effect.runPromise(Effect.provide(work, Logger.layer([])))

if (import.meta.main) console.table(await run())
