/** The service as layers: which implementation is behind which port. `main.ts` starts it. */
import { join } from "node:path"
import { Config, Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DatabaseClock from "../../core/data/DatabaseClock.ts"
import { Feeds } from "../../core/data/Feeds.ts"
import { chunkRows, Ingest } from "../../core/data/ingest/Ingest.ts"
import { inBackground } from "../../core/data/loop.ts"
import { SampleSizes } from "../../core/data/read/Access.ts"
import { HistoryCoverage } from "../../core/data/read/HistoryCoverage.ts"
import { IngestCounts } from "../../core/data/read/IngestCounts.ts"
import { RecentDays } from "../../core/data/read/RecentDays.ts"
import { removing } from "../../core/data/removing.ts"
import { ifTrusted, TrustedClock, Witnesses } from "../../core/data/TrustedClock.ts"
import { beatEvery, Uptime } from "../../core/data/Uptime.ts"
import { EventLog } from "../../core/events/EventLog.ts"
import { Anchors } from "../../core/log/Anchors.ts"
import { Archive } from "../../core/log/archive/Archive.ts"
import { ServedSample } from "../../core/log/check/ServedSample.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { IncidentLog } from "../../core/log/IncidentLog.ts"
import { closeRows } from "../../core/log/leaves.ts"
import { PublicAddress } from "../../core/log/read/attest.ts"
import { Brief } from "../../core/publications/Brief.ts"
import { Signals } from "../../core/publications/Signals.ts"
import { HttpSettings } from "../../http/HttpSettings.ts"
import { ConnectionBounds, Http, mayListen } from "../../http/server.ts"
import * as LongHistory from "../archive/longHistory.ts"
import * as ParquetFiles from "../archive/parquetFiles.ts"
import { Claims } from "../cluster/Claims.ts"
import { collecting } from "../cluster/collecting.ts"
import { Duties, onDuty } from "../cluster/Duties.ts"
import { FeedStates } from "../cluster/FeedStates.ts"
import { Lifecycle } from "../cluster/Lifecycle.ts"
import { ServiceLock } from "../cluster/ServiceLock.ts"
import { Collector } from "../collector/Collector.ts"
import { earlierRuns } from "../collector/earlierRuns.ts"
import * as Plugins from "../collector/plugins.ts"
import { settingsIn } from "../collector/run.ts"
import * as Database from "../database/Database.ts"
import * as Postgres from "../database/Postgres.ts"
import { Demo } from "../demo/Demo.ts"
import { happen } from "../demo/moments.ts"
import * as Pins from "../demo/pins.ts"
import * as Progress from "../demo/progress.ts"
import * as MetricsPort from "../metrics/port.ts"
import * as ProcessMetrics from "../metrics/process.ts"
import * as SampledMetrics from "../metrics/sampled.ts"
import { Settings } from "../settings/Settings.ts"
import * as Analysing from "./analyses.ts"
import * as Anchoring from "./anchoring.ts"
import { selling } from "./credits.ts"
import { roomForConnections } from "./descriptors.ts"
import { following } from "./following.ts"
import { Intake } from "./Intake.ts"
import { maintenance, removingBodies } from "./maintenance.ts"
import * as Mcp from "./mcp.ts"
import { rotateLog } from "./newKeys.ts"
import { identity, settled, working } from "./operating.ts"
import { webhooks } from "./webhooks.ts"
import * as Witnessing from "./witnessing.ts"

/** Upstream keys that manifests name in `auth`. A test checks that none is missing. */
export const upstreamKeys = [
  "AISSTREAM_API_KEY",
  "BARENTSWATCH_CLIENT",
  "COINGECKO_API_KEY",
  "ETHERSCAN_API_KEY",
  "GITHUB_TOKEN"
] as const

/** The upstream keys that are set; an empty one counts as unset. */
const upstreamKeyValues = Effect.map(
  Effect.forEach(upstreamKeys, (name) => Config.option(Config.Redacted(name))),
  (values) =>
    Object.fromEntries(
      upstreamKeys.flatMap((name, n) => {
        const value = values[n]
        return value?._tag === "Some" && Redacted.value(value.value) !== "" ? [[name, value.value]] : []
      })
    )
)

/** Collects from upstreams in the collector thread. */
const liveFeeds = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    const intake = yield* Intake
    const names = yield* Plugins.names()
    const earlier = yield* earlierRuns(names).pipe(
      Effect.catch((error) =>
        Effect.as(
          Effect.logWarning("cannot read earlier runs; every plugin starts from scratch", {
            cause: error.message
          }),
          undefined
        )
      )
    )
    const { note, states: written } = yield* FeedStates
    const { origin: clock } = yield* DatabaseClock.DatabaseClock
    return Layer.effect(
      Feeds,
      Effect.gen(function* () {
        const { manifests, states: own } = yield* Collector
        const states = Effect.zipWith(own, written, (own, written) => new Map([...own, ...written]))
        return Feeds.of({ manifests: yield* manifests, states })
      })
    ).pipe(
      Layer.provideMerge(
        Collector.layer({
          deliver: intake.deliver,
          onState: note,
          keys: yield* upstreamKeyValues,
          // Not `Config`: which settings there are is known only once the thread has loaded the plugins.
          settings: settingsIn(process.env, names, new Set(upstreamKeys)),
          enabled: settings.enabledPlugins,
          memoryMegabytes: settings.collectorMemoryMib,
          ...(earlier === undefined ? {} : { earlier }),
          map: settings.map,
          contact: settings.base,
          ...(clock === undefined ? {} : { clock })
        })
      )
    )
  })
)

/** What the service waits for before it serves (`newest`) and before its scheduled work (`past`). Nothing in live mode. */
export class Readiness extends Context.Service<
  Readiness,
  { readonly newest: Effect.Effect<void>; readonly past: Effect.Effect<void> }
>()("runtime/service/layers/Readiness") {}

const ready = Layer.succeed(Readiness, Readiness.of({ newest: Effect.void, past: Effect.void }))

/** Runs every plugin over the recordings, in the demo's thread. */
const replayFeeds = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    const intake = yield* Intake
    const sql = yield* SqlClient.SqlClient
    const told = yield* sql`select 1 from fact where name = 'replay_told'`
    return Layer.effectContext(
      Effect.gen(function* () {
        const demo = yield* Demo
        const past = demo.past.pipe(
          Effect.andThen(
            Effect.orDie(
              sql`insert into fact ${sql.insert({ name: "replay_told", value: "yes" })} on conflict do nothing`
            )
          ),
          Effect.asVoid
        )
        return Context.make(Feeds, Feeds.of({ manifests: yield* demo.manifests, states: demo.states })).pipe(
          Context.add(Readiness, Readiness.of({ newest: demo.newest, past })),
          Context.add(Demo, demo)
        )
      })
    ).pipe(
      Layer.provide(
        Demo.layer({
          deliver: intake.deliver,
          bodiesFolder: Database.bodiesFolder(settings),
          preview: intake.preview,
          enabled: settings.enabledPlugins,
          skipPast: told.length > 0
        })
      )
    )
  })
)

/**
 * Work that begins once the service listens: what it first does, a vacuum among it, would keep an embedded database from
 * the first caller. Whoever builds it before has no `Http`, and does not compile.
 */
const onceListening = <A, E, R>(work: Layer.Layer<A, E, R>) => Layer.unwrap(Effect.as(Http, work))

/** Scheduled work. Each job has its own loop, so none waits for another or fails with it. */
export const schedules = onceListening(
  Layer.effectDiscard(
    Effect.gen(function* () {
      const recent = yield* RecentDays
      // Before a caller needs it, who would wait for it, and try again if it failed.
      yield* Effect.forkScoped(Effect.ignoreCause(recent.memory))
      // The past of a replay closes its own days, in their order (`demo/moments.ts`).
      const { past } = yield* Readiness
      const afterPast = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.andThen(past, work)
      yield* onDuty("the daily close", "1 minute", afterPast((yield* DailyClose).run))
      // What the log says with a time stays in it permanently, so that a clock in doubt says nothing there.
      yield* onDuty("the archive", "1 minute", afterPast(ifTrusted((yield* Archive).run)))
      yield* onDuty("the incident log", "1 minute", afterPast(ifTrusted((yield* IncidentLog).run)))
      yield* onDuty("the weekly brief", "1 minute", afterPast(ifTrusted((yield* Brief).run)))
      yield* onDuty("the signal ledger", "1 minute", afterPast(ifTrusted((yield* Signals).run)))
      yield* onDuty("checking what is served", "10 minutes", afterPast((yield* ServedSample).run))
      const events = yield* EventLog
      yield* onDuty("the feed of events", "1 second", afterPast(events.runIfDue))
      yield* onDuty("removing old events", "1 hour", removing("events", events.removeOld))
      // A stamp that is old counts as lost.
      yield* onDuty("anchoring", "5 minutes", ifTrusted((yield* Anchors).run))
      yield* onDuty("removing expired bodies", "6 hours", afterPast(removingBodies))
      yield* maintenance
    })
  )
)

const sampledMetrics = onceListening(SampledMetrics.layer)

const connected = Layer.effectDiscard(
  Effect.gen(function* () {
    const { connect } = yield* Intake
    yield* connect(yield* Ingest)
  })
)

/** Finishes what a killed process left half-written of the replay's feeds, which have one owner. */
const recovered = Layer.effectDiscard(
  Effect.gen(function* () {
    const { recover } = yield* Ingest
    for (const { id } of (yield* Feeds).manifests)
      yield* Effect.catchTag(recover(id), "RunFenced", Effect.die)
  })
)

const httpSettings = (mode: Database.Mode) =>
  Layer.effect(
    HttpSettings,
    Effect.gen(function* () {
      const settings = yield* Settings
      return HttpSettings.of({
        baseUrl: settings.base,
        mode,
        trustProxy: settings.trustProxy,
        metrics: Option.isNone(settings.metricsPort),
        spoolFolder: join(settings.dataDir, "spool")
      })
    })
  )

const connectionBounds = Layer.effect(
  ConnectionBounds,
  Effect.gen(function* () {
    const { mostConnections, mostConnectionsOfNetwork } = yield* Settings
    return {
      mostConnections: Option.getOrElse(mostConnections, roomForConnections),
      mostConnectionsOfNetwork
    }
  })
)

const publicAddress = Layer.effect(
  PublicAddress,
  Effect.map(Settings, ({ base }) => base)
)

const sampleSizes = Layer.effect(
  SampleSizes,
  Effect.gen(function* () {
    const settings = yield* Settings
    return { supply: settings.supplySample, networks: settings.networksSample }
  })
)

/** The database that the settings name, and its clock where it is a server. */
export const database = (mode: Database.Mode) =>
  Layer.unwrap(
    Effect.map(Settings, (settings) =>
      Layer.provideMerge(
        Option.isNone(settings.databaseUrl) ? Layer.empty : DatabaseClock.layer,
        Database.layer(settings, mode, Postgres.usual)
      )
    )
  )

const http = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    yield* (yield* Readiness).newest
    return Http.layer({ host: settings.host, port: settings.port })
  })
)

/** Compares the clocks in every process, also where nothing irreversible is due: an operator should hear of a doubt soon. */
const comparingClocks = Layer.effectDiscard(
  Effect.flatMap(TrustedClock, ({ trusted }) => inBackground("comparing the clocks", "1 minute", trusted))
)

/** A process that starts waits to hear the time from its upstreams, which answer within minutes. */
const hearingTheTime = Layer.effect(
  Witnesses,
  Effect.map(Witnesses, (witnesses) => ({ ...witnesses, patience: Duration.toMillis("10 minutes") }))
)

/** Looks whether the port is free before anything is stored. */
const portFree = Layer.effectDiscard(Effect.flatMap(Settings, ({ host, port }) => mayListen({ host, port })))

/** Records that the service is up, from when it listens. */
const recordingUptime = onceListening(
  Layer.effectDiscard(
    Effect.flatMap(Uptime, ({ beat }) => inBackground("the record of uptime", beatEvery, beat))
  )
)

/** Publishes the files of what is closed. */
const archiving = Layer.unwrap(
  Effect.map(Settings, ({ dataDir }) =>
    Archive.layer.pipe(Layer.provide(ParquetFiles.layer(join(dataDir, "drafts"))))
  )
)

/** Reads long histories from the archive. */
const longHistory = Layer.unwrap(
  Effect.map(Settings, ({ archiveMemoryMib, dataDir }) =>
    LongHistory.layer({ ceiling: archiveMemoryMib, folder: join(dataDir, "archive") })
  )
)

/** `ingesting` decides which of the collector's runs reach the database. */
const serving = <E, R>(mode: Database.Mode, ingesting: Layer.Layer<never, E, R>) =>
  Layer.mergeAll(
    Layer.provideMerge(Layer.mergeAll(recordingUptime, comparingClocks, schedules, sampledMetrics), http),
    MetricsPort.layer,
    ProcessMetrics.layer
  ).pipe(
    Layer.provide(Mcp.layer),
    Layer.provideMerge(Layer.merge(connected, ingesting)),
    // Whatever may refuse the start is above or was asked before; nothing is stored of what is collected yet.
    Layer.provideMerge(Layer.provide(settled, portFree)),
    Layer.provideMerge(following),
    Layer.provideMerge(webhooks),
    Layer.provideMerge(selling),
    Layer.provideMerge(longHistory),
    Layer.provideMerge(
      Layer.mergeAll(
        IngestCounts.layer,
        HistoryCoverage.layer,
        EventLog.layer,
        archiving,
        Anchoring.layer,
        Witnessing.layer,
        Analysing.layer
      )
    ),
    Layer.provideMerge(working(mode)),
    Layer.provideMerge(Layer.mergeAll(httpSettings(mode), connectionBounds, sampleSizes, publicAddress))
  )

/** Which of the shared work this process does, and how it ends. */
const duties = Layer.unwrap(
  Effect.map(Settings, ({ clusterAddress, databaseUrl, drainSeconds, host, port, roles }) =>
    Layer.provideMerge(
      Lifecycle.layer(Duration.seconds(drainSeconds)),
      Option.match(databaseUrl, {
        onNone: () => Duties.layerAlone,
        onSome: (url) =>
          Option.match(clusterAddress, {
            onNone: () => Duties.layerLocked,
            onSome: (address) =>
              Layer.unwrap(
                // Imported only where it is used: a process alone need not hold Effect's cluster in memory.
                Effect.map(
                  Effect.promise(() => import("../cluster/members.ts")),
                  (members) => members.layer({ address, database: url, roles })
                )
              )
          }).pipe(
            Layer.provide(
              ServiceLock.layer({ url, shared: Option.isSome(clusterAddress), address: `${host}:${port}` })
            )
          )
      })
    )
  )
)

/** Who owns the feeds, and how they fare. */
const ownership = Layer.unwrap(
  Effect.map(Settings, ({ databaseUrl }) =>
    Option.isNone(databaseUrl)
      ? Layer.merge(Claims.layerAlone, FeedStates.layerAlone)
      : Layer.provideMerge(FeedStates.layer, Claims.layer)
  )
)

const collectingService = (mode: "live" | "mapped") =>
  serving(mode, collecting).pipe(
    Layer.provideMerge(Layer.mergeAll(liveFeeds, ready)),
    Layer.provideMerge(Layer.merge(Intake.layer, ownership)),
    Layer.provideMerge(duties),
    // Before the lock: a process that must not serve this database need not wait for it.
    Layer.provideMerge(identity(mode)),
    Layer.provideMerge(hearingTheTime),
    Layer.provideMerge(database(mode))
  )

/** The live service. Data that it reads through `UPSTREAM_MAP` stays permanently marked. */
export const live = Layer.unwrap(
  Effect.map(Settings, ({ map }) => collectingService(map.size > 0 ? "mapped" : "live"))
)

/** The past of a demo is many rows, which nobody waits behind: longer transactions take less time in all. */
const longTransactions = Layer.merge(Layer.succeed(chunkRows, 3000), Layer.succeed(closeRows, 3000))

/** The demo: the same service over recordings instead of upstreams. */
export const replay = Layer.effectDiscard(
  happen({ onClosed: Progress.closed, rotateLog: (at) => Effect.andThen(rotateLog(at), Pins.print) })
).pipe(
  Layer.provideMerge(serving("replay", recovered)),
  Layer.provideMerge(replayFeeds),
  Layer.provideMerge(Intake.layer),
  Layer.provideMerge(duties),
  Layer.provideMerge(identity("replay")),
  Layer.provideMerge(database("replay")),
  // Below the database: a server takes longer ones anyway.
  Layer.provideMerge(longTransactions)
)
