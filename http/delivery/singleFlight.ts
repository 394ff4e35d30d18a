/**
 * Requests for the same bytes at the same time. The first makes them; the others wait for it and then find them in the
 * cache, so that what expires under load is made again once and not once for each caller.
 */
import { Deferred, Effect } from "effect"

/** Runs `make`, or waits for one of the same name and gives what is `ready` then; runs it after all if nothing is. */
export type SingleFlight = <A, E, R>(
  name: string,
  ready: () => A | undefined,
  make: Effect.Effect<A, E, R>
) => Effect.Effect<A, E, R>

export const makeSingleFlight = (): SingleFlight => {
  const underWay = new Map<string, Deferred.Deferred<void>>()
  return (name, ready, make) =>
    Effect.suspend(() => {
      const first = underWay.get(name)
      if (first !== undefined) {
        return Effect.flatMap(Deferred.await(first), () => {
          const value = ready()
          return value === undefined ? make : Effect.succeed(value)
        })
      }
      const done = Deferred.makeUnsafe<void>()
      underWay.set(name, done)
      return Effect.ensuring(
        make,
        Effect.suspend(() => {
          underWay.delete(name)
          return Deferred.succeed(done, undefined)
        })
      )
    })
}
