/**
 * Where the archive's files are kept. A file is stored whole under a key that holds its hash, so storing it again changes
 * nothing, whoever does it and wherever a killed process stopped; and it is read by ranges.
 */
import { Context, Effect, Layer, Schema, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { rowsOf } from "../../sql/rows.ts"

/** A file of the archive cannot be stored or read. The message names it and the reason. */
export class ArchiveUnavailable extends Schema.TaggedError<ArchiveUnavailable>()("ArchiveUnavailable", {
  message: Schema.String
}) {}

/** The bytes of a file, wherever they are now. */
export interface Content {
  readonly bytes: number
  /** Lower-case hex. */
  readonly sha256: string
  /** Those from one place to another, the end excluded. */
  readonly read: (from: number, to: number) => Effect.Effect<Uint8Array, ArchiveUnavailable | SqlError>
}

/** The key of a file by its name and hash, e.g. `daily/2026/09/03.<sha256>.parquet`. */
export const keyOf = (name: string, sha256: string): string => name.replace(/parquet$/, `${sha256}.parquet`)

export class ArchiveFiles extends Context.Service<
  ArchiveFiles,
  {
    /** Stores the file, unless the key is taken. It is durable and whole when this returns, or not there at all. */
    readonly put: (key: string, content: Content) => Effect.Effect<void, ArchiveUnavailable | SqlError>
    /** The bytes from one place to another, the end excluded, in parts of a bounded size. */
    readonly read: (
      key: string,
      from: number,
      to: number
    ) => Stream.Stream<Uint8Array, ArchiveUnavailable | SqlError>
    /** Another text whenever the bytes under the key may have changed; the same where nothing but this service can. */
    readonly stamp: (key: string) => Effect.Effect<string, ArchiveUnavailable | SqlError>
    /** Makes room for the whole file where a damaged one is, and keeps that under another name if it can. */
    readonly setAside: (key: string) => Effect.Effect<void, ArchiveUnavailable | SqlError>
    /** The keys that are stored, with their sizes in bytes. */
    readonly list: Effect.Effect<ReadonlyMap<string, number>, ArchiveUnavailable | SqlError>
    /** The folder in which the keys are paths, if they are on this machine's disk. */
    readonly folder: string | undefined
    /** True if the store itself holds what it keeps to its hash, so that a file that is there in its length is whole. */
    readonly holdsToHashes: boolean
  }
>()("core/log/archive/ArchiveFiles") {
  /** In the table `archive_part`, for replicas that share only Postgres. */
  static readonly layerTable = Layer.effect(
    ArchiveFiles,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return ArchiveFiles.of({
        folder: undefined,
        holdsToHashes: false,
        put: (key, content) =>
          Effect.gen(function* () {
            for (let n = 0; n * partBytes < content.bytes; n++) {
              const bytes = yield* content.read(n * partBytes, Math.min(content.bytes, (n + 1) * partBytes))
              yield* sql`insert into archive_part ${sql.insert({ key, n, bytes })} on conflict do nothing`
            }
          }).pipe(sql.withTransaction),
        read: (key, from, to) =>
          Stream.fromIterable(partsOf(from, to)).pipe(
            Stream.mapEffect(({ end, n, start }) =>
              sql`select substring(bytes from ${start + 1} for ${end - start}) as bytes from archive_part
                where key = ${key} and n = ${n}`.pipe(
                partRows,
                Effect.flatMap(([part]) =>
                  part?.bytes.length === end - start
                    ? Effect.succeed(part.bytes)
                    : new ArchiveUnavailable({ message: `part ${n} of ${key} is not in the database` })
                )
              )
            )
          ),
        stamp: (key) =>
          sql`
            select count(*)::int as parts, coalesce(max(xmin::text::bigint), 0)::text as changed
            from archive_part where key = ${key}`.pipe(
            stampRows,
            Effect.flatMap(([row]) =>
              row === undefined || row.parts === 0
                ? new ArchiveUnavailable({ message: `${key} is not in the database` })
                : Effect.succeed(`${row.parts} ${row.changed}`)
            )
          ),
        setAside: (key) => Effect.asVoid(sql`delete from archive_part where key = ${key}`),
        list: sql`
          select key, sum(octet_length(bytes))::float8 as bytes from archive_part group by key`.pipe(
          sizeRows,
          Effect.map((rows) => new Map(rows.map(({ bytes, key }) => [key, bytes])))
        )
      })
    })
  )
}

const stampRows = rowsOf({ parts: Schema.Int, changed: Schema.String })
const partRows = rowsOf({ bytes: Schema.Uint8Array })
const sizeRows = rowsOf({ key: Schema.String, bytes: Schema.Number })

/** Bytes of a part in the table. */
const partBytes = 1024 * 1024

/** The parts that hold a range, and the range within each. */
const partsOf = function* (from: number, to: number) {
  for (let at = from; at < to; ) {
    const n = Math.floor(at / partBytes)
    const [start, end] = [at - n * partBytes, Math.min(to - n * partBytes, partBytes)]
    yield { n, start, end }
    at = n * partBytes + end
  }
}
