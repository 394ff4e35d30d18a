/** The service as layers: which implementation is behind which port. `main.ts` starts it. */
import { join } from "node:path"
import { Clock, Config, Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Availability } from "../../core/data/Availability.ts"
import * as DataClock from "../../core/data/DataClock.ts"
import { Feeds } from "../../core/data/Feeds.ts"
import type { Blobs } from "../../core/data/ingest/Blobs.ts"
import { Incidents } from "../../core/data/ingest/Incidents.ts"
import { Ingest } from "../../core/data/ingest/Ingest.ts"
import { inBackground } from "../../core/data/loop.ts"
import { SampleSizes } from "../../core/data/read/Access.ts"
import { Current } from "../../core/data/read/Current.ts"
import { HistoryCoverage } from "../../core/data/read/HistoryCoverage.ts"
import { IngestCounts } from "../../core/data/read/IngestCounts.ts"
import { RecentDays } from "../../core/data/read/RecentDays.ts"
import { beatEvery, Uptime } from "../../core/data/Uptime.ts"
import { EventLog } from "../../core/events/EventLog.ts"
import { Anchors } from "../../core/log/Anchors.ts"
import { Archive } from "../../core/log/archive/Archive.ts"
import type { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { ServedSample } from "../../core/log/check/ServedSample.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { HeadMemory } from "../../core/log/HeadMemory.ts"
import { IncidentLog } from "../../core/log/IncidentLog.ts"
import { Log } from "../../core/log/Log.ts"
import { Overdue } from "../../core/log/Overdue.ts"
import { PublicAddress } from "../../core/log/read/attest.ts"
import { Brief } from "../../core/publications/Brief.ts"
import { Signals } from "../../core/publications/Signals.ts"
import { HttpSettings } from "../../http/HttpSettings.ts"
import { Http } from "../../http/server.ts"
import * as LongHistory from "../archive/longHistory.ts"
import * as ParquetFiles from "../archive/parquetFiles.ts"
import { Claims } from "../cluster/Claims.ts"
import { collecting } from "../cluster/collecting.ts"
import { Duties, onDuty } from "../cluster/Duties.ts"
import { FeedStates } from "../cluster/FeedStates.ts"
import { Lifecycle } from "../cluster/Lifecycle.ts"
import * as Members from "../cluster/members.ts"
import { ServiceLock } from "../cluster/ServiceLock.ts"
import { Collector } from "../collector/Collector.ts"
import { earlierRuns } from "../collector/earlierRuns.ts"
import * as Plugins from "../collector/plugins.ts"
import { settingsIn } from "../collector/run.ts"
import * as Database from "../database/Database.ts"
import { getOrInit } from "../database/facts.ts"
import { Demo } from "../demo/Demo.ts"
import { start as demoStart, firstDay } from "../demo/instants.ts"
import { happen } from "../demo/moments.ts"
import * as Progress from "../demo/progress.ts"
import * as Keeping from "../derivation/keeping.ts"
import * as MetricsPort from "../metrics/port.ts"
import * as ProcessMetrics from "../metrics/process.ts"
import * as SampledMetrics from "../metrics/sampled.ts"
import * as Analysing from "./analyses.ts"
import * as Anchoring from "./anchoring.ts"
import { accounts, secret, selling } from "./credits.ts"
import { following } from "./following.ts"
import { headDirOf, headFiles } from "./headFiles.ts"
import { Intake } from "./Intake.ts"
import * as Keys from "./Keyring.ts"
import { keyFilesOf } from "./keyFiles.ts"
import { maintenance } from "./maintenance.ts"
import * as Mcp from "./mcp.ts"
import { rotateLog } from "./newKeys.ts"
import { Settings } from "./Settings.ts"
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

/** The end of the log's origin, so that a checkpoint over stand-in or recorded values cannot pass for live data. */
const logNames: Readonly<Record<Database.Mode, string>> = { live: "log", replay: "demo", mapped: "mapped" }

/** The name of the log, which is set once and never changes. */
export const logOrigin = Effect.fnUntraced(function* (mode: Database.Mode) {
  const settings = yield* Settings
  const address = settings.base.replace(/^https?:\/\//, "")
  return yield* getOrInit("log_origin", `${address}/${logNames[mode]}`)
})

/** The keys that sign answers and the log, and the heads that this process remembers of it. */
const keys = (mode: Database.Mode) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const settings = yield* Settings
      const files = keyFilesOf(settings)
      const simulated = mode === "replay"
      return Layer.merge(
        Keys.layer({
          files,
          origin: yield* logOrigin(mode),
          simulated,
          notice: settings.keyNoticeSeconds * 1000,
          ...(simulated ? { logSince: firstDay } : {})
        }),
        Layer.succeed(HeadMemory, headFiles(headDirOf(settings, files.log.file, simulated)))
      )
    })
  )

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
          contact: settings.base
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

/** The data clock of a replay: it started when the directory was created and has run since. */
const replayClock = Layer.effect(
  DataClock.offset,
  Effect.gen(function* () {
    const started = yield* getOrInit("replay_started", String(yield* Clock.currentTimeMillis))
    return demoStart - Number(started)
  })
)

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
          preview: intake.preview,
          enabled: settings.enabledPlugins,
          skipPast: told.length > 0
        })
      )
    )
  })
)

/** Scheduled work. Each job has its own loop, so none waits for another or fails with it. */
export const schedules = Layer.effectDiscard(
  Effect.gen(function* () {
    const recent = yield* RecentDays
    // Before the first caller waits for it, who would try again if it failed.
    yield* Effect.forkScoped(Effect.ignoreCause(recent.memory))
    // The past of a replay closes its own days, in their order (`demo/moments.ts`).
    const { past } = yield* Readiness
    const afterPast = <A, E>(work: Effect.Effect<A, E>) => Effect.andThen(past, work)
    yield* onDuty("the daily close", "1 minute", afterPast((yield* DailyClose).run))
    yield* onDuty("the archive", "1 minute", afterPast((yield* Archive).run))
    yield* onDuty("the incident log", "1 minute", afterPast((yield* IncidentLog).run))
    yield* onDuty("the weekly brief", "1 minute", afterPast((yield* Brief).run))
    yield* onDuty("the signal ledger", "1 minute", afterPast((yield* Signals).run))
    yield* onDuty("checking what is served", "10 minutes", afterPast((yield* ServedSample).run))
    const events = yield* EventLog
    yield* onDuty("the feed of events", "1 second", afterPast(events.runIfDue))
    yield* onDuty("removing old events", "1 hour", events.removeOld)
    yield* onDuty("anchoring", "5 minutes", (yield* Anchors).run)
    yield* maintenance
  })
)

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

/** Everything that works on the data. */
const working = (mode: Database.Mode) =>
  Layer.merge(Overdue.layer, Layer.provideMerge(Uptime.layer, Availability.layer)).pipe(
    Layer.provideMerge(
      Layer.mergeAll(DailyClose.layer, IncidentLog.layer, ServedSample.layer, Brief.layer, Signals.layer)
    ),
    Layer.provideMerge(Log.layer),
    Layer.provideMerge(Witnessing.heads(mode)),
    Layer.provideMerge(Layer.mergeAll(Keeping.layer, Incidents.layer)),
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(accounts)
  )

/**
 * The keys and the secret, which must be the ones that the database knows. They are the first that ask for the time, so the
 * clock of a replay is here: by the wall clock its retired keys would be long forgotten.
 */
export const identity = (mode: Database.Mode) =>
  Layer.merge(keys(mode), secret).pipe(Layer.provideMerge(mode === "replay" ? replayClock : Layer.empty))

/** Everything that works on the data, for operator commands. */
export const operating = (mode: Database.Mode) => Layer.provideMerge(working(mode), identity(mode))

/** The services that an operator command may use. */
export type Operating =
  | Layer.Success<ReturnType<typeof operating>>
  | ArchiveFiles
  | SqlClient.SqlClient
  | Feeds
  | Blobs

/** The database that the settings name. */
export const database = (mode: Database.Mode) =>
  Layer.unwrap(Effect.map(Settings, (settings) => Database.layer(settings, mode)))

const http = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    yield* (yield* Readiness).newest
    return Http.layer({ host: settings.host, port: settings.port })
  })
)

/** Records that the service is up, from when it listens. */
const recordingUptime = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* Http
    yield* inBackground("the record of uptime", beatEvery, (yield* Uptime).beat)
  })
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
    Layer.provideMerge(recordingUptime, http),
    MetricsPort.layer,
    ProcessMetrics.layer,
    SampledMetrics.layer
  ).pipe(
    Layer.provide(Mcp.layer),
    Layer.provideMerge(Layer.merge(connected, ingesting)),
    Layer.provideMerge(Layer.merge(schedules, following)),
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
    Layer.provideMerge(Layer.mergeAll(httpSettings(mode), sampleSizes, publicAddress))
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
            onSome: (address) => Members.layer({ address, roles })
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
    Layer.provideMerge(database(mode))
  )

/** The live service. Data that it reads through `UPSTREAM_MAP` stays marked for ever. */
export const live = Layer.unwrap(
  Effect.map(Settings, ({ map }) => collectingService(map.size > 0 ? "mapped" : "live"))
)

/** The demo: the same service over recordings instead of upstreams. */
export const replay = Layer.effectDiscard(happen({ onClosed: Progress.closed, rotateLog })).pipe(
  Layer.provideMerge(serving("replay", recovered)),
  Layer.provideMerge(replayFeeds),
  Layer.provideMerge(Intake.layer),
  Layer.provideMerge(duties),
  Layer.provideMerge(identity("replay")),
  Layer.provideMerge(database("replay"))
)
