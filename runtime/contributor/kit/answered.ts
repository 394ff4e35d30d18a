/** One run of a plugin on saved answers: the material of a case whose upstream cannot be reached from here. */
import { Effect } from "effect"
import type { Plugin } from "../../../core/plugin/Plugin.ts"
import { nameOf, Upstream, UpstreamUnreachable } from "../../../core/plugin/Upstream.ts"
import * as Recording from "../../upstream/recording.ts"
import type { Tape } from "../../upstream/replay.ts"

/**
 * Lets the plugin ask, and answers by address alone, in the order given: each exchange is kept with the method and the
 * body that the plugin sends. An answer that it does not ask for is kept as it was given, and its address is `left`.
 */
export const answered = Effect.fn("Kit.answered")(function* (plugin: Plugin, saved: Tape) {
  const waiting = Map.groupBy(saved.exchanges, ({ request }) => request.url)
  const recorder = Recording.make({
    ...saved,
    exchange: (request) =>
      Effect.suspend(() => {
        const next = waiting.get(request.url)?.shift()
        return next === undefined
          ? Effect.fail(new UpstreamUnreachable({ request: nameOf(request), detail: "no answer is given" }))
          : Effect.succeed({ ...next, request })
      })
  })
  // How the run ends is shown by the replay of what it leaves.
  yield* Effect.exit(plugin.collect.pipe(Effect.provideService(Upstream, recorder.upstream)))
  const left = [...waiting.values()].flat()
  const tape: Tape = { ...saved, exchanges: [...recorder.exchanges(), ...left] }
  return { tape, left: left.map(({ request }) => request.url) }
})
