/** File operations. A refusal by the system is an error that callers see, never a defect. */
import { Effect, Schema } from "effect"

/** A missing or unreadable file, or a full or read-only disk, in the system's words. */
export class DiskError extends Schema.TaggedError<DiskError>()("DiskError", {
  message: Schema.String
}) {}

/** Runs a file operation and turns its rejection into a `DiskError`. */
export const onDisk = <A>(work: () => Promise<A>): Effect.Effect<A, DiskError> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) => new DiskError({ message: cause instanceof Error ? cause.message : String(cause) })
  })
