/** Runs are kept with their sources: before the first run of a code hash, the files behind it are put away. */
import { promisify } from "node:util"
import { zstdCompress } from "node:zlib"
import { Effect, Layer } from "effect"
import * as DataClock from "../../core/clock/DataClock.ts"
import { Sources } from "../../core/log/Sources.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import type { RunResult } from "../../core/readings/ingest/Run.ts"
import { UpstreamClock } from "../../core/readings/UpstreamClock.ts"
import * as CodeHash from "../collector/codeHash.ts"
import { onDisk } from "../outside/disk.ts"

const compress = promisify(zstdCompress)

/** `Ingest` that also keeps the sources of the runs it writes. */
export const layer = Layer.effect(
  Ingest,
  Effect.gen(function* () {
    const ingest = yield* Ingest
    const sources = yield* Sources
    const shared = yield* Effect.cached(CodeHash.shared)
    const storedHashes = new Set<string>()

    const keep = Effect.fn("Sources.keep")(function* (run: RunResult) {
      storedHashes.add(run.code_hash)
      const sourceFiles = [...(yield* CodeHash.own(run.plugin)), ...(yield* shared)]
      if (CodeHash.codeHash(sourceFiles, run.settings) !== run.code_hash) {
        yield* Effect.logWarning("the sources of a run differ from those on disk; not storing them", {
          plugin: run.plugin,
          code_hash: run.code_hash
        })
        return
      }
      const bytes = new Map(sourceFiles.map((file) => [file.path, file.bytes]))
      yield* sources.keep(
        {
          code_hash: run.code_hash,
          plugin: run.plugin,
          files: sourceFiles.map(({ bytes, path, sha256 }) => ({ path, sha256, size: bytes.length })),
          settings: run.settings
        },
        ({ path }) =>
          Effect.orDie(
            onDisk(async () => new Uint8Array(await compress(bytes.get(path) ?? Buffer.alloc(0))))
          ),
        yield* DataClock.now
      )
    })

    return Ingest.of({
      ...ingest,
      write: (...deliveries) =>
        Effect.forEach(
          deliveries,
          ({ run }) =>
            storedHashes.has(run.code_hash)
              ? Effect.void
              : // Rows matter more than the sources behind them: these are retried with the next process.
                Effect.catchCause(keep(run), (cause) =>
                  Effect.logWarning("could not store the sources of a run", cause)
                ),
          { discard: true }
        ).pipe(Effect.andThen(ingest.write(...deliveries)))
    })
  })
).pipe(Layer.provide(Ingest.layer), Layer.provideMerge(Layer.merge(Sources.layer, UpstreamClock.layer)))
