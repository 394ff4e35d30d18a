/** A service with nothing beside its HTTP face, for a process of its own: no feeds, no limits, a key that no file keeps. */
import { generateKeyPairSync, sign } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Option } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { Alerts } from "../../core/alerts/Alerts.ts"
import { Mornings } from "../../core/alerts/Mornings.ts"
import { Warranty } from "../../core/credits/warranty/Warranty.ts"
import { EventFeed } from "../../core/events/EventFeed.ts"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { Overdue } from "../../core/log/Overdue.ts"
import { Sources } from "../../core/log/Sources.ts"
import { Availability } from "../../core/process/Availability.ts"
import { Brief } from "../../core/publications/Brief.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { HistoryCoverage } from "../../core/readings/read/HistoryCoverage.ts"
import { IngestCounts } from "../../core/readings/read/IngestCounts.ts"
import { ProvedSeries } from "../../core/readings/read/ProvedSeries.ts"
import { Rechecks } from "../../core/readings/recheck/Rechecks.ts"
import { UpstreamClock } from "../../core/readings/UpstreamClock.ts"
import { Webhooks } from "../../core/webhooks/Webhooks.ts"
import { HttpSettings } from "../../http/HttpSettings.ts"
import { Http } from "../../http/server.ts"
import { Signer } from "../../http/signing/Signer.ts"
import * as Messengers from "../../runtime/outside/messengers.ts"
import * as WebhookTargets from "../../runtime/outside/webhookTargets.ts"
import { credits } from "./credits.ts"
import * as LogKeys from "./logKey.ts"
import { unlimited } from "./unlimitedRates.ts"

const settings = Layer.succeed(
  HttpSettings,
  HttpSettings.of({
    baseUrl: "http://127.0.0.1",
    mode: "live",
    testMode: { keys: "live" },
    trustProxy: 0,
    metrics: true,
    spoolFolder: join(tmpdir(), "plumbline-spool"),
    filesFolder: join(tmpdir(), "plumbline-files")
  })
)

const signer = Layer.sync(Signer, () => {
  const { privateKey } = generateKeyPairSync("ed25519")
  const key = { kid: "bare", sign: (message: Uint8Array) => sign(null, message, privateKey) }
  return Signer.of({ key: () => key })
})

const none = Layer.succeed(Feeds, Feeds.of({ manifests: [], states: Effect.succeed(new Map()) }))

/** Listens on a port of 127.0.0.1, a free one without it, over a migrated database. */
export const bareService = <E, R>(
  database: Layer.Layer<SqlClient.SqlClient, E, R>,
  port = 0,
  feeds: Layer.Layer<Feeds> = none
) =>
  Http.layer({ host: "127.0.0.1", port }).pipe(
    Layer.provide([
      settings,
      unlimited,
      Layer.mergeAll(
        Layer.mergeAll(Webhooks.layer, Alerts.layer, Mornings.layer).pipe(
          Layer.provide(WebhookTargets.layer({ loopback: false })),
          Layer.provide(
            Messengers.layer({ mail: Option.none(), telegramToken: Option.none(), hosts: new Map() })
          ),
          Layer.provideMerge(EventFeed.layer)
        ),
        HistoryCoverage.layer,
        ProvedSeries.layer,
        Rechecks.layer,
        IngestCounts.layer,
        Brief.layer.pipe(Layer.provideMerge(Log.layer)),
        Sources.layer
      )
    ]),
    Layer.provide(
      Overdue.layer.pipe(
        Layer.provide(DailyClose.layer),
        Layer.provide([Log.layer, Incidents.layer, UpstreamClock.layer])
      )
    ),
    Layer.provide(Availability.layer),
    Layer.provide(Layer.merge(Blobs.layerTable, ArchiveFiles.layerTable)),
    Layer.provide(LogKeys.layer()),
    Layer.provide(signer),
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(feeds),
    Layer.provideMerge(Warranty.layer),
    Layer.provideMerge(credits(database))
  )
