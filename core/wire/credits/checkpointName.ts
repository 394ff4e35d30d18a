/** How receipts refer to a checkpoint of the log. */
import { Schema } from "effect"

export const CheckpointName = Schema.Struct({
  origin: Schema.String.annotate({ description: "Name of the log" }),
  size: Schema.Int.annotate({ description: "Number of its leaves" }),
  root: Schema.String.annotate({ description: "Its root hash, lower-case hex" })
}).annotate({ identifier: "CheckpointName", description: "One checkpoint of the log" })
export interface CheckpointName extends Schema.Schema.Type<typeof CheckpointName> {}
