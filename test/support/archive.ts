/** The archive of a test: files in a temporary folder or in the database. */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Stream } from "effect"
import { Archive } from "../../core/log/archive/Archive.ts"
import { ArchiveFiles, keyOf } from "../../core/log/archive/ArchiveFiles.ts"
import * as folder from "../../runtime/archive/folder.ts"
import * as parquetFiles from "../../runtime/archive/parquetFiles.ts"

export const temporary = (): string => mkdtempSync(join(tmpdir(), "plumbline-archive-"))

export const drafts = Layer.suspend(() => parquetFiles.layer(join(temporary(), "drafts")))

export const inFolder = Layer.suspend(() => folder.layer(temporary()))

/** `Archive` over the files, which are in the database without `files`. */
export const layer = <E, R>(files: Layer.Layer<ArchiveFiles, E, R>) =>
  Archive.layer.pipe(Layer.provideMerge(files), Layer.provide(drafts))

/** The whole file of this name and hash. */
export const bytesOf = (name: string, sha256: string, bytes: number) =>
  Effect.flatMap(ArchiveFiles, ({ read }) =>
    Stream.runCollect(read(keyOf(name, sha256), 0, bytes)).pipe(
      Effect.map((parts) => new Uint8Array(Buffer.concat(Array.from(parts))))
    )
  )
