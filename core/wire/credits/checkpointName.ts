/** How receipts refer to a checkpoint of the log. */
import { Schema } from "effect"

export const CheckpointName = Schema.Struct({
  origin: Schema.String.annotate({ description: "Name of the log" }),
  size: Schema.Int.annotate({ description: "Number of its leaves" }),
  root: Schema.String.annotate({ description: "Its root hash, lower-case hex" })
}).annotate({ identifier: "CheckpointName", description: "One checkpoint of the log" })
export interface CheckpointName extends Schema.Schema.Type<typeof CheckpointName> {}

/** The log's commitment to a sale, which tells nobody else of it. */
export const Commitment = Schema.Struct({
  salt: Schema.String.annotate({
    description: "32 random bytes in hex. Keep it: without it nobody can tell what the commitment is to"
  }),
  sha256: Schema.String.annotate({
    description:
      "SHA-256 over `plumbline-sale-v1`, a newline, the salt and `payload_sha256` (32 bytes each). After the UTC day of the sale, /v1/log/sales/{sha256} proves that the log has it"
  })
}).annotate({
  identifier: "SaleCommitment",
  description: "The log's salted commitment to this sale. `plumbline verify sale` checks it"
})
