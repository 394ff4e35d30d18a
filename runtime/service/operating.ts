/** What works on the data, for the service and for operator commands: these load nothing of HTTP, of collectors or of the demo. */
import { Clock, Effect, Layer } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../core/clock/DataClock.ts"
import type { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { ServedSample } from "../../core/log/check/ServedSample.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { HeadMemory } from "../../core/log/HeadMemory.ts"
import { IncidentLog } from "../../core/log/IncidentLog.ts"
import { Log } from "../../core/log/Log.ts"
import { Overdue } from "../../core/log/Overdue.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { Availability } from "../../core/process/Availability.ts"
import { Brief } from "../../core/publications/Brief.ts"
import { SalesLog } from "../../core/publications/SalesLog.ts"
import { Signals } from "../../core/publications/Signals.ts"
import { Anomalies } from "../../core/readings/anomalies/Anomalies.ts"
import type { Feeds } from "../../core/readings/Feeds.ts"
import type { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { TrustedClock } from "../../core/readings/TrustedClock.ts"
import { UpstreamClock } from "../../core/readings/UpstreamClock.ts"
import { Uptime } from "../../core/readings/Uptime.ts"
import type * as Database from "../database/Database.ts"
import { Facts } from "../database/facts.ts"
import * as StoreSources from "../derivation/storeSources.ts"
import { Settings } from "../settings/Settings.ts"
import { start as demoStart, firstDay } from "../tape/instants.ts"
import { accounts, secret } from "./accounts.ts"
import { headDirOf, headFiles } from "./headFiles.ts"
import * as Keys from "./Keyring.ts"
import { keyFilesOf } from "./keyFiles.ts"
import * as Witnessing from "./witnessing.ts"

/** The end of the log's origin, so that a checkpoint over stand-in or recorded values cannot pass for live data. */
const logNames: Readonly<Record<Database.Mode, string>> = { live: "log", replay: "demo", mapped: "mapped" }

/** The name of the log, which is set once and never changes. */
export const logOrigin = Effect.fnUntraced(function* (mode: Database.Mode) {
  const settings = yield* Settings
  const address = settings.base.replace(/^https?:\/\//, "")
  return yield* (yield* Facts).claim("log_origin", `${address}/${logNames[mode]}`)
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

/** The data clock of a replay: it started when the directory was created and has run since. */
export const replayClock = Layer.effect(
  DataClock.offset,
  Effect.gen(function* () {
    const { claim } = yield* Facts
    const started = yield* claim("replay_started", String(yield* Clock.currentTimeMillis))
    return demoStart - Number(started)
  })
)

/** Everything that works on the data. */
export const working = (mode: Database.Mode) =>
  Layer.merge(Overdue.layer, Layer.provideMerge(Uptime.layer, Availability.layer)).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        DailyClose.layer,
        IncidentLog.layer,
        RunLog.layer,
        SalesLog.layer,
        ServedSample.layer,
        Brief.layer,
        Signals.layer,
        Anomalies.layer
      )
    ),
    Layer.provideMerge(Log.layer),
    Layer.provideMerge(Witnessing.heads(mode)),
    Layer.provideMerge(Layer.mergeAll(StoreSources.layer, Incidents.layer)),
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(accounts)
  )

/**
 * The keys and the secret, which must be the ones that the database knows. They are the first that ask for the time, so the
 * clock of a replay is here: by the wall clock its retired keys would be long forgotten.
 */
export const identity = (mode: Database.Mode) =>
  Layer.merge(keys(mode), secret).pipe(
    Layer.provideMerge(TrustedClock.layer),
    Layer.provideMerge(UpstreamClock.layer),
    Layer.provideMerge(mode === "replay" ? replayClock : Layer.empty)
  )

/** Stores what the database was claimed for, once nothing can refuse the start any more. */
export const settled = Layer.effectDiscard(Effect.flatMap(Facts, ({ settle }) => settle))

/** Everything that works on the data, for operator commands. */
export const operating = (mode: Database.Mode) => Layer.provideMerge(working(mode), identity(mode))

/** The services that an operator command may use. */
export type Operating =
  | Layer.Success<ReturnType<typeof operating>>
  | ArchiveFiles
  | SqlClient.SqlClient
  | Feeds
  | Blobs
