/** Which values a read gives: all of them, or, in a sale, those that their sources let be sold. */
import { Context, Effect } from "effect"

/** True of a source whose values may be put to a use. The same function as long as the rights are the same. */
export type BySource = (source: string) => boolean

/** The sources whose values are read; undefined: of all. What reads SQL itself asks it as the memory does. */
export const Readable = Context.Reference<BySource | undefined>("core/readings/read/Readable", {
  defaultValue: () => undefined
})

/** For what is computed and from which no value of a source can be told: such a figure is shown and sold like our own. */
export const derived = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(work, Readable, undefined)
