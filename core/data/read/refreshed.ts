/** Figures that cost a query and that no request may wait for: made in the background, read from memory. */
import { Deferred, type Duration, Effect } from "effect"
import { inBackground } from "../loop.ts"

/**
 * Makes a value now and again after each `every`, in the scope of the caller. `read` gives the last one without a
 * query; it waits only for the first. A failure is logged, and the value before it stands.
 */
export const refreshed = Effect.fnUntraced(function* <A, E, R>(
  name: string,
  every: Duration.Input,
  make: Effect.Effect<A, E, R>
) {
  const first = yield* Deferred.make<A>()
  let last: { readonly value: A } | undefined
  const refresh = Effect.flatMap(make, (value) => {
    last = { value }
    return Deferred.succeed(first, value)
  })
  yield* inBackground(`refreshing ${name}`, every, refresh)
  return {
    read: Effect.suspend(() => (last === undefined ? Deferred.await(first) : Effect.succeed(last.value))),
    refresh: Effect.asVoid(refresh)
  }
})
