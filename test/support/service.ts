/** A whole HTTP service on a free port, over a clone of the database and rows that the test made up. */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { AlertLimits } from "../../core/alerts/AlertLimits.ts"
import { AlertSender } from "../../core/alerts/AlertSender.ts"
import { Alerts } from "../../core/alerts/Alerts.ts"
import { AlertWatch } from "../../core/alerts/AlertWatch.ts"
import { MorningSender } from "../../core/alerts/MorningSender.ts"
import { Mornings } from "../../core/alerts/Mornings.ts"
import type { CardProcessor } from "../../core/credits/card/CardProcessor.ts"
import type { Chain } from "../../core/credits/chain/Chain.ts"
import type { EncoderKeys } from "../../core/credits/EncoderKeys.ts"
import { KeyMode } from "../../core/credits/keys/KeyMode.ts"
import { Limits } from "../../core/credits/Limits.ts"
import type { Product } from "../../core/credits/Product.ts"
import { Warranty } from "../../core/credits/warranty/Warranty.ts"
import type { Settler } from "../../core/credits/x402/Settler.ts"
import { EventLog } from "../../core/events/EventLog.ts"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { Overdue } from "../../core/log/Overdue.ts"
import { PublicAddress } from "../../core/log/record/attest.ts"
import { Sources } from "../../core/log/Sources.ts"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import { Availability } from "../../core/process/Availability.ts"
import { Brief } from "../../core/publications/Brief.ts"
import { Signals } from "../../core/publications/Signals.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { heartbeat } from "../../core/readings/heartbeat.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current, type LatestRow } from "../../core/readings/read/Current.ts"
import { HistoryCoverage } from "../../core/readings/read/HistoryCoverage.ts"
import { IngestCounts } from "../../core/readings/read/IngestCounts.ts"
import { ProvedSeries } from "../../core/readings/read/ProvedSeries.ts"
import { Rechecks } from "../../core/readings/recheck/Rechecks.ts"
import { TrustedClock } from "../../core/readings/TrustedClock.ts"
import { Deliverer } from "../../core/webhooks/Deliverer.ts"
import { Webhooks } from "../../core/webhooks/Webhooks.ts"
import type { FeedState } from "../../core/wire/data/feedState.ts"
import { RateLimits as HttpLimits } from "../../http/delivery/RateLimits.ts"
import { dayWords } from "../../http/explorer/pages/mornings.ts"
import { HttpSettings, type TestMode, testPath } from "../../http/HttpSettings.ts"
import { type ExtraRoute, ExtraRoutes } from "../../http/routing/ExtraRoutes.ts"
import { Http } from "../../http/server.ts"
import * as Messengers from "../../runtime/outside/messengers.ts"
import * as WebhookTargets from "../../runtime/outside/webhookTargets.ts"
import * as Keys from "../../runtime/service/Keyring.ts"
import { keyFilesOf } from "../../runtime/service/keyFiles.ts"
import * as Mcp from "../../runtime/service/mcp.ts"
import { credits } from "./credits.ts"
import { postgres } from "./database.ts"
import { origin } from "./keyring.ts"
import { type Call, call, json, type Keys as KeySet, keysOf, type Reply } from "./signed.ts"
import { trustedClock } from "./trustedClock.ts"
import { unlimited } from "./unlimitedRates.ts"

/** One heartbeat: a process that never wrote says so in `/readyz`. */
const beaten = Layer.effectDiscard(Effect.flatten(heartbeat)).pipe(Layer.provide(SecureRandom.layerWebCrypto))

export const baseUrl = "https://plumbline.test"
export const authority = "plumbline.test"
/** By which an operator would prove the domain to the registry of MCP servers. */
export const registryKey = Buffer.alloc(32, 7).toString("base64")

/** A row of `latest`, of a network that the catalog has unless the test says otherwise. */
export const latestRow = (series: number, fields: Partial<LatestRow> = {}): LatestRow => ({
  series,
  symbol: "FIL",
  metric: "active_storage_providers",
  source: "made-up",
  plugin: "made-up",
  tier: "supply_telemetry",
  unit: "count",
  value: series,
  value_text: null,
  verify_url: `https://upstream.test/${series}`,
  as_of: new Date("2026-09-01T00:00:00Z"),
  confirmed_at: new Date("2026-09-01T00:00:00Z"),
  simulated: false,
  ...fields
})

export const manifest: Manifest = {
  id: "made-up",
  title: "Made up",
  covers: { networks: ["FIL", "GEOD"] },
  tier: "supply_telemetry",
  source: "made-up",
  hosts: ["upstream.test"],
  every: "1 hour",
  // Larger than any count: tests write numbers that databases write in other digits.
  metrics: { active_storage_providers: { unit: "count", max: 1e18, meaning: "Providers with power." } },
  grade: "A",
  terms: {
    read: "2026-09-01",
    licence: "CC-BY-4.0",
    show: "yes",
    bulk: "yes",
    sell: "yes",
    bodies: "unknown",
    attribution: "Data: Made-up, Inc.",
    address: "https://upstream.test/terms"
  },
  owner: "tests"
}

/** What products and views are made from. */
const readSide = (
  manifests: ReadonlyArray<Manifest> = [manifest],
  database = postgres,
  states: Effect.Effect<ReadonlyMap<string, FeedState>> = Effect.succeed(new Map())
) =>
  Layer.mergeAll(
    Current.layer,
    HistoryCoverage.layer,
    IngestCounts.layer,
    ProvedSeries.layer,
    Sources.layer
  ).pipe(
    Layer.provideMerge(Layer.merge(Blobs.layerTable, ArchiveFiles.layerTable)),
    Layer.provideMerge(Layer.effectDiscard(partitions.ensure(Date.UTC(2026, 8, 5)))),
    Layer.provideMerge(Layer.succeed(Feeds, Feeds.of({ manifests, states }))),
    Layer.provideMerge(database)
  )

const keys = (folder: string | undefined, origin: string, simulated: boolean) =>
  Layer.unwrap(
    Effect.sync(() => {
      const dataDir = folder ?? mkdtempSync(join(tmpdir(), "plumbline-key-"))
      return Keys.layer({
        files: keyFilesOf({ dataDir, signingKeyFile: Option.none(), logKeyFile: Option.none() }),
        origin,
        simulated,
        notice: 0
      })
    })
  )

/** Where clients reach it; a test service is reached by the live one in front of it. */
const addressOf = ({
  path = "",
  port,
  testMode
}: {
  readonly path?: string
  readonly port?: number
  readonly testMode?: TestMode
}): string => {
  const address = (port === undefined ? baseUrl : `http://127.0.0.1:${port}`) + path
  return testMode?.keys === "test" ? address + testPath : address
}

/** What a test needs of the running service. */
export class Service extends Context.Service<
  Service,
  {
    readonly port: number
    readonly call: (call: Call | string) => Effect.Effect<Reply>
    readonly keys: KeySet
  }
>()("test/Service") {
  static readonly layer = (
    options: {
      readonly mode?: "live" | "replay" | "mapped"
      /** The test service, or the live one with it behind; neither without it. */
      readonly testMode?: TestMode
      /** A port that clients reach it at by its public address, as `verify` does; any free one without it. */
      readonly port?: number
      /** The path of the live service's public URL; none without it. */
      readonly path?: string
      readonly trustProxy?: number
      readonly spoolFolder?: string
      /** Where files of the log are kept; a new folder without it. */
      readonly filesFolder?: string
      readonly products?:
        | ReadonlyArray<Product>
        | Effect.Effect<
            ReadonlyArray<Product>,
            never,
            EncoderKeys | Layer.Success<ReturnType<typeof readSide>>
          >
      /** A migrated database; a clone of its own on Postgres without it. */
      readonly database?: typeof postgres
      /** The feeds; one made up without it. */
      readonly manifests?: ReadonlyArray<Manifest>
      readonly cards?: CardProcessor
      readonly chain?: Chain
      readonly settler?: Settler
      /** The folder where the signing keys are, or will be; a new one for each service without it. */
      readonly keyFolder?: string
      /** The name of its log; that of the test service without it. */
      readonly origin?: string
      /** Routes of another protocol beside the API; the product's own (`/mcp`) without it. */
      readonly beside?: ReadonlyArray<ExtraRoute>
      /** The mail server of alerts; without it none goes by mail. */
      readonly smtp?: string
      /** Stand-ins of the hosts that alerts are sent to. */
      readonly messengerHosts?: ReadonlyMap<string, URL>
      /** Counts calls as in production; without it nothing is limited. */
      readonly limited?: boolean
      /** How the feeds fare; not started without it. */
      readonly states?: Effect.Effect<ReadonlyMap<string, FeedState>>
    } = {}
  ) =>
    Layer.effect(
      Service,
      Effect.gen(function* () {
        const { port } = yield* Http
        const ask = (to: Call | string) =>
          Effect.promise(() => call(port, typeof to === "string" ? { path: to } : to))
        const document = json(yield* ask("/.well-known/service-signing-key.json"))
        return { port, call: ask, keys: keysOf(document) }
      })
    ).pipe(
      Layer.provide(
        Http.layer({
          host: "127.0.0.1",
          port: options.testMode?.keys === "test" ? 0 : (options.port ?? 0)
        })
      ),
      Layer.provide(
        options.beside === undefined
          ? Mcp.layerOf({
              baseUrl: addressOf(options),
              origins: ["https://app.test"],
              registryKey,
              trustProxy: options.trustProxy ?? 0
            })
          : Layer.succeed(ExtraRoutes, options.beside)
      ),
      Layer.provide(
        options.limited === true ? HttpLimits.layer.pipe(Layer.provide(Limits.layerUnwritten)) : unlimited
      ),
      Layer.provideMerge(
        Layer.succeed(
          HttpSettings,
          HttpSettings.of({
            baseUrl: addressOf(options),
            mode: options.mode ?? "live",
            testMode: options.testMode ?? { keys: "live" },
            trustProxy: options.trustProxy ?? 0,
            metrics: true,
            spoolFolder: options.spoolFolder ?? join(tmpdir(), "plumbline-spool"),
            filesFolder: options.filesFolder ?? mkdtempSync(join(tmpdir(), "plumbline-files-"))
          })
        )
      ),
      Layer.provideMerge(Layer.succeed(PublicAddress, addressOf(options))),
      Layer.provideMerge(Layer.provideMerge(beaten, Layer.merge(Overdue.layer, Availability.layer))),
      Layer.provideMerge(
        Layer.mergeAll(
          Webhooks.layer,
          Deliverer.layer,
          Alerts.layer,
          AlertLimits.layer,
          AlertWatch.layer,
          AlertSender.layer,
          Mornings.layer,
          MorningSender.layer.pipe(Layer.provide(dayWords))
        )
      ),
      Layer.provideMerge(
        Messengers.layer({
          mail: Option.map(Option.fromUndefinedOr(options.smtp), (url) => ({
            url: Redacted.make(url),
            from: "alerts@plumbline.test"
          })),
          telegramToken: Option.some(Redacted.make("1:token")),
          hosts: options.messengerHosts ?? new Map()
        })
      ),
      Layer.provideMerge(WebhookTargets.layer({ loopback: true })),
      Layer.provideMerge(
        Layer.mergeAll(DailyClose.layer, Brief.layer, Signals.layer, EventLog.layer, Rechecks.layer)
      ),
      Layer.provideMerge(Log.layer),
      Layer.provideMerge(Layer.mergeAll(Ingest.layer, Incidents.layer)),
      Layer.provideMerge(keys(options.keyFolder, options.origin ?? origin, options.mode === "replay")),
      Layer.provideMerge(Layer.succeed(TrustedClock, trustedClock)),
      Layer.provideMerge(Warranty.layer),
      Layer.provideMerge(
        credits(readSide(options.manifests, options.database, options.states), options.products, options)
      ),
      Layer.provideMerge(Layer.succeed(KeyMode, options.testMode?.keys ?? "live")),
      Layer.orDie
    )
}
