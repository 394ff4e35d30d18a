/**
 * A service with made-up networks, as many as its argument says, with three metrics each over 31 days; prints its port and
 * serves until it is killed. A feed reads 80 values a second meanwhile: more than all feeds of the catalog together.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Feeds } from "../../core/data/Feeds.ts"
import { Blobs } from "../../core/data/ingest/Blobs.ts"
import { Ingest } from "../../core/data/ingest/Ingest.ts"
import * as partitions from "../../core/data/ingest/partitions.ts"
import { RecentDays } from "../../core/data/read/RecentDays.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Http } from "../../http/server.ts"
import { migrate } from "../../runtime/database/migrate.ts"
import * as Pglite from "../../runtime/database/Pglite.ts"
import { bareService } from "../support/bareService.ts"
import * as Runs from "../support/runs.ts"

const count = Number(process.argv[2])
const symbols = Array.from({ length: count }, (_, n) => `NET${n}`)
const metrics = ["nodes_online", "devices_total", "storage_used"]

const manifest = {
  ...Runs.manifest,
  covers: { networks: symbols },
  metrics: Object.fromEntries(metrics.map((name) => [name, { unit: "count" as const, meaning: "Made up." }]))
}

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* migrate
  yield* partitions.ensure(Date.now())
  yield* sql`
    insert into series (symbol, metric, source, plugin, tier, unit)
    select 'NET' || n, m, ${manifest.source}, ${manifest.id}, ${manifest.tier}, 'count'
    from generate_series(0, ${count - 1}::int) n, unnest(${metrics}::text[]) m`
  yield* sql`
    insert into daily (series, day, incident, version, as_of, value, n_observations, verify_url, recorded_at, simulated)
    select s.id, d::date, 0, 1, d + interval '1 minute', 1000, 1, 'https://stats.example.net/v1/nodes',
      d + interval '1 minute', false
    from generate_series(current_date - 30, current_date, interval '1 day') d, series s`
  yield* sql`
    insert into latest (series, as_of, value, verify_url, recorded_at, confirmed_at, run, simulated)
    select series, as_of, value, verify_url, recorded_at, recorded_at, 'run-0', false from daily where day = current_date`
})

const database = Layer.effectDiscard(fill).pipe(Layer.provideMerge(Pglite.layer({})))
const feeds = Layer.succeed(Feeds, Feeds.of({ manifests: [manifest], states: Effect.succeed(new Map()) }))

const service = Ingest.layer.pipe(
  Layer.provide(Blobs.layerTable),
  Layer.provideMerge(bareService(database, 0, feeds))
)

const collecting = (turn: number) =>
  Effect.gen(function* () {
    const now = Date.now()
    const rows = Array.from({ length: 20 }, (_, n) =>
      Runs.row(1000 + (turn % 7), isoTime(now), {
        symbol: symbols[(turn * 20 + n) % count] ?? "NET0",
        metric: metrics[turn % metrics.length] ?? "nodes_online",
        source: manifest.source
      })
    )
    yield* (yield* Ingest).write(Runs.delivery(now, rows, manifest.id))
  })

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const built = yield* Layer.build(service)
      // As the service does when it starts.
      yield* Context.get(built, RecentDays).memory
      console.log(Context.get(built, Http).port)
      let turn = 0
      return yield* Effect.suspend(() => collecting(++turn)).pipe(
        Effect.repeat(Schedule.fixed("250 millis")),
        Effect.provideContext(built)
      )
    })
  )
)
