/** Figures too slow to query per request: computed in the background, read from memory. */
import { Deferred, type Duration, Effect } from "effect"
import { inBackground } from "../../process/loop.ts"

/**
 * Computes a value now and after every `every`, in the caller's scope. `read` returns the last value without a query and
 * waits only for the first. On failure it logs and keeps the previous value. `afterRefresh` runs after each new value.
 */
export const refreshed = Effect.fnUntraced(function* <A, E, R>(
  name: string,
  every: Duration.Input,
  make: Effect.Effect<A, E, R>,
  afterRefresh: Effect.Effect<void> = Effect.void
) {
  const first = yield* Deferred.make<A>()
  let last: { readonly value: A } | undefined
  const refresh = Effect.flatMap(make, (value) => {
    last = { value }
    return Effect.andThen(Deferred.succeed(first, value), afterRefresh)
  })
  yield* inBackground(`refreshing ${name}`, every, refresh)
  return {
    read: Effect.suspend(() => (last === undefined ? Deferred.await(first) : Effect.succeed(last.value))),
    refresh: Effect.asVoid(refresh)
  }
})
