/** Runs a plugin on saved answers, for a case whose upstream cannot be reached from here. */
import { Effect } from "effect"
import type { Plugin } from "../../../core/plugin/Plugin.ts"
import { nameOf, Upstream, UpstreamUnreachable } from "../../../core/plugin/Upstream.ts"
import * as Recording from "../../upstream/recording.ts"
import type { Tape } from "../../upstream/replay.ts"

/**
 * Runs the plugin and answers its requests by URL, in the given order. Each exchange is recorded with the method and body
 * that the plugin sent. Unused answers are recorded as given, and their URLs are returned as `left`.
 */
export const answered = Effect.fn("Kit.answered")(function* (plugin: Plugin, saved: Tape) {
  const waiting = Map.groupBy(saved.exchanges, ({ request }) => request.url)
  const recorder = Recording.make({
    ...saved,
    exchange: (request) =>
      Effect.suspend(() => {
        const next = waiting.get(request.url)?.shift()
        return next === undefined
          ? Effect.fail(new UpstreamUnreachable({ request: nameOf(request), detail: "no saved answer" }))
          : Effect.succeed({ ...next, request })
      })
  })
  // The caller replays the tape and shows how the run ends.
  yield* Effect.exit(plugin.collect.pipe(Effect.provideService(Upstream, recorder.upstream)))
  const left = [...waiting.values()].flat()
  const tape: Tape = { ...saved, exchanges: [...recorder.exchanges(), ...left] }
  return { tape, left: left.map(({ request }) => request.url) }
})
