/** What ties a sale to the log without telling anybody else of it. */
import { Schema } from "effect"

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
