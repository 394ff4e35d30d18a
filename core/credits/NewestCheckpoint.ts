/** The newest signed checkpoint of the log, which receipts name: it ties a sale to what was published by then. */
import { Context, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"

export const CheckpointName = Schema.Struct({
  origin: Schema.String.annotate({ description: "Name of the log" }),
  size: Schema.Int.annotate({ description: "Number of its leaves" }),
  root: Schema.String.annotate({ description: "Its root hash, lower-case hex" })
}).annotate({ identifier: "CheckpointName", description: "One checkpoint of the log" })
export interface CheckpointName extends Schema.Schema.Type<typeof CheckpointName> {}

/** Null until the log has one. */
export const NewestCheckpoint = Context.Reference<Effect.Effect<CheckpointName | null, SqlError>>(
  "core/credits/NewestCheckpoint",
  { defaultValue: () => Effect.succeed(null) }
)
