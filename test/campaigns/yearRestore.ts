/** How long a backup of a played year takes, and its restore beside `COPY` of the same rows. */
import { join } from "node:path"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { backup as write } from "../../runtime/backup/backup.ts"
import { folderPlace } from "../../runtime/backup/place.ts"
import { restore as read } from "../../runtime/backup/restore.ts"
import { migrate } from "../../runtime/database/migrate.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import * as Tables from "../../runtime/database/tables.ts"
import { headFiles } from "../../runtime/service/headFiles.ts"
import type { Server } from "../bench/postgres.ts"
import { timed } from "./timed.ts"

/** Without bodies, whose size depends on the upstreams. */
export interface RestoreTimes {
  /** Of the restored database. */
  readonly bytes: number
  /** Seconds. */
  readonly backup: number
  readonly restore: number
  /** Of `COPY` into the same tables with the same indexes, one after the other. */
  readonly copy: number
}

const silent = () => Effect.void

const emptyDatabase = Effect.fnUntraced(function* ({ createDatabase, url }: Server, name: string) {
  yield* Effect.promise(() => createDatabase(name))
  const database = Postgres.layer(Redacted.make(`${url}/${name}`), { waits: Postgres.unhurried }).pipe(
    Layer.provide(Layer.succeed(Clock.Clock, Clock.Clock.defaultValue()))
  )
  return yield* Layer.build(
    Layer.fresh(Layer.mergeAll(Blobs.layerTable, ArchiveFiles.layerTable).pipe(Layer.provideMerge(database)))
  )
})

/** Every table with rows of the service. */
const allTables = Effect.map(Tables.tablesOf, (names) => [...names, "archive_part"])

const copiedOut = Effect.fnUntraced(function* (folder: string) {
  const sql = yield* SqlClient.SqlClient
  const names = yield* allTables
  for (const name of names) yield* sql.unsafe(`copy "${name}" to '${folder}/${name}' (format binary)`)
  return { names, partitions: yield* Tables.partitionsOf }
})

const copyIn = (folder: string, names: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // What triggers do is in the rows of other tables.
    yield* sql`set local session_replication_role = replica`
    for (const name of names) yield* sql.unsafe(`copy "${name}" from '${folder}/${name}' (format binary)`)
  })

/** Of the database at hand, on its server; the backup is made in a folder. */
export const timeRestore = Effect.fnUntraced(function* (server: Server, folder: string) {
  const memory = headFiles(join(folder, "heads"))
  const place = yield* folderPlace(join(folder, "backup"))
  const backup = yield* timed(write(place, { withBodies: false, memory, say: silent }))
  const restored = yield* emptyDatabase(server, "restored")
  const restore = yield* timed(
    Effect.provideContext(read(place, { memory: Effect.succeed(memory), say: silent }), restored)
  )
  const { names, partitions } = yield* copiedOut(server.shared)
  const copied = yield* emptyDatabase(server, "copied")
  const sql = Context.get(copied, SqlClient.SqlClient)
  yield* migrate.pipe(Effect.andThen(Tables.makePartitions(partitions)), Effect.provideContext(copied))
  const copy = yield* timed(
    copyIn(server.shared, names).pipe(sql.withTransaction, Effect.provideContext(copied))
  )
  const [size] = yield* Context.get(restored, SqlClient.SqlClient)<{
    bytes: number
  }>`select pg_database_size(current_database())::float8 as bytes`
  return { bytes: size?.bytes ?? 0, backup, restore, copy } satisfies RestoreTimes
}, Effect.scoped)
