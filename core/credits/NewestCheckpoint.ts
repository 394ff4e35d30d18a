/** The newest signed checkpoint of the log. Receipts include it, to tie a sale to what was published by then. */
import { Context, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { CheckpointName } from "../wire/credits/checkpointName.ts"

/** Null until the first checkpoint. */
export const NewestCheckpoint = Context.Reference<Effect.Effect<CheckpointName | null, SqlError>>(
  "core/credits/NewestCheckpoint",
  { defaultValue: () => Effect.succeed(null) }
)
