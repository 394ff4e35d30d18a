/** Bodies by SHA-256, zstd-compressed; written and synced before any row refers to them. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { rowsOf } from "../../sql/rows.ts"
import { texts } from "./arrays.ts"

const bytesRows = rowsOf({ bytes: Schema.Uint8Array })
const hashRows = rowsOf({ sha256: Schema.String })

/** Storing a body failed: the disk is full, read-only or broken. The message names the file and the reason. */
export class BlobsUnavailable extends Schema.TaggedError<BlobsUnavailable>()("BlobsUnavailable", {
  message: Schema.String
}) {}

export class Blobs extends Context.Service<
  Blobs,
  {
    /** Stores compressed bytes under the SHA-256 of the uncompressed ones; does nothing if already stored. */
    readonly put: (sha256: string, compressed: Uint8Array) => Effect.Effect<void, SqlError | BlobsUnavailable>
    /** The compressed bytes; none if never stored or already removed. */
    readonly get: (sha256: string) => Effect.Effect<Option.Option<Uint8Array>, SqlError | BlobsUnavailable>
    /** Which of these bodies are still stored. */
    readonly stored: (
      sha256: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, SqlError | BlobsUnavailable>
    readonly remove: (sha256: ReadonlyArray<string>) => Effect.Effect<void, SqlError | BlobsUnavailable>
  }
>()("core/readings/ingest/Blobs") {
  /** In the table `blob`, for replicas that share only Postgres. */
  static readonly layerTable = Layer.effect(
    Blobs,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return Blobs.of({
        put: (sha256, compressed) =>
          sql`insert into blob ${sql.insert({ sha256, bytes: compressed })} on conflict do nothing`.pipe(
            Effect.asVoid
          ),
        get: (sha256) =>
          sql`select bytes from blob where sha256 = ${sha256}`.pipe(
            bytesRows,
            Effect.map(([row]) => Option.fromNullishOr(row?.bytes))
          ),
        stored: (hashes) =>
          sql`select sha256 from blob where sha256 = any(${texts([...hashes])})`.pipe(
            hashRows,
            Effect.map((rows) => new Set(rows.map(({ sha256 }) => sha256)))
          ),
        remove: (hashes) =>
          hashes.length === 0
            ? Effect.void
            : sql`delete from blob where ${sql.in("sha256", hashes)}`.pipe(Effect.asVoid)
      })
    })
  )
}
