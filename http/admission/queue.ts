/**
 * The queue of answers that have to be made. Only a few are made at a time, and the event loop turns between two of them, so
 * ready answers go out meanwhile. The next one is of the most important kind that waits; within a kind, networks take turns,
 * and within a network its accounts. A network with too many waiting is refused.
 */
import { Context, Effect } from "effect"
import { guarded } from "../../core/process/guarded.ts"
import type { Kind } from "./importance.ts"

/** How many answers are made at a time, and how many of one network may wait. */
export const QueueBounds = Context.Reference<{
  readonly slots: number
  readonly mostWaitingOfNetwork: number
}>("http/admission/QueueBounds", { defaultValue: () => ({ slots: 2, mostWaitingOfNetwork: 20 }) })

/** Whose answer it is. Payments do not wait: they are few, and spend their time with others. */
export interface Place {
  readonly kind: Exclude<Kind, "payments">
  readonly network: string
  /** Empty without a key. */
  readonly account: string
}

export interface Queue {
  /** Runs `make` once it is its turn; gives `refusal` at once if too many of its network wait. */
  readonly enter: <A, E, R>(
    place: Place,
    make: Effect.Effect<A, E, R>,
    refusal: () => A
  ) => Effect.Effect<A, E, R>
}

/** The most important first. */
const kinds: ReadonlyArray<Place["kind"]> = ["checkpoint", "keyed", "keyless", "pages"]

interface Waiter {
  readonly place: Place
  readonly start: () => void
}

/** By network, then by account; the first of each is next. */
type Waiting = Map<string, Map<string, Array<Waiter>>>

const add = (waiting: Waiting, waiter: Waiter): void => {
  const { account, network } = waiter.place
  const accounts = waiting.get(network) ?? new Map<string, Array<Waiter>>()
  const waiters = accounts.get(account) ?? []
  waiters.push(waiter)
  accounts.set(account, waiters)
  waiting.set(network, accounts)
}

/** Takes out a waiter. Its account goes behind the others of its network, and its network behind the other networks. */
const take = (waiting: Waiting, waiter: Waiter): void => {
  const { account, network } = waiter.place
  const accounts = waiting.get(network)
  const waiters = accounts?.get(account)
  if (accounts === undefined || waiters === undefined) return
  const others = waiters.filter((one) => one !== waiter)
  accounts.delete(account)
  if (others.length > 0) accounts.set(account, others)
  waiting.delete(network)
  if (accounts.size > 0) waiting.set(network, accounts)
}

const first = <A>(values: Iterable<A> | undefined): A | undefined => {
  for (const value of values ?? []) return value
  return undefined
}

const firstOf = (waiting: Waiting | undefined): Waiter | undefined =>
  first(first(waiting?.values())?.values())?.[0]

export const makeQueue = ({ mostWaitingOfNetwork, slots }: typeof QueueBounds.Service): Queue => {
  const waiting = new Map(kinds.map((kind): [Place["kind"], Waiting] => [kind, new Map()]))
  const waitingOf = new Map<string, number>()
  let free = slots

  const leave = (waiter: Waiter): void => {
    const { kind, network } = waiter.place
    take(waiting.get(kind) ?? new Map(), waiter)
    const others = (waitingOf.get(network) ?? 0) - 1
    if (others > 0) waitingOf.set(network, others)
    else waitingOf.delete(network)
  }

  const next = (): void => {
    for (const kind of kinds) {
      const waiter = firstOf(waiting.get(kind))
      if (waiter === undefined) continue
      leave(waiter)
      waiter.start()
      return
    }
    free++
  }

  let released = 0
  let isTurning = false

  /** One slot after the other is free again, each after a turn of the event loop of its own. */
  const turn = (): void => {
    isTurning = true
    setImmediate(
      guarded("the queue of answers", () => {
        isTurning = false
        released--
        try {
          next()
        } finally {
          if (released > 0 && !isTurning) turn()
        }
      })
    )
  }
  const release = (): void => {
    released++
    if (!isTurning) turn()
  }

  return {
    enter: (place, make, refusal) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const run = Effect.ensuring(restore(make), Effect.sync(release))
          if (free > 0) {
            free--
            return run
          }
          const waitingNow = waitingOf.get(place.network) ?? 0
          if (waitingNow >= mostWaitingOfNetwork) return Effect.sync(refusal)
          waitingOf.set(place.network, waitingNow + 1)
          let isStarted = false
          let waiter: Waiter | undefined
          const granted = Effect.callback<void>((resume) => {
            waiter = {
              place,
              start: () => {
                isStarted = true
                resume(Effect.void)
              }
            }
            add(waiting.get(place.kind) ?? new Map(), waiter)
          })
          // A client that goes away gives its place, or its slot, to the next.
          const givenUp = Effect.sync(() => {
            if (isStarted) release()
            else if (waiter !== undefined) leave(waiter)
          })
          return Effect.andThen(
            Effect.onInterrupt(restore(granted), () => givenUp),
            run
          )
        })
      )
  }
}
