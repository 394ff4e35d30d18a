/**
 * The queue of answers that have to be made. Only a few are made at a time, and the event loop turns between two of them, so
 * ready answers go out meanwhile. The classes of callers take turns by weight (`turns.ts`); within a class,
 * networks take turns, and within a network its accounts. A network with too many waiting is refused.
 */
import { Context, Effect } from "effect"
import { guarded } from "../../core/process/guarded.ts"
import { wideFactor } from "../../core/process/network.ts"
import { type Class, turns } from "./turns.ts"

/** How many answers are made at a time, and how many of one network may wait. */
export const QueueBounds = Context.Reference<{
  readonly slots: number
  readonly mostWaitingOfNetwork: number
}>("http/admission/QueueBounds", { defaultValue: () => ({ slots: 2, mostWaitingOfNetwork: 20 }) })

/** Whose answer it is, and how long it has its slot. */
export interface Place {
  readonly class: Class
  readonly network: string
  /** The wide network around it (`wideOf`), of which a few times as many may wait. */
  readonly wide: string
  /** Empty without a key. */
  readonly account: string
  /** `opened`: what spends its time with others (sales, accounts, streams, exports) waits for its turn, and keeps no slot from those behind it. */
  readonly slot: "held" | "opened"
}

export interface Queue {
  /** Runs `make` once it is its turn; gives `refusal` at once if too many of its network wait. */
  readonly enter: <A, E, R>(
    place: Place,
    make: Effect.Effect<A, E, R>,
    refusal: () => A
  ) => Effect.Effect<A, E, R>
}

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

interface ClassWaiting {
  readonly weight: number
  readonly waiting: Waiting
  /** What it is owed: each turn gives its weight to every class that waits, and takes all of that from the one whose turn it is. */
  credit: number
}

const classes = Object.keys(turns) as ReadonlyArray<Class>

export const makeQueue = ({ mostWaitingOfNetwork, slots }: typeof QueueBounds.Service): Queue => {
  const ofClass: Record<Class, ClassWaiting> = {
    identified: { weight: turns.identified, waiting: new Map(), credit: 0 },
    keyless: { weight: turns.keyless, waiting: new Map(), credit: 0 },
    pages: { weight: turns.pages, waiting: new Map(), credit: 0 }
  }
  const waitingOf = new Map<string, number>()
  let free = slots

  /** By class: whoever is identified is not refused for the strangers of the same network. */
  const boundsOf = (place: Place) =>
    [
      [`${place.class} ${place.network}`, mostWaitingOfNetwork],
      [`${place.class} ${place.wide}`, mostWaitingOfNetwork * wideFactor]
    ] as const

  const countWaiting = (place: Place, change: 1 | -1): void => {
    for (const [name] of boundsOf(place)) {
      const count = (waitingOf.get(name) ?? 0) + change
      if (count > 0) waitingOf.set(name, count)
      else waitingOf.delete(name)
    }
  }

  const leave = (waiter: Waiter): void => {
    take(ofClass[waiter.place.class].waiting, waiter)
    countWaiting(waiter.place, -1)
  }

  /** The class whose turn it is; undefined if nobody waits. A class that does not wait saves no turns. */
  const chosen = (): ClassWaiting | undefined => {
    const those = classes.map((name) => ofClass[name]).filter((one) => one.waiting.size > 0)
    let turn: ClassWaiting | undefined
    let sum = 0
    for (const one of those) {
      sum += one.weight
      one.credit += one.weight
      if (turn === undefined || one.credit > turn.credit) turn = one
    }
    if (turn !== undefined) turn.credit -= sum
    return turn
  }

  const next = (): void => {
    const waiter = firstOf(chosen()?.waiting)
    if (waiter === undefined) {
      free++
      return
    }
    leave(waiter)
    if (ofClass[waiter.place.class].waiting.size === 0) ofClass[waiter.place.class].credit = 0
    waiter.start()
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
          const run =
            place.slot === "held"
              ? Effect.ensuring(restore(make), Effect.sync(release))
              : Effect.andThen(Effect.sync(release), restore(make))
          if (free > 0) {
            free--
            return run
          }
          if (boundsOf(place).some(([name, most]) => (waitingOf.get(name) ?? 0) >= most)) {
            return Effect.sync(refusal)
          }
          countWaiting(place, 1)
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
            add(ofClass[place.class].waiting, waiter)
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
