/** A copy of the log as plain files, from which a damaged log is repaired. Nothing in it is trusted. */
import { Effect, Schema } from "effect"
import { Malformed } from "../proof/bytes.ts"

/** The log cannot be repaired from this mirror. The message says why and what is left to do. */
export class CannotRepair extends Schema.TaggedError<CannotRepair>()("CannotRepair", {
  message: Schema.String
}) {}

/** Gives a file by its path under `/v1/log/`; undefined where there is none. */
export type Mirror = (path: string) => Effect.Effect<Uint8Array | undefined, CannotRepair>

/** What is left to do when no mirror helps. */
export const restore = "restore a newer backup of the database"

/** Runs what reads untrusted bytes. */
export const reading = <A>(what: string, work: () => A): Effect.Effect<A, CannotRepair> =>
  Effect.try({
    try: work,
    catch: (error) => {
      if (!(error instanceof Malformed)) throw error
      return new CannotRepair({ message: `${what}: ${error.message}` })
    }
  })

/** Like the mirror, but a file that it lacks is a failure. */
export const fetched = Effect.fnUntraced(function* (mirror: Mirror, path: string) {
  return (
    (yield* mirror(path)) ??
    (yield* new CannotRepair({ message: `the mirror lacks ${path}; use another one, or ${restore}` }))
  )
})
