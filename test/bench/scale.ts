/**
 * What a reading, a day, a series and an answer cost in CPU time, bytes and memory: the figures that `runtime/SCALE.md` is
 * computed from. CPU time and not time, because a busy machine makes less of a difference to it. 20,000 series on Postgres,
 * four readings per day, closed and archived; and the mixed load of 4,000 networks. `npm run bench -- scale`.
 */
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Clock, Context, Effect, Layer, Logger, Redacted, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Archive } from "../../core/log/archive/Archive.ts"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { FileMaker } from "../../core/log/archive/FileMaker.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { leafBytes } from "../../core/proof/leaf.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import * as folder from "../../runtime/archive/folder.ts"
import * as parquetFiles from "../../runtime/archive/parquetFiles.ts"
import { migrate } from "../../runtime/database/migrate.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"
import { cpuOf, cpuOfChildren } from "./cpu.ts"
import { startServer } from "./http.peers.ts"
import { askOnce, commonOf, freshOf } from "./mixed.ts"
import * as Server from "./postgres.ts"
import { type Row, rounded } from "./row.ts"
import { runLoad } from "./runLoad.ts"

const networks = 4000
const metrics = ["nodes_online", "price_change_24h_pct", "devices_total", "storage_used", "fees_24h"]
const series = networks * metrics.length
const readings = 4
const days = 2
const length = 86_400_000
const first = Date.UTC(2026, 8, 5)

const symbolOf = (n: number): string => `NET${n}`
const manifest = {
  ...Runs.manifest,
  covers: { networks: Array.from({ length: networks }, (_, n) => symbolOf(n)) },
  metrics: Object.fromEntries(metrics.map((name) => [name, { unit: "count" as const, meaning: "Made up." }]))
}

/** A value that moves a little from one time to the next, as measured ones do. */
const valueAt = (network: number, metric: number, at: number): number =>
  Math.round(
    1000 + network + 50 * Math.sin(network + metric + at / (7 * length)) + ((at / 1000 / (metric + 1)) % 5)
  )

const runAt = (at: number) =>
  Runs.delivery(
    at,
    Array.from({ length: networks }, (_, network) =>
      metrics.map((metric, n) =>
        Runs.row(valueAt(network, n, at), isoTime(at), {
          symbol: symbolOf(network),
          metric,
          verify_url: `https://stats.example.net/v1/networks/${symbolOf(network)}`
        })
      )
    ).flat()
  )

/** CPU time of a Postgres and all of its sessions. */
const cpuOfServer = ({ shared }: Server.Server): number => {
  const pid = Number(readFileSync(join(shared, "postgres", "postmaster.pid"), "utf8").split("\n")[0])
  return cpuOf(pid) + cpuOfChildren(pid)
}

setFlagsFromString("--expose-gc")
const collect: unknown = runInNewContext("gc")
const usedBytes = (): number => {
  if (typeof collect === "function") for (let n = 0; n < 3; n++) collect()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

interface Cost {
  readonly own: number
  readonly sql: number
  readonly took: number
}

const onPostgres = Effect.gen(function* () {
  const server = yield* Effect.acquireRelease(Effect.promise(Server.start), ({ stop }) =>
    Effect.promise(stop)
  )
  yield* Effect.promise(() => server.createDatabase("scale"))
  const database = Postgres.layer(Redacted.make(`${server.url}/scale`)).pipe(
    Layer.provide(Layer.succeed(Clock.Clock, Clock.Clock.defaultValue()))
  )
  const place = join(server.shared, "archive")
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(place, { recursive: true, force: true })))
  const built = yield* Layer.build(
    Archive.layer.pipe(
      Layer.provideMerge(Layer.merge(folder.layer(place), parquetFiles.layer(join(place, "drafts")))),
      Layer.provideMerge(DailyClose.layer),
      Layer.provideMerge(Log.layer),
      Layer.provideMerge(Layer.mergeAll(Ingest.layer, Incidents.layer)),
      Layer.provideMerge(Current.layer),
      Layer.provideMerge(Blobs.layerTable),
      Layer.provideMerge(
        Layer.effectDiscard(Effect.andThen(migrate, partitions.ensure(first + 31 * length)))
      ),
      Layer.provideMerge(Runs.feedsOf(manifest.covers.networks, manifest.metrics)),
      Layer.provideMerge(LogKeys.layer()),
      Layer.provideMerge(database)
    )
  )
  const costOf = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const [own, sql, from] = [process.cpuUsage(), cpuOfServer(server), performance.now()]
      yield* work
      const { system, user } = process.cpuUsage(own)
      return {
        own: (user + system) / 1000,
        sql: cpuOfServer(server) - sql,
        took: performance.now() - from
      } satisfies Cost
    })
  return yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ingest = yield* Ingest
    // The first run makes the series.
    yield* TestClock.setTime(first)
    yield* ingest.write(runAt(first))
    const ingesting = yield* costOf(
      Effect.forEach(
        Array.from({ length: days * readings }, (_, n) => first + ((n + 1) * length) / readings),
        (at) => Effect.andThen(TestClock.setTime(at), ingest.write(runAt(at))),
        { discard: true }
      )
    )
    yield* TestClock.setTime(first + days * length + 9 * 3_600_000)
    const closing = yield* costOf((yield* DailyClose).run)
    const archiving = yield* costOf((yield* Archive).run)
    // What updates leave behind is used again by the rows of the next day, so it does not grow with the years.
    yield* sql.unsafe("vacuum full analyze")
    const sizes = yield* sql<{ name: string; bytes: number; rows: number }>`
      select t.name, (
          select sum(pg_total_relation_size(c.oid)) from pg_class c
          where c.relname = t.name or c.relname ~ ('^' || t.name || '_[0-9]')
        )::float8 as bytes, t.rows::float8 as rows
      from (
        select 'observation' as name, count(*) as rows from observation
        union all select 'daily', count(*) from daily union all select 'leaf', count(*) from leaf
        union all select 'latest', count(*) from latest union all select 'series', count(*) from series
      ) t`
    const sizeOf = (name: string) => {
      const table = sizes.find((one) => one.name === name)
      return (table?.bytes ?? 0) / (table?.rows ?? 1)
    }
    const [leaves] = yield* sql<{ n: number }>`select count(*)::int as n from leaf where series is not null`
    const stored = yield* (yield* ArchiveFiles).list
    const dayBytes = [...stored.values()].reduce((sum, size) => sum + size, 0)
    const before = usedBytes()
    const loading = yield* costOf(Layer.build(Layer.fresh(Current.layer)))
    const memory = usedBytes() - before
    return { ingesting, closing, archiving, sizeOf, leaves: leaves?.n ?? 0, dayBytes, loading, memory }
  }).pipe(Effect.provideContext(built), Effect.provide(TestClock.layer()))
}).pipe(Effect.scoped)

/** A month of 2,000 series as our writer packs it, without hashes: bytes of a row. */
const compacted = Effect.gen(function* () {
  const at = join(import.meta.dirname, "../../node_modules/.scale")
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(at, { recursive: true, force: true })))
  const { make } = Context.get(yield* Layer.build(parquetFiles.layer(at)), FileMaker)
  const pages = Stream.fromIterable(metrics.entries()).pipe(
    Stream.map(([n, metric]) =>
      Array.from({ length: 400 }, (_, network) =>
        Array.from({ length: 30 }, (_, ago) => {
          const time = isoTime(first + ago * length + 11 * 3_600_000 + network * 977)
          const bytes = leafBytes({
            v: "service-leaf-v2",
            kind: "reading",
            symbol: symbolOf(network),
            metric,
            source: "test_feed",
            unit: "count",
            day: time.slice(0, 10),
            as_of: time,
            value: valueAt(network, n, first + ago * length),
            n_observations: 96,
            readings_sha256: "0".repeat(64),
            verify_url: `https://stats.example.net/v1/networks/${symbolOf(network)}`,
            version: 1,
            recorded_at: time
          })
          return { text: Buffer.from(bytes).toString(), hash: new Uint8Array(32) }
        })
      ).flat()
    )
  )
  const { bytes, rows } = yield* make(
    {
      statement: {
        v: "service-archive-v1",
        period: "month",
        first_day: "2026-09-01",
        last_day: "2026-09-30",
        sources: []
      },
      pages
    },
    null
  )
  return bytes / rows
}).pipe(Effect.scoped)

/** Networks of the mixed load. */
const networkCount = 1000

/** CPU time of an answer, in microseconds: of one that is ready, and in a mixed load of which 5 % were never asked for. */
const answering = async () => {
  const { pid, port, stop } = await startServer("networks.server.ts", `${networkCount}`)
  try {
    const all = Array.from({ length: networkCount }, (_, n) => ({
      symbol: symbolOf(n),
      metrics: ["nodes_online"]
    }))
    const targets = commonOf(all)
    await askOnce(port, targets)
    // What it does without being asked, in milliseconds per second.
    const before = cpuOf(pid)
    await new Promise((resolve) => setTimeout(resolve, 5000))
    const idle = (cpuOf(pid) - before) / 5
    const costOf = async (
      load: Omit<Parameters<typeof runLoad>[0], "coding" | "connections" | "millis" | "port">
    ) => {
      const [cpu, from] = [cpuOf(pid), performance.now()]
      const millis = 6000
      const { rate } = await runLoad({ ...load, port, connections: 32, millis, coding: "gzip" })
      const used = cpuOf(pid) - cpu - (idle * (performance.now() - from)) / 1000
      return (used * 1000) / (rate * (millis / 1000))
    }
    const ready = await costOf({ targets: ["/v1/network/NET7"] })
    const fresh = freshOf(all)
    return { ready, mixed: await costOf({ targets, zipf: true, fresh: { percent: 5, targets: fresh } }) }
  } finally {
    stop()
  }
}

export const run = async (): Promise<ReadonlyArray<Row>> => {
  const costs = await Effect.runPromise(Effect.provide(onPostgres, Logger.layer([])))
  const month = await Effect.runPromise(Effect.provide(compacted, Logger.layer([])))
  const { mixed, ready } = await answering()
  const rows = series * readings * days
  const { archiving, closing, dayBytes, ingesting, leaves, loading, memory, sizeOf } = costs
  const of = (what: string, value: number, unit: string): Row => ({
    what,
    value: rounded(value),
    unit,
    ratio: 1,
    aim: ""
  })
  return [
    of("ingest, service", (ingesting.own * 1000) / rows, "µs of CPU a reading"),
    of("ingest, Postgres", (ingesting.sql * 1000) / rows, "µs of CPU a reading"),
    of("close, service", (closing.own * 1000) / leaves, "µs of CPU a leaf"),
    of("close, Postgres", (closing.sql * 1000) / leaves, "µs of CPU a leaf"),
    of("archive, service", (archiving.own * 1000) / leaves, "µs of CPU a leaf"),
    of("archive, Postgres", (archiving.sql * 1000) / leaves, "µs of CPU a leaf"),
    of("a reading in Postgres", sizeOf("observation"), "bytes"),
    of("a day of a series in Postgres", sizeOf("daily"), "bytes"),
    of("a leaf in Postgres", sizeOf("leaf"), "bytes"),
    of("a series in Postgres", sizeOf("series") + sizeOf("latest"), "bytes"),
    of("a leaf in a day's file", dayBytes / leaves, "bytes"),
    of("a leaf in a month's file", month, "bytes"),
    of("a series in memory, latest row", memory / series, "bytes"),
    of("reading the latest rows at the start, service", (loading.own * 1000) / series, "µs of CPU a series"),
    of("an answer that is ready", ready, "µs of CPU"),
    of("an answer of a mixed load", mixed, "µs of CPU")
  ]
}

if (import.meta.main) {
  console.table(await run())
  process.exit()
}
