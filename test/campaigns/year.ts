/**
 * Days of the demo's tape, played through ingest, log, close, archive and retention: rows and bytes of every table after a month and at
 * the end, how long a close and a start take by then, and on Postgres how long a restore takes. Each feed runs once a day at the
 * recording's own size. `npx node test/campaigns/year.ts postgres|pglite <days> [--json <file>]` writes the file after each month, so that
 * one which is stopped leaves what it measured; `test/bench/growth.ts` makes a year of it.
 */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { cpus, loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { Clock, Effect, Layer, Logger, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Archive } from "../../core/log/archive/Archive.ts"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { attestedUntil } from "../../core/log/attestedUntil.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { moveRuns } from "../../core/log/runFiles/moveRuns.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { removeOld } from "../../core/readings/ingest/bodies.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import * as parquetFiles from "../../runtime/archive/parquetFiles.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import * as blobFiles from "../../runtime/database/blobFiles.ts"
import { migrate } from "../../runtime/database/migrate.ts"
import * as Pglite from "../../runtime/database/Pglite.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { player } from "../../runtime/demo/players.ts"
import { produce } from "../../runtime/demo/produce.ts"
import * as Server from "../bench/postgres.ts"
import { Misused } from "../bench/usage.ts"
import * as LogKeys from "../support/logKey.ts"
import { timed } from "./timed.ts"
import { type RestoreTimes, timeRestore } from "./yearRestore.ts"

const day = 86_400_000
const hour = 3_600_000
const first = Date.UTC(2026, 8, 7, 11)
const keepDays = 90
/** How often sizes are taken. */
const month = 30
/** Closes of so many days before are one figure: a single one says more of the machine's other work. */
const closesOfFigure = 7

/** A table at one time. */
export interface TableSize {
  readonly name: string
  readonly rows: number
  /** With its indexes and what is stored out of line, after it was packed. */
  readonly bytes: number
}

/** What was measured at one time. */
interface Measured {
  readonly day: number
  readonly tables: ReadonlyArray<TableSize>
  /** Seconds of a close, the median of the last days, and until the latest rows are read at a start. */
  readonly close: number
  readonly start: number
}

/** What a campaign measured. */
export interface Campaign {
  readonly engine: "postgres" | "pglite"
  readonly machine: string
  readonly date: string
  readonly load: readonly [before: number, after: number]
  readonly days: number
  readonly series: number
  readonly runsPerDay: number
  readonly exchangesPerRun: number
  readonly measured: ReadonlyArray<Measured>
  /** Of the runs that moved: how many, and the bytes of their files. */
  readonly moved: { readonly runs: number; readonly exchanges: number; readonly bytes: number }
  /** Of the database as it was at the end; on Postgres alone. */
  readonly restored?: RestoreTimes
}

/** What is measured of a database that is played. */
type Played = Omit<Campaign, "engine" | "machine" | "date" | "load">

const sizes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // What updates leave behind is used again by the rows of the next day, so it does not grow with the years.
  yield* sql.unsafe("vacuum full analyze")
  const tables = yield* sql<{ name: string; bytes: number }>`
    select coalesce(p.relname, c.relname)::text as name, sum(pg_total_relation_size(c.oid))::float8 as bytes
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and c.relname not like 'migrations\\_%'
    group by 1 order by 1`
  return yield* Effect.forEach(tables, ({ bytes, name }) =>
    Effect.map(
      sql<{ rows: number }>`select count(*)::int as rows from ${sql(name)}`,
      ([row]): TableSize => ({ name, rows: row?.rows ?? 0, bytes })
    )
  )
})

const medianOf = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const realTime = Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())

const databaseOf = Effect.fnUntraced(function* (engine: Campaign["engine"], folder: string) {
  if (engine === "pglite") return { database: Pglite.layer({ dataDir: join(folder, "db") }) }
  const server = yield* Effect.acquireRelease(Effect.promise(Server.start), ({ stop }) =>
    Effect.promise(stop)
  )
  yield* Effect.promise(() => server.createDatabase("year"))
  const database = Postgres.layer(Redacted.make(`${server.url}/year`), { waits: Postgres.unhurried })
  return { server, database: Layer.provide(database, realTime) }
})

/** Plays days, and tells what it has measured by each month. */
const play = Effect.fnUntraced(function* (
  engine: Campaign["engine"],
  days: number,
  tell: (played: Played) => void
) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-year-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
  const { database, server } = yield* databaseOf(engine, folder)
  const players = (yield* Effect.forEach(yield* Plugins.all(), (plugin) =>
    Effect.result(player(plugin))
  )).flatMap((read) => (Result.isSuccess(read) ? [read.success] : []))
  const built = yield* Layer.build(
    Layer.mergeAll(Archive.layer, RunLog.layer).pipe(
      Layer.provideMerge(Layer.merge(ArchiveFiles.layerTable, parquetFiles.layer(join(folder, "drafts")))),
      Layer.provideMerge(DailyClose.layer),
      Layer.provideMerge(Log.layer),
      Layer.provideMerge(Layer.mergeAll(Ingest.layer, Incidents.layer)),
      Layer.provideMerge(Current.layer),
      Layer.provideMerge(blobFiles.layer(join(folder, "blobs"))),
      Layer.provideMerge(Layer.effectDiscard(Effect.andThen(migrate, partitions.ensure(first)))),
      Layer.provideMerge(
        Layer.succeed(
          Feeds,
          Feeds.of({
            manifests: players.map(({ plugin }) => plugin.manifest),
            states: Effect.succeed(new Map())
          })
        )
      ),
      Layer.provideMerge(LogKeys.layer()),
      Layer.provideMerge(database)
    )
  )
  const measured: Array<Measured> = []
  let [runs, exchanges] = [0, 0]
  const playDay = Effect.fnUntraced(function* (n: number) {
    const at = first + n * day
    yield* TestClock.setTime(at)
    yield* partitions.ensure(at)
    const ingest = yield* Ingest
    for (const one of players) {
      const { bodies, run } = yield* produce(one, at)
      const { simulated: _, ...real } = run
      runs++
      exchanges += run.exchanges.length
      yield* ingest.write({ bodies, run: real })
    }
    const due = at + day - 2 * hour
    yield* TestClock.setTime(due)
    const runLog = yield* RunLog
    yield* runLog.run
    const close = yield* timed((yield* DailyClose).run)
    yield* runLog.run
    yield* (yield* Archive).run
    const limits = { attested: yield* attestedUntil, keepDays }
    const over = { wall: due, data: due }
    yield* removeOld(over, limits)
    yield* partitions.dropBefore(over, limits)
    yield* moveRuns(over, limits)
    return close
  })
  const playedBy = Effect.fnUntraced(function* (n: number) {
    const sql = yield* SqlClient.SqlClient
    const [moved] = yield* sql<{ runs: number; exchanges: number; bytes: number }>`
      select coalesce(sum(runs), 0)::int as runs, coalesce(sum(exchanges), 0)::int as exchanges,
        coalesce(sum(bytes), 0)::float8 as bytes from run_file`
    const [series] = yield* sql<{ n: number }>`select count(*)::int as n from series`
    return {
      days: n,
      series: series?.n ?? 0,
      runsPerDay: players.length,
      exchangesPerRun: exchanges / runs,
      measured,
      moved: moved ?? { runs: 0, exchanges: 0, bytes: 0 }
    } satisfies Played
  })
  yield* Effect.gen(function* () {
    const closes: Array<number> = []
    for (let n = 1; n <= days; n++) {
      const close = yield* playDay(n)
      closes.push(close)
      console.error(`day ${n}: closed in ${close.toFixed(2)} s`)
      if (n % month !== 0 && n !== days) continue
      const start = yield* timed(Effect.scoped(Layer.build(Layer.fresh(Current.layer))))
      measured.push({ day: n, tables: yield* sizes, close: medianOf(closes.slice(-closesOfFigure)), start })
      tell(yield* playedBy(n))
    }
    if (server === undefined) return
    const restored = yield* timeRestore(server, folder)
    tell({ ...(yield* playedBy(days)), restored })
  }).pipe(Effect.provideContext(built))
}, Effect.scoped)

if (import.meta.main) {
  const [engine, count, flag, file] = process.argv.slice(2)
  const days = Number(count)
  if ((engine !== "postgres" && engine !== "pglite") || !(days > month))
    throw new Misused(`year.ts postgres|pglite <more than ${month} days> [--json <file>]`)
  const before = loadavg()[0] ?? 0
  const tell = (played: Played) => {
    const campaign: Campaign = {
      engine,
      machine: `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}`,
      date: new Date().toISOString().slice(0, 10),
      load: [before, loadavg()[0] ?? 0],
      ...played
    }
    const text = `${JSON.stringify(campaign, undefined, 2)}\n`
    if (flag === "--json" && file !== undefined) writeFileSync(file, text)
    else console.log(text)
  }
  await Effect.runPromise(
    play(engine, days, tell).pipe(
      Effect.provide([
        TestClock.layer(),
        Layer.succeed(
          SecureRandom.SecureRandom,
          SecureRandom.make((size) => randomBytes(size))
        ),
        Logger.layer([])
      ])
    )
  )
  process.exit()
}
