/** Finds the plugins that read large bodies, whose decoding would block all others of the thread. */
import { Deferred, Effect } from "effect"
import type { Upstream } from "../../core/plugin/Upstream.ts"

/**
 * `upstream` for one plugin at a time: a body of more than `most` bytes never reaches the plugin. It is `left` to another
 * thread instead, and `leaving` it returns then.
 */
export const largeBodies = (most: number, left: (plugin: string) => void) => {
  const deferreds = new Map<string, Deferred.Deferred<void>>()
  const of = (plugin: string): Deferred.Deferred<void> => {
    const deferred = deferreds.get(plugin) ?? Deferred.makeUnsafe<void>()
    deferreds.set(plugin, deferred)
    return deferred
  }
  return {
    upstream: (plugin: string, inner: Upstream["Service"]): Upstream["Service"] => ({
      ...inner,
      exchange: (request) =>
        Effect.flatMap(inner.exchange(request), (exchange) => {
          if (exchange.body.length <= most) return Effect.succeed(exchange)
          if (Deferred.doneUnsafe(of(plugin), Effect.void)) left(plugin)
          return Effect.never
        })
    }),
    leaving: (plugin: string): Effect.Effect<void> => Deferred.await(of(plugin))
  }
}
