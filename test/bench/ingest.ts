/**
 * Ingest on Postgres beside `COPY` of the same rows into the same tables, each into a database of its own,
 * interleaved. The tables of both have the same columns and indexes, a day of history, and a commit that is
 * synced; `COPY` writes them in one transaction. It has less to do otherwise: the server reads its own files, so nothing is
 * sent, and it writes no run, no exchange, no body and no versions of answers. Two shapes: a window of the past (100 readings
 * of 1,000 series), and a live read (one of 10,000 series).
 * And a small transaction on the embedded engine while a large run is kept there. Alone: `npx node test/bench/ingest.ts`.
 */
import { Effect, Fiber, Layer, Logger, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../core/plugin/Value.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { migrate } from "../../runtime/database/migrate.ts"
import * as Pglite from "../../runtime/database/Pglite.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import * as Runs from "../support/runs.ts"
import * as Server from "./postgres.ts"
import { beside, median, type Row, rounded } from "./row.ts"

const noon = Date.UTC(2026, 8, 5, 12)

const symbolOf = (series: number): string => `N${String(series).padStart(5, "0")}`

/** A run over so many series with so many readings each, an hour apart. */
const runOf = (series: number, readings: number): Delivery =>
  Runs.delivery(
    noon,
    Array.from({ length: series }, (_, at) =>
      Array.from({ length: readings }, (_, back) =>
        Runs.row(1000 + at + back / 7, isoTime(noon - (readings - back) * 3_600_000), {
          symbol: symbolOf(at)
        })
      )
    ).flat()
  )

const shapes = [
  { name: "100 readings of 1,000 series", series: 1000, readings: 100 },
  { name: "one reading of 10,000 series", series: 10_000, readings: 1 }
] as const

/** What a run writes, in the order of their references. */
const tables = {
  series: "select * from series where symbol like 'N%'",
  observation: "select t.* from observation t join series s on s.id = t.series where s.symbol like 'N%'",
  daily: "select t.* from daily t join series s on s.id = t.series where s.symbol like 'N%'",
  latest: "select t.* from latest t join series s on s.id = t.series where s.symbol like 'N%'"
} as const

const timed = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const start = performance.now()
    yield* work
    return (performance.now() - start) / 1000
  })

const symbols = Array.from({ length: 10_000 }, (_, at) => symbolOf(at)).flatMap((name) => [name, `W${name}`])

/** Keeps a run; every row of it must be new, or there is nothing to measure. */
const ingestRun = Effect.fnUntraced(function* (delivery: Delivery) {
  const { fresh } = yield* (yield* Ingest).write(delivery)
  const rows = delivery.run.observations.length
  if (fresh !== rows) yield* Effect.die(`${fresh} of ${rows} rows are new`)
})

const services = Ingest.layer.pipe(
  Layer.provideMerge(Current.layer),
  Layer.provideMerge(Layer.mergeAll(Blobs.layerTable, Runs.feedsOf(symbols)))
)

/** A day of history before what is measured, so that statements are planned and tables have their pages. */
const warm = Effect.gen(function* () {
  const old = runOf(2000, 1)
  yield* ingestRun({
    ...old,
    run: {
      ...old.run,
      observations: old.run.observations.map((row) => ({
        ...row,
        as_of: "2026-08-20T00:00:00Z",
        symbol: `W${row.symbol}`
      }))
    }
  })
})

const round = Effect.fnUntraced(function* (
  server: Server.Server,
  shape: (typeof shapes)[number],
  index: number
) {
  const name = `ingest_${shape.series}_${index}`
  for (const each of [name, `${name}_peer`]) yield* Effect.promise(() => server.createDatabase(each))
  const database = (of: string) => Layer.fresh(Postgres.layer(Redacted.make(`${server.url}/${of}`)))
  const file = (table: string) => `${server.shared}/${name}.${table}`
  const ownSeconds = yield* Effect.gen(function* () {
    yield* migrate
    yield* partitions.ensure(noon)
    return yield* Effect.gen(function* () {
      yield* warm
      const delivery = runOf(shape.series, shape.readings)
      const seconds = yield* timed(ingestRun(delivery))
      const sql = yield* SqlClient.SqlClient
      for (const [table, rows] of Object.entries(tables)) {
        yield* sql.unsafe(`copy (${rows}) to '${file(table)}'`)
      }
      return seconds
    }).pipe(Effect.provide(services))
  }).pipe(Effect.provide(database(name)))
  const peer = yield* Effect.gen(function* () {
    yield* migrate
    yield* partitions.ensure(noon)
    yield* warm.pipe(Effect.provide(services))
    const sql = yield* SqlClient.SqlClient
    return yield* timed(
      Effect.forEach(Object.keys(tables), (table) => sql.unsafe(`copy ${table} from '${file(table)}'`), {
        discard: true
      }).pipe(sql.withTransaction)
    )
  }).pipe(Effect.provide(database(`${name}_peer`)))
  return { ownSeconds, peer }
})

const onPostgres = Effect.gen(function* () {
  const server = yield* Effect.acquireRelease(Effect.promise(Server.start), (running) =>
    Effect.promise(running.stop)
  )
  const rows: Array<Row> = []
  for (const shape of shapes) {
    const rounds = yield* Effect.forEach([1, 2, 3, 4, 5], (index) => round(server, shape, index))
    const n = shape.series * shape.readings
    const [value, peer] = [
      n / median(rounds.map(({ ownSeconds }) => ownSeconds)),
      n / median(rounds.map((r) => r.peer))
    ]
    rows.push(
      beside(`ingest on Postgres, ${shape.name}, beside COPY`, "rows/s", [value, peer], [0.6, "COPY"])
    )
  }
  return rows
}).pipe(Effect.scoped)

/** How long a small transaction waits, in milliseconds, worst of all, with and without a large run beside it. */
const onEmbedded = Effect.gen(function* () {
  yield* migrate
  yield* partitions.ensure(noon)
  return yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`create table purchases (n integer)`
    const purchase = timed(
      sql`insert into purchases values (1)`.pipe(
        Effect.andThen(sql`select count(*) from purchases`),
        sql.withTransaction
      )
    )
    yield* warm
    const idle: Array<number> = []
    for (let n = 0; n < 100; n++) idle.push((yield* purchase) * 1000)
    const large = yield* Effect.forkChild(ingestRun(runOf(400, 100)))
    const busy: Array<number> = []
    while (large.pollUnsafe() === undefined) {
      busy.push((yield* purchase) * 1000)
      yield* Effect.sleep("5 millis")
    }
    yield* Fiber.join(large)
    const row: Row = {
      what: "a small transaction while 40,000 rows are kept, embedded, median beside an idle engine's",
      value: rounded(median(busy)),
      unit: "ms",
      peer: rounded(median(idle)),
      ratio: rounded(median(busy) / median(idle)),
      aim: "beside"
    }
    const worst: Row = {
      what: "the same, the longest wait",
      value: rounded(Math.max(...busy)),
      unit: "ms",
      peer: rounded(Math.max(...idle)),
      ratio: rounded(Math.max(...busy) / Math.max(...idle)),
      aim: "beside"
    }
    return [row, worst]
  }).pipe(Effect.provide(services))
}).pipe(Effect.provide(Pglite.layer({})))

export const run = (): Promise<ReadonlyArray<Row>> =>
  Effect.runPromise(
    Effect.gen(function* () {
      return [...(yield* onPostgres), ...(yield* onEmbedded)]
    }).pipe(Effect.provide(Logger.layer([])))
  )

if (import.meta.main) console.table(await run())
