/** `/v1/attestations`. */
import { Schema } from "effect"
import { described } from "../data/valueRow.ts"
import { Anchor } from "./anchor.ts"

export const Attestation = Schema.Struct({
  day: Schema.String.annotate({ format: "date", description: "The UTC day the batch closed" }),
  root: Schema.String.annotate({
    description: "Merkle root over the leaves (RFC 9162, SHA-256); lower-case hex"
  }),
  tree_size: Schema.Natural.annotate({ description: "Leaves in the batch" }),
  n_readings: Schema.Natural.annotate({ description: "Leaves for rows on time for their day's close" }),
  n_late: Schema.Natural.annotate({ description: "Leaves for rows that arrived after their day's close" }),
  n_revisions: Schema.Natural.annotate({ description: "Leaves for rows that an upstream restated" }),
  n_absent: Schema.Natural.annotate({ description: "Declared series with no reading that day" }),
  closed_at: Schema.String.annotate({ format: "date-time", description: "When the batch was closed" }),
  late: Schema.Boolean.annotate({
    description: "True if the batch was closed after its scheduled time; closes are never back-dated"
  }),
  log_index: Schema.Natural.annotate({ description: "Zero-based index of the batch in the log" }),
  anchor: Anchor,
  leaves_url: Schema.String.annotate({
    description: "Path of the batch's leaves, one canonical JSON document per line"
  }),
  absent_url: Schema.String.annotate({
    description: "Path of the list of declared series with no reading"
  }),
  simulated: described.simulated
}).annotate({ identifier: "Attestation", description: "One closed batch" })
export interface Attestation extends Schema.Schema.Type<typeof Attestation> {}

export const AttestationsResponse = Schema.Struct({
  origin: Schema.String.annotate({ description: "Name of the log" }),
  checkpoint: Schema.NullOr(Schema.String).annotate({
    description:
      "The log's latest checkpoint: a signed note (C2SP tlog-checkpoint); null before the first close"
  }),
  log_size: Schema.Natural.annotate({ description: "Entries in the log" }),
  attestations: Schema.Array(Attestation).annotate({ description: "Batches, newest first" }),
  next_cursor: described.next_cursor
}).annotate({ identifier: "AttestationsResponse", description: "The published batches" })
export interface AttestationsResponse extends Schema.Schema.Type<typeof AttestationsResponse> {}
