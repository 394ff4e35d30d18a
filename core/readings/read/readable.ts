/** Which values a read gives: those that their sources let be shown, or, in a sale, those that they let be sold. */
import { Context, Effect } from "effect"

/** True of a source whose values may be put to a use. The same function as long as the rights are the same. */
export type BySource = (source: string) => boolean

/** The sources whose values are read; undefined: of all. What reads SQL itself asks it as the memory does. */
export const Readable = Context.Reference<BySource | undefined>("core/readings/read/Readable", {
  defaultValue: () => undefined
})

/** For what counts all values, whatever may be done with them, and gives none of them. */
export const ofAll = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(work, Readable, undefined)

/** Of rows that SQL gave, those whose source is read. A row without one is of this service. */
export const onlyReadable = <A extends { readonly source?: string | null | undefined }>(
  rows: ReadonlyArray<A>
): Effect.Effect<ReadonlyArray<A>> =>
  Effect.map(Readable, (may) =>
    may === undefined
      ? rows
      : rows.filter(({ source }) => source === undefined || source === null || may(source))
  )
