/**
 * A process that archives every day that is closed in the database of its environment. Says `begins` and, at its end,
 * `archived`. With a number it kills itself while it stores that file.
 */
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { Archive } from "../../core/log/archive/Archive.ts"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import * as parquetFiles from "../../runtime/archive/parquetFiles.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { services as closing } from "./closer.ts"

/** The files, of which the nth is never stored whole. */
const dying = (nth: number) =>
  Layer.effect(
    ArchiveFiles,
    Effect.map(ArchiveFiles, (files) => {
      let n = 0
      return ArchiveFiles.of({
        ...files,
        put: (key, content) => {
          if (++n !== nth) return files.put(key, content)
          const read = Effect.sync(() => process.kill(process.pid, "SIGKILL"))
          return files.put(key, {
            ...content,
            read: (from, to) => Effect.andThen(read, content.read(from, to))
          })
        }
      })
    })
  )

export const services = Layer.unwrap(
  Effect.map(Settings, ({ dataDir }) =>
    Archive.layer.pipe(
      Layer.provide(dying(Number(process.argv[2]))),
      Layer.provide(parquetFiles.layer(join(dataDir, "drafts"))),
      Layer.provideMerge(closing)
    )
  )
).pipe(Layer.provide(Settings.layer))

if (import.meta.main) {
  const say = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))
  await Effect.runPromise(
    Effect.gen(function* () {
      const archive = yield* Archive
      yield* say("begins")
      yield* archive.run
      yield* say("archived")
    }).pipe(Effect.provide(services))
  )
}
