/**
 * The sources of runs by code hash, so a derivation can be repeated after its plugin changed: a list of files whose bytes
 * are blobs. `core/proof/formats/derivation.md` defines the code hash.
 */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Context, Effect, Layer, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Blobs, type BlobsUnavailable } from "../readings/ingest/Blobs.ts"
import { rowsOf } from "../sql/rows.ts"

/** A file that a plugin's rows depend on; its path is relative to the repository root, with `/`. */
const SourceFile = Schema.Struct({
  path: Schema.String,
  sha256: Schema.String,
  /** Bytes of the file. */
  size: Schema.Int
})
export interface SourceFile extends Schema.Schema.Type<typeof SourceFile> {}

/** The files and settings behind a code hash. */
const Code = Schema.Struct({
  code_hash: Schema.String,
  plugin: Schema.String,
  files: Schema.Array(SourceFile),
  settings: Schema.Record(Schema.String, Schema.String)
})
export interface Code extends Schema.Schema.Type<typeof Code> {}

const codeRows = rowsOf(Code.fields)

export class Sources extends Context.Service<
  Sources,
  {
    /** Stores the list under its hash; `compressed` returns a file's zstd bytes and is called only for files not stored yet. */
    readonly keep: (
      code: Code,
      compressed: (file: SourceFile) => Effect.Effect<Uint8Array>,
      now: number
    ) => Effect.Effect<void, SqlError | BlobsUnavailable>
    /** The list behind a code hash; none if never stored. */
    readonly find: (codeHash: string) => Effect.Effect<Option.Option<Code>, SqlError>
  }
>()("core/log/Sources") {
  static readonly layer = Layer.effect(
    Sources,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const blobs = yield* Blobs
      /** Stored when this process looked: most files are behind every plugin. */
      const stored = new Set<string>()
      return Sources.of({
        keep: Effect.fn("Sources.keep")(function* (code, compressed, now) {
          const others = code.files.filter(({ sha256 }) => !stored.has(sha256))
          const there = yield* blobs.stored(others.map(({ sha256 }) => sha256))
          for (const file of others) {
            if (!there.has(file.sha256)) yield* blobs.put(file.sha256, yield* compressed(file))
            stored.add(file.sha256)
          }
          // Bytes first: a list never names what is not there.
          yield* sql`insert into code ${sql.insert({
            code_hash: code.code_hash,
            plugin: code.plugin,
            files: PgTypes.jsonb(code.files),
            settings: PgTypes.jsonb(code.settings),
            recorded_at: new Date(now)
          })} on conflict do nothing`
        }),
        find: (codeHash) =>
          sql`select code_hash, plugin, files, settings from code where code_hash = ${codeHash}`.pipe(
            codeRows,
            Effect.map(([row]) => Option.fromNullishOr(row))
          )
      })
    })
  )
}
