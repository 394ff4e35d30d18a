/**
 * The collecting half of the service in a process of its own: the collector thread over a folder of plugins, and ingest
 * into Postgres. Arguments as one JSON text: `CollectorOptions`. Prints `Measured` as one line and ends.
 */
import { Effect, Layer, Logger, Redacted } from "effect"
import * as DataClock from "../../core/clock/DataClock.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { Collector } from "../../runtime/collector/Collector.ts"
import { shareOf } from "../../runtime/collector/RunState.ts"
import { migrate } from "../../runtime/database/migrate.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { Intake } from "../../runtime/service/Intake.ts"

export interface CollectorOptions {
  readonly folder: string
  readonly database: string
  readonly upstream: string
  readonly seconds: number
  /** Ids with their cadence in milliseconds. */
  readonly plugins: Readonly<Record<string, number>>
}

export interface Measured {
  /** CPU seconds of the whole process within the window. */
  readonly cpu: number
  readonly rssMiB: number
  readonly runs: number
  readonly rows: number
}

const measure = Effect.fnUntraced(function* (options: CollectorOptions) {
  const ids = Object.keys(options.plugins)
  const counts = { runs: 0, rows: 0, failed: 0 }
  // As after a restart: each goes on at its own place in its cadence, once the thread has loaded them all.
  const begin = Date.now() + 6000 + ids.length * 25
  const earlier = new Map(
    Object.entries(options.plugins).map(([id, every]) => [
      id,
      { lastStarted: begin + Math.floor(shareOf(id) * every) - every }
    ])
  )
  const intake = Intake.layer
  const collector = Layer.unwrap(
    Effect.gen(function* () {
      const { deliver } = yield* Intake
      return Collector.layer({
        folder: new URL(options.folder),
        map: new Map(ids.map((id) => [`${id}.upstream.test`, new URL(options.upstream)])),
        earlier,
        deliver: (delivery) =>
          Effect.andThen(
            deliver(delivery),
            Effect.sync(() => {
              counts.runs++
              counts.rows += delivery.run.observations.length
              if (delivery.run.status === "failed") counts.failed++
            })
          )
      })
    })
  )
  const feeds = Layer.effect(
    Feeds,
    Effect.gen(function* () {
      const { manifests, states } = yield* Collector
      return Feeds.of({ manifests: yield* manifests, states })
    })
  )
  const services = Ingest.layer.pipe(
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Blobs.layerTable),
    Layer.provideMerge(Layer.effectDiscard(Effect.flatMap(DataClock.now, partitions.ensure))),
    Layer.provideMerge(feeds),
    Layer.provideMerge(collector),
    Layer.provideMerge(intake),
    Layer.provideMerge(
      Layer.effectDiscard(migrate).pipe(Layer.provideMerge(Postgres.layer(Redacted.make(options.database))))
    )
  )
  return yield* Effect.gen(function* () {
    yield* (yield* Intake).connect(yield* Ingest)
    const collector = yield* Collector
    yield* collector.own(ids.map((plugin) => ({ plugin })))
    yield* collector.manifests
    // On a machine that was too busy to load them in time, all that is overdue runs first.
    const late = Date.now() - begin
    yield* Effect.sleep(late < 0 ? -late : 20_000)
    const before = process.cpuUsage()
    const runs = { ...counts }
    yield* Effect.sleep(`${options.seconds} seconds`)
    const { system, user } = process.cpuUsage(before)
    if (counts.failed > 0) yield* Effect.die(`${counts.failed} runs failed`)
    return {
      cpu: (system + user) / 1e6,
      rssMiB: process.memoryUsage.rss() / 2 ** 20,
      runs: counts.runs - runs.runs,
      rows: counts.rows - runs.rows
    } satisfies Measured
  }).pipe(Effect.provide(services))
})

const args: CollectorOptions = JSON.parse(process.argv[2] ?? "{}")
const measured = await Effect.runPromise(measure(args).pipe(Effect.provide(Logger.layer([]))))
console.log(JSON.stringify(measured))
process.exit(0)
