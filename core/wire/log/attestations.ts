/** `/v1/attestations`. */
import { Schema } from "effect"
import { described } from "../data/valueRow.ts"
import { Anchor } from "./anchor.ts"

export const Attestation = Schema.Struct({
  day: Schema.String.annotate({ format: "date", description: "The UTC day that the batch closed" }),
  root: Schema.String.annotate({
    description: "Merkle root over the leaves (RFC 9162, SHA-256); lower-case hex"
  }),
  tree_size: Schema.Natural.annotate({ description: "Leaves in the batch" }),
  n_readings: Schema.Natural.annotate({ description: "Leaves of rows that closed with their day" }),
  n_late: Schema.Natural.annotate({ description: "Leaves of rows that came after their day's close" }),
  n_revisions: Schema.Natural.annotate({ description: "Leaves of rows that an upstream restated" }),
  n_absent: Schema.Natural.annotate({ description: "Declared series without a reading of the day" }),
  closed_at: Schema.String.annotate({ format: "date-time", description: "When the batch was closed" }),
  late: Schema.Boolean.annotate({
    description: "True when the close was caught up after its time; never back-dated"
  }),
  log_index: Schema.Natural.annotate({ description: "Place of the batch in the log, from 0" }),
  anchor: Anchor,
  leaves_url: Schema.String.annotate({
    description: "Path of all leaves of the batch, one canonical JSON text a line"
  }),
  absent_url: Schema.String.annotate({
    description: "Path of the list of declared series without a reading"
  }),
  simulated: described.simulated
}).annotate({ identifier: "Attestation", description: "One closed batch" })
export interface Attestation extends Schema.Schema.Type<typeof Attestation> {}

export const AttestationsResponse = Schema.Struct({
  origin: Schema.String.annotate({ description: "Name of the log" }),
  checkpoint: Schema.NullOr(Schema.String).annotate({
    description: "The log's newest head: a signed note (C2SP tlog-checkpoint); null before the first close"
  }),
  log_size: Schema.Natural.annotate({ description: "Entries in the log" }),
  attestations: Schema.Array(Attestation).annotate({ description: "Batches, newest first" }),
  next_cursor: described.next_cursor
}).annotate({ identifier: "AttestationsResponse", description: "The published batches" })
export interface AttestationsResponse extends Schema.Schema.Type<typeof AttestationsResponse> {}
