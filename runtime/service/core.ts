/** What works on the data, up to the rows that begin to arrive. */
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { Secret } from "../../core/credits/Secret.ts"
import { EventLog } from "../../core/events/EventLog.ts"
import { Archive } from "../../core/log/archive/Archive.ts"
import { PublicAddress } from "../../core/log/record/attest.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { SampleSizes } from "../../core/readings/read/Access.ts"
import { HistoryCoverage } from "../../core/readings/read/HistoryCoverage.ts"
import { IngestCounts } from "../../core/readings/read/IngestCounts.ts"
import { ProvedSeries } from "../../core/readings/read/ProvedSeries.ts"
import { AskerName, Rechecks } from "../../core/readings/recheck/Rechecks.ts"
import { mayListen } from "../../http/server.ts"
import * as LongHistory from "../archive/longHistory.ts"
import * as ParquetFiles from "../archive/parquetFiles.ts"
import type * as Database from "../database/Database.ts"
import { Settings } from "../settings/Settings.ts"
import { alerts } from "./alerts.ts"
import * as Analysing from "./analyses.ts"
import * as Anchoring from "./anchoring.ts"
import * as AskingChains from "./askingChains.ts"
import { selling } from "./credits.ts"
import { following } from "./following.ts"
import { Intake } from "./Intake.ts"
import { notaryWarnings } from "./notarising.ts"
import * as Observing from "./observing.ts"
import { settled, working } from "./operating.ts"
import { permissions } from "./permitting.ts"
import { webhooks } from "./webhooks.ts"
import * as Witnessing from "./witnessing.ts"

const connected = Layer.effectDiscard(
  Effect.gen(function* () {
    const { connect } = yield* Intake
    yield* connect(yield* Ingest)
  })
)

/** Finishes what a killed process left half-written of the replay's feeds, which have one owner. */
export const recovered = Layer.effectDiscard(
  Effect.gen(function* () {
    const { recover } = yield* Ingest
    for (const { id } of (yield* Feeds).manifests)
      yield* Effect.catchTag(recover(id), ["BlobsUnavailable", "RunFenced"], Effect.die)
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

/** Looks whether the port is free before anything is stored. */
const portFree = Layer.effectDiscard(Effect.flatMap(Settings, ({ host, port }) => mayListen({ host, port })))

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

/** Every process of the service has the same names for those who ask for a look again, and no address is stored. */
const askerNames = Layer.effect(
  AskerName,
  Effect.map(
    Secret,
    ({ hmac }) =>
      (network: string) =>
        Buffer.from(hmac("recheck", network)).toString("hex")
  )
)

/** The core's services. `ingesting` decides which of the feeds' runs reach the database. */
export const core = <E, R>(mode: Database.Mode, ingesting: Layer.Layer<never, E, R>) =>
  Layer.merge(connected, ingesting).pipe(
    // Whatever may refuse the start was asked before; nothing is stored of what is collected yet.
    Layer.provideMerge(Layer.provide(settled, portFree)),
    Layer.provideMerge(following),
    Layer.provideMerge(Layer.merge(webhooks, alerts)),
    Layer.provideMerge(mode === "replay" ? Layer.empty : notaryWarnings),
    Layer.provideMerge(selling),
    Layer.provideMerge(longHistory),
    Layer.provideMerge(
      Layer.mergeAll(
        IngestCounts.layer,
        HistoryCoverage.layer,
        ProvedSeries.layer,
        Layer.provide(Rechecks.layer, askerNames),
        EventLog.layer,
        archiving,
        Anchoring.layer,
        Witnessing.layer,
        AskingChains.layer(mode),
        Observing.layer(mode),
        Analysing.layer
      )
    ),
    Layer.provideMerge(working(mode)),
    Layer.provideMerge(Layer.mergeAll(sampleSizes, publicAddress, permissions(mode)))
  )
