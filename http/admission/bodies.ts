/**
 * Bodies that are read before a slot is taken: a client that sends slowly keeps nobody waiting. They are in memory until their
 * answer is made, so they are bounded, in all and of one network.
 */
import { Effect } from "effect"

export interface Bodies {
  /** Reads a body, and then does the work; gives `refusal` at once if there are too many bodies. */
  readonly read: <A, E, R, R2>(
    network: string,
    body: Effect.Effect<void, never, R2>,
    work: Effect.Effect<A, E, R>,
    refusal: () => A
  ) => Effect.Effect<A, E, R | R2>
}

export const makeBodies = (most: { readonly inAll: number; readonly ofNetwork: number }): Bodies => {
  const ofNetwork = new Map<string, number>()
  let inAll = 0
  return {
    read: (network, body, work, refusal) =>
      Effect.suspend(() => {
        const before = ofNetwork.get(network) ?? 0
        if (inAll >= most.inAll || before >= most.ofNetwork) return Effect.sync(refusal)
        ofNetwork.set(network, before + 1)
        inAll++
        return Effect.ensuring(
          Effect.andThen(body, work),
          Effect.sync(() => {
            const others = (ofNetwork.get(network) ?? 1) - 1
            if (others > 0) ofNetwork.set(network, others)
            else ofNetwork.delete(network)
            inAll--
          })
        )
      })
  }
}
