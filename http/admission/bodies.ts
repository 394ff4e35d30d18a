/**
 * Bodies, whichever door they come through, are read before anything is done for them: a client that sends slowly keeps nobody
 * waiting. They are in memory meanwhile, so they are bounded, in all and of one network.
 */
import { Effect } from "effect"
import { wideFactor } from "../../core/process/network.ts"

/** Whose body it is. */
export interface Sender {
  readonly network: string
  /** The wide network around it (`wideOf`), of which a few times as many may be read. */
  readonly wide: string
  /** Whoever has as many bodies of one on their way as may be can still send the other. What tells of payments is of accounts. */
  readonly to: "accounts" | "others"
  /** How many bytes it may have. */
  readonly most: number
}

export interface Bodies {
  /** Reads a body, and then does the work while it counts; gives `refusal` at once if there are too many bodies. */
  readonly read: <A, E, R, R2>(
    sender: Sender,
    body: Effect.Effect<void, never, R2>,
    work: Effect.Effect<A, E, R>,
    refusal: () => A
  ) => Effect.Effect<A, E, R | R2>
}

export const makeBodies = (bounds: { readonly bytes: number; readonly ofNetwork: number }): Bodies => {
  const bytes = { accounts: 0, others: 0 }
  const bodies = new Map<string, number>()
  const count = (name: string, change: 1 | -1): void => {
    const after = (bodies.get(name) ?? 0) + change
    if (after > 0) bodies.set(name, after)
    else bodies.delete(name)
  }
  return {
    read: ({ most, network, to, wide }, body, work, refusal) =>
      Effect.suspend(() => {
        const near = `${to} ${network}`
        const around = `${to} of ${wide}`
        const isCrowded =
          bytes[to] + most > bounds.bytes ||
          (bodies.get(near) ?? 0) >= bounds.ofNetwork ||
          (bodies.get(around) ?? 0) >= bounds.ofNetwork * wideFactor
        if (isCrowded) return Effect.sync(refusal)
        const change = (by: 1 | -1): void => {
          count(near, by)
          count(around, by)
          bytes[to] += by * most
        }
        change(1)
        return Effect.ensuring(
          Effect.andThen(body, work),
          Effect.sync(() => change(-1))
        )
      })
  }
}
