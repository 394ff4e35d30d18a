/** Chooses the database: the embedded one in `DATA_DIR`, or the Postgres in `DATABASE_URL`. Decided only here. */
import { join } from "node:path"
import type * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../core/clock/DataClock.ts"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { Claimant } from "../../core/log/claims.ts"
import { Pulse } from "../../core/process/Pulse.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Witnesses } from "../../core/readings/TrustedClock.ts"
import { hasTable } from "../../core/sql/hasTable.ts"
import { storedFact } from "../../core/sql/keyValue.ts"
import * as archiveFolder from "../archive/folder.ts"
import * as archiveObjects from "../archive/objects.ts"
import * as ObjectStore from "../outside/objectStore.ts"
import { embeddedIn } from "../settings/dataDir.ts"
import type { Settings } from "../settings/Settings.ts"
import * as blobFiles from "./blobFiles.ts"
import * as blobObjects from "./blobObjects.ts"
import { checked, DatabaseUnusable, unusable } from "./connecting.ts"
import { Facts } from "./facts.ts"
import { noteFormats } from "./formats.ts"
import { migrate } from "./migrate.ts"
import * as Owner from "./ownership.ts"
import * as Pglite from "./Pglite.ts"
import * as Postgres from "./Postgres.ts"

/**
 * What a database contains: values from upstreams (`live`), from the demo (`replay`), or from the stand-ins of
 * `UPSTREAM_MAP` (`mapped`). This never changes, and a service of one mode refuses to open a database of another.
 */
export type Mode = "live" | "replay" | "mapped"

export class WrongMode extends Schema.TaggedError<WrongMode>()("WrongMode", { message: Schema.String }) {}

/** Where operator commands arrive. None on Postgres, where a command connects to the database itself. */
export class Commands extends Context.Service<
  Commands,
  { readonly serve: Option.Option<(run: Owner.RunCommand) => void> }
>()("runtime/database/Commands") {}

/** The folder in which bodies are kept as files; undefined where they are kept elsewhere. */
export const bodiesFolder = ({
  bucket,
  databaseUrl,
  dataDir
}: Pick<Settings["Service"], "bucket" | "databaseUrl" | "dataDir">): string | undefined =>
  Option.isNone(databaseUrl) && Option.isNone(bucket) ? blobsIn(dataDir) : undefined

const blobsIn = (dataDir: string): string => join(dataDir, "blobs")

type Services = ArchiveFiles | PgClient.PgClient | SqlClient.SqlClient | Blobs | Commands

/** The store of a bucket that the settings name, once it answers. */
const reached = Effect.fnUntraced(function* (setting: string, place: ObjectStore.Bucket) {
  const store = yield* ObjectStore.make(place)
  yield* Effect.mapError(
    store.list("", 1),
    ({ message }) => new DatabaseUnusable({ message: `${setting}: ${message}` })
  )
  return store
})

/** Where bodies are kept: in `own`, the database's place, unless the settings name a bucket that can be reached. */
export const bodies = <E, R>(
  own: Layer.Layer<Blobs, E, R>,
  { bucket }: Pick<Settings["Service"], "bucket">
) =>
  Option.match(bucket, {
    onNone: (): Layer.Layer<Blobs, E | DatabaseUnusable, R> => own,
    onSome: (place) =>
      Layer.effect(
        Blobs,
        Effect.gen(function* () {
          return blobObjects.make(yield* reached("BLOBS_URL", place), yield* Blobs)
        })
      ).pipe(Layer.provide(own))
  })

/** Where the archive is kept, likewise. */
export const archive = <E, R>(
  own: Layer.Layer<ArchiveFiles, E, R>,
  { archiveBucket, archiveDir }: Pick<Settings["Service"], "archiveBucket" | "archiveDir">
) => {
  const place = Option.match(archiveDir, { onNone: () => own, onSome: archiveFolder.layer })
  return Option.match(archiveBucket, {
    onNone: (): Layer.Layer<ArchiveFiles, E | DatabaseUnusable, R> => place,
    onSome: (bucket) =>
      Layer.effect(
        ArchiveFiles,
        Effect.gen(function* () {
          return archiveObjects.make(yield* reached("ARCHIVE_URL", bucket), yield* ArchiveFiles)
        })
      ).pipe(Layer.provide(place))
  })
}

/** The few connections of `Pulse`. */
const pulsing = (url: Redacted.Redacted) =>
  Layer.effect(
    Pulse,
    Effect.map(
      Layer.build(Postgres.layer(url, { waits: Postgres.brisk, connections: Postgres.leastConnections })),
      Context.get(SqlClient.SqlClient)
    )
  )

/** The database in the settings, opened without migrating it. A service has `waits` shorter than a command. */
export const engine = (
  settings: Settings["Service"],
  waits: Postgres.Waits = Postgres.unhurried
): Layer.Layer<Services, Owner.DirectoryOwned | Owner.DirectoryUnusable | DatabaseUnusable | SqlError> =>
  Option.match(settings.databaseUrl, {
    onNone: () =>
      Layer.unwrap(
        Effect.map(Owner.own(settings.dataDir), ({ serve }) =>
          Layer.mergeAll(
            Pglite.layer({ dataDir: embeddedIn(settings.dataDir) }),
            bodies(blobFiles.layer(blobsIn(settings.dataDir)), settings),
            archive(archiveFolder.layer(join(settings.dataDir, "archive")), settings),
            Layer.succeed(Commands, Commands.of({ serve: Option.some(serve) })),
            Layer.succeed(Claimant, "the owner of the directory")
          )
        )
      ),
    onSome: (url) =>
      Layer.mergeAll(
        bodies(Blobs.layerTable, settings),
        archive(ArchiveFiles.layerTable, settings),
        pulsing(url),
        Layer.succeed(Commands, Commands.of({ serve: Option.none() }))
      ).pipe(Layer.provideMerge(checked(url, { waits })))
  })

/**
 * Opens and migrates the database. With a mode, it refuses a database of another mode; an empty one gets the settings' once
 * its facts are settled.
 */
export const layer = (settings: Settings["Service"], mode?: Mode, waits?: Postgres.Waits) =>
  Layer.effectDiscard(
    prepare(mode, mode ?? (settings.map.size > 0 ? "mapped" : "live")).pipe(
      migrating(settings),
      Effect.mapError((error) =>
        Option.isSome(settings.databaseUrl) && isSqlError(error)
          ? unusable(settings.databaseUrl.value, error)
          : error
      )
    )
  ).pipe(
    Layer.provideMerge(Facts.layer),
    Layer.provideMerge(engine(settings, waits)),
    Layer.provideMerge(
      Layer.succeed(Witnesses, {
        database: Option.isSome(settings.databaseUrl),
        // The demo's answers were recorded.
        upstreams: mode !== "replay",
        gracePeriod: 0
      })
    )
  )

/** A migration may take hours, whoever runs it. */
const migrating =
  ({ databaseUrl }: Settings["Service"]) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Option.match(databaseUrl, {
      onNone: () => work,
      onSome: (url) =>
        Effect.provide(work, Postgres.layer(url, { waits: Postgres.unhurried, long: Postgres.unhurried }))
    })

const isMode = (text: string): text is Mode => Object.hasOwn(holdings, text)

/** The mode of the database; an empty one counts as live until a service of another mode opens it. */
export const heldMode: Effect.Effect<Mode, SqlError, SqlClient.SqlClient> = Effect.map(
  storedFact("mode"),
  (mode) => (mode !== undefined && isMode(mode) ? mode : "live")
)

const prepare = Effect.fn("Database.prepare")(function* (mode: Mode | undefined, ifEmpty: Mode) {
  yield* refuse(mode, yield* modeBefore)
  yield* migrate
  yield* refuse(mode, yield* (yield* Facts).claim("mode", ifEmpty))
  yield* noteFormats
  yield* partitions.ensure(yield* DataClock.now)
})

/** The mode of the database before it is touched; undefined if it is empty. */
const modeBefore = Effect.flatMap(hasTable("fact"), (there) =>
  there ? storedFact("mode") : Effect.undefined
)

const holdings: Readonly<Record<Mode, string>> = {
  live: "live values",
  replay: "replay data (from the demo)",
  mapped: "values from stand-ins (UPSTREAM_MAP)"
}

const openedBy: Readonly<Record<Mode, string>> = {
  live: "start without UPSTREAM_MAP and without --replay",
  replay: "start with serve --replay",
  mapped: "set UPSTREAM_MAP again"
}

const refuse = (mode: Mode | undefined, storedMode: string | undefined) =>
  mode === undefined || storedMode === undefined || storedMode === mode
    ? Effect.void
    : new WrongMode({
        message: isMode(storedMode)
          ? `this database holds ${holdings[storedMode]} and cannot be opened for ${mode} data: ${openedBy[storedMode]}, or use another DATA_DIR or DATABASE_URL`
          : `this database holds data of the unknown mode "${storedMode}"; use the version of Plumbline that created it`
      })
