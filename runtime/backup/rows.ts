/** Rows in a file: one JSON text a line, compressed by zstd. */
import { createHash } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createZstdCompress, createZstdDecompress } from "node:zlib"
import { Effect, Stream } from "effect"
import { DiskError, onDisk } from "../outside/disk.ts"

/** Lines handed over at once. */
const portion = 2000

/** Writes a file, on disk when it returns; gives its SHA-256 and what `work` gave. */
export const writeRows = Effect.fnUntraced(function* <A, E, R>(
  path: string,
  work: (write: (rows: ReadonlyArray<string>) => Effect.Effect<void, DiskError>) => Effect.Effect<A, E, R>
) {
  const hash = createHash("sha256")
  const zstd = createZstdCompress()
  const hashing = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      done(null, chunk)
    }
  })
  const written = pipeline(zstd, hashing, createWriteStream(path, { mode: 0o600, flush: true }))
  // Seen by whoever waits for it; until then it must not count as unhandled.
  written.catch(() => undefined)
  const write = (rows: ReadonlyArray<string>) =>
    onDisk(
      () =>
        new Promise<void>((resolve, reject) => {
          written.catch(reject)
          zstd.write(`${rows.join("\n")}\n`, (error) => (error ? reject(error) : resolve()))
        })
    )
  const done = yield* Effect.onError(work(write), () => Effect.sync(() => zstd.destroy()))
  zstd.end()
  yield* onDisk(() => written)
  return { done, sha256: hash.digest("hex") }
})

/** The lines of a file, many at once. Only `\n` ends a line: JSON text may hold other line separators. */
async function* linesOf(path: string): AsyncGenerator<ReadonlyArray<string>> {
  const file = createReadStream(path)
  const unpacked = createZstdDecompress()
  const piped = pipeline(file, unpacked)
  piped.catch(() => undefined)
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let lines: Array<string> = []
  let rest = ""
  for await (const chunk of unpacked as AsyncIterable<Uint8Array>) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = parts.pop() ?? ""
    lines.push(...parts)
    if (lines.length < portion) continue
    yield lines
    lines = []
  }
  await piped
  if (lines.length > 0) yield lines
}

/** The rows of a file. */
export const readRows = (path: string): Stream.Stream<ReadonlyArray<string>, DiskError> =>
  Stream.fromAsyncIterable(
    linesOf(path),
    (cause) =>
      new DiskError({ message: `${path}: ${cause instanceof Error ? cause.message : String(cause)}` })
  )
