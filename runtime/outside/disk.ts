/** Work on files. What the system refuses is an error that callers see, never a defect. */
import { Effect, Schema } from "effect"

/** A file that is not there or may not be read, a disk that is full or read-only: in the system's words. */
export class DiskError extends Schema.TaggedError<DiskError>()("DiskError", {
  message: Schema.String
}) {}

/** Does work on files whose every rejection is one of the disk. */
export const onDisk = <A>(work: () => Promise<A>): Effect.Effect<A, DiskError> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) => new DiskError({ message: cause instanceof Error ? cause.message : String(cause) })
  })
