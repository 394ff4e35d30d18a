/** A process that archives every day that is closed in the database of its environment. Says `begins` and, at its end, `archived`. */
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { Archive } from "../../core/log/archive/Archive.ts"
import * as parquetFiles from "../../runtime/archive/parquetFiles.ts"
import { Settings } from "../../runtime/service/Settings.ts"
import { services as closing } from "./closer.ts"

export const services = Layer.unwrap(
  Effect.map(Settings, ({ dataDir }) =>
    Archive.layer.pipe(
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
