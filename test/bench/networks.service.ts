/**
 * The service of `networks.server.ts`: each network has three metrics and two figures of its market over 31 days. A feed reads
 * 80 values per second meanwhile: more than all feeds of the catalog together.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../core/plugin/Value.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { texts } from "../../core/readings/ingest/arrays.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { RecentDays } from "../../core/readings/read/RecentDays.ts"
import { Http } from "../../http/server.ts"
import { migrate } from "../../runtime/database/migrate.ts"
import * as Pglite from "../../runtime/database/Pglite.ts"
import { bareService } from "../support/bareService.ts"
import * as Runs from "../support/runs.ts"

const metrics = {
  nodes_online: "count",
  devices_total: "count",
  storage_used: "count",
  price_usd: "usd",
  fees_24h_usd: "usd"
} as const
const names = Object.keys(metrics) as ReadonlyArray<keyof typeof metrics>

const manifestOf = (networks: ReadonlyArray<string>) => ({
  ...Runs.manifest,
  covers: { networks },
  metrics: Object.fromEntries(names.map((name) => [name, { unit: metrics[name], meaning: "Made up." }]))
})
type Manifest = ReturnType<typeof manifestOf>

const fill = Effect.fnUntraced(function* ({ covers: { networks }, ...manifest }: Manifest) {
  const sql = yield* SqlClient.SqlClient
  yield* migrate
  yield* partitions.ensure(Date.now())
  yield* sql`
    insert into series (symbol, metric, source, plugin, tier, unit)
    select n, m, ${manifest.source}, ${manifest.id}, ${manifest.tier}, u
    from unnest(${texts(networks)}) n, unnest(${texts(names)}, ${texts(Object.values(metrics))}) t(m, u)`
  yield* sql`
    insert into daily (series, day, incident, version, as_of, value, n_observations, verify_url, recorded_at, simulated)
    select s.id, d::date, 0, 1, d + interval '1 minute', 1000, 1, 'https://stats.example.net/v1/nodes',
      d + interval '1 minute', false
    from generate_series(current_date - 30, current_date, interval '1 day') d, series s`
  yield* sql`
    insert into latest (series, as_of, value, verify_url, recorded_at, confirmed_at, run, simulated)
    select series, as_of, value, verify_url, recorded_at, recorded_at, 'run-0', false from daily where day = current_date`
})

const serviceOf = (manifest: Manifest) => {
  const database = Layer.effectDiscard(fill(manifest)).pipe(Layer.provideMerge(Pglite.layer({})))
  const feeds = Layer.succeed(Feeds, Feeds.of({ manifests: [manifest], states: Effect.succeed(new Map()) }))
  return Ingest.layer.pipe(
    Layer.provide(Blobs.layerTable),
    Layer.provideMerge(bareService(database, 0, feeds))
  )
}

const collecting = ({ covers: { networks }, id, source }: Manifest, turn: number) =>
  Effect.gen(function* () {
    const now = Date.now()
    const metric = names[turn % names.length] ?? "nodes_online"
    const rows = Array.from({ length: 20 }, (_, n) =>
      Runs.row(1000 + (turn % 7), isoTime(now), {
        symbol: networks[(turn * 20 + n) % networks.length] ?? "",
        metric,
        unit: metrics[metric],
        source
      })
    )
    yield* (yield* Ingest).write(Runs.delivery(now, rows, id))
  })

/** Serves these networks until it is killed, and prints the port. */
export const serve = (networks: ReadonlyArray<string>): Promise<never> => {
  const manifest = manifestOf(networks)
  return Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const built = yield* Layer.build(serviceOf(manifest))
        // As the service does when it starts.
        yield* Context.get(built, RecentDays).memory
        console.log(Context.get(built, Http).port)
        let turn = 0
        yield* Effect.suspend(() => collecting(manifest, ++turn)).pipe(
          Effect.repeat(Schedule.fixed("250 millis")),
          Effect.provideContext(built)
        )
        return yield* Effect.never
      })
    )
  )
}
