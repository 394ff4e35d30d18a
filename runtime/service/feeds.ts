/** Where runs come from: the feeds, who owns them, and which of the shared work this process does. */
import { Config, Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DatabaseClock from "../../core/clock/DatabaseClock.ts"
import { noteKeyText } from "../../core/proof/checkpoint.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import { storedFact, storeFact } from "../../core/sql/keyValue.ts"
import { Claims } from "../cluster/Claims.ts"
import { Duties } from "../cluster/Duties.ts"
import { FeedStates } from "../cluster/FeedStates.ts"
import { Lifecycle } from "../cluster/Lifecycle.ts"
import { ServiceLock } from "../cluster/ServiceLock.ts"
import { Collector } from "../collector/Collector.ts"
import { earlierRuns } from "../collector/earlierRuns.ts"
import { outsidePlugins } from "../collector/outside.ts"
import * as Plugins from "../collector/plugins.ts"
import { settingsIn } from "../collector/run.ts"
import * as Database from "../database/Database.ts"
import { Demo } from "../demo/Demo.ts"
import { SimulatedSeats } from "../outside/simulatedSeats.ts"
import { Settings } from "../settings/Settings.ts"
import type { KeyValues } from "../upstream/keys.ts"
import { Intake } from "./Intake.ts"
import * as Notarising from "./notarising.ts"
import { Readiness } from "./Readiness.ts"

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

/** What the environment has for plugins from elsewhere. Which of it is a key, their manifests say. */
const keysFromElsewhere = (): KeyValues =>
  Object.fromEntries(
    Object.entries(
      settingsIn(
        process.env,
        outsidePlugins().map(({ id }) => id),
        new Set()
      )
    ).map(([name, value]) => [name, Redacted.make(value)])
  )

/** Collects from upstreams in the collector thread. */
const collected = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    const intake = yield* Intake
    const names = yield* Plugins.allNames()
    if (settings.plugins.length > 0)
      yield* Effect.logInfo("plugins from elsewhere are not reviewed here", {
        named: settings.plugins.join(", "),
        plugins: outsidePlugins()
          .map(({ id }) => id)
          .join(", ")
      })
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
    const { note, states } = yield* FeedStates
    const { origin: clock } = yield* DatabaseClock.DatabaseClock
    const notaries = yield* Notarising.configured
    const keepNotes = yield* Notarising.noteStorage(notaries)
    return Layer.effect(
      Feeds,
      Effect.gen(function* () {
        const { manifests } = yield* Collector
        return Feeds.of({ manifests: yield* manifests, states })
      })
    ).pipe(
      Layer.provideMerge(
        Collector.layer({
          deliver: intake.deliver,
          onState: note,
          keys: { ...keysFromElsewhere(), ...(yield* upstreamKeyValues) },
          // Not `Config`: which settings there are is known only once the thread has loaded the plugins.
          settings: settingsIn(process.env, names, new Set(upstreamKeys)),
          enabled: settings.enabledPlugins,
          memoryMegabytes: settings.collectorMemoryMib,
          ...(earlier === undefined ? {} : { earlier }),
          notaries: Redacted.make(notaries),
          deliverNotes: keepNotes,
          map: settings.map,
          contact: settings.base,
          ...(clock === undefined ? {} : { clock })
        })
      )
    )
  })
)

/** Keeps with the runs what the notary states of them that the demo plays itself, if it does. */
const notarised = Effect.fnUntraced(function* (deliver: Intake["Service"]["deliver"]) {
  const seats = yield* SimulatedSeats
  if (seats === undefined) return deliver
  const { notes, verifier } = seats.notary
  const keep = yield* Notarising.noteStorage([{ vkey: noteKeyText(verifier) }])
  return (...deliveries: ReadonlyArray<Delivery>) =>
    Effect.andThen(
      deliver(...deliveries),
      Effect.forEach(
        deliveries.flatMap(({ run }) => notes(run) ?? []),
        keep,
        { discard: true }
      )
    )
})

/** Runs every plugin over the recordings, in the demo's thread. */
const replayed = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    const intake = yield* Intake
    const sql = yield* SqlClient.SqlClient
    const deliver = yield* notarised(intake.deliver)
    const wasTold = (yield* storedFact("replay_told")) !== undefined
    return Layer.effectContext(
      Effect.gen(function* () {
        const demo = yield* Demo
        const past = demo.past.pipe(
          Effect.andThen(
            Effect.orDie(Effect.provideService(storeFact("replay_told", "yes"), SqlClient.SqlClient, sql))
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
          deliver,
          bodiesFolder: Database.bodiesFolder(settings),
          preview: intake.preview,
          enabled: settings.enabledPlugins,
          skipPast: wasTold
        })
      )
    )
  })
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

/** The feeds of the live service, as far as this process owns them. */
export const liveFeeds = Layer.merge(collected, Readiness.layerNow).pipe(
  Layer.provideMerge(Layer.merge(Intake.layer, ownership)),
  Layer.provideMerge(duties)
)

/** The feeds of the demo, which have one owner. */
export const replayFeeds = replayed.pipe(Layer.provideMerge(Intake.layer), Layer.provideMerge(duties))
