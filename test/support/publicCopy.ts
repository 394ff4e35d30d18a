/** The public files of a log as a monitor reads them from a folder. */
import { Effect, Stream } from "effect"
import { Log } from "../../core/log/Log.ts"
import { publicFiles } from "../../core/log/record/publish/publicFiles.ts"
import { concat } from "../../core/proof/bytes.ts"
import { type Looking, look } from "../../http/client/verifier/src/monitor/look.ts"
import type { Source } from "../../http/client/verifier/src/monitor/source.ts"
import type { State } from "../../http/client/verifier/src/monitor/state.ts"

/** All of them by path, as of the served head. */
export const filesOfLog = Effect.fnUntraced(function* () {
  const { size } = yield* (yield* Log).served
  const { changing, fixed } = yield* publicFiles(size)
  const files = new Map<string, Uint8Array>()
  for (const { parts, path } of [...fixed, ...changing])
    files.set(`/${path}`, concat(...(yield* Stream.runCollect(parts))))
  return files
})

/** The same as a monitor reads them. */
export const publicCopy = Effect.fnUntraced(function* () {
  const files = yield* filesOfLog()
  return { name: "a copy", read: async (path: string) => files.get(path) } satisfies Source
})

/** One look at a copy, without a service. */
export const lookAt = (source: Source, now: number, state?: State, trust: Looking["trust"] = {}) =>
  Effect.promise(() =>
    look(
      {
        trust,
        source,
        now: () => now,
        random: () => 0,
        say: () => undefined,
        checked: async () => undefined
      },
      state
    )
  )
