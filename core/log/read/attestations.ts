/** `/v1/attestations`: every batch, newest first, with its root, its place in the log and its anchor (spec 4.1). */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { BadParameter } from "../../data/errors.ts"
import { isDay, type Raw, wholeNumber } from "../../data/read/parameters.ts"
import { described } from "../../data/read/valueRow.ts"
import { isoTime } from "../../plugin/Value.ts"
import { Log, LogKey } from "../Log.ts"
import { Anchor, anchorOf } from "./anchor.ts"

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

interface BatchRow extends Omit<Attestation, "anchor" | "closed_at" | "leaves_url" | "absent_url"> {
  readonly closed_at: Date
}

/** One page of batches. `cursor` is the day of the last batch of the page before. Fails with `BadParameter`. */
export const attestations = Effect.fn("attestations")(function* (asked: {
  readonly limit?: Raw
  readonly cursor?: string | undefined
}) {
  const limit = yield* wholeNumber("limit", asked.limit, { min: 1, max: 400, fallback: 100 })
  const sql = yield* SqlClient.SqlClient
  const { origin, simulated } = yield* LogKey
  const head = yield* (yield* Log).head
  const before = asked.cursor ?? null
  if (before !== null && !isDay(before)) {
    return yield* new BadParameter({
      field: "cursor",
      message: "cursor is `next_cursor` of the page before: the day of a batch as YYYY-MM-DD.",
      valid: "`next_cursor` of the page before"
    })
  }
  const rows = yield* sql<BatchRow>`
    select day::text as day, root, tree_size, n_readings, n_late, n_revisions, n_absent, closed_at, late, log_index
    from batch where closed_at is not null and (${before}::date is null or day < ${before}::date)
    order by day desc limit ${limit + 1}`
  const shown = rows.slice(0, limit)
  const response: AttestationsResponse = {
    origin,
    checkpoint: head.note,
    log_size: head.size,
    attestations: yield* Effect.forEach(shown, (row) =>
      Effect.map(
        anchorOf(row.log_index),
        (anchor): Attestation => ({
          ...row,
          closed_at: isoTime(row.closed_at.getTime()),
          anchor,
          leaves_url: `/v1/log/batches/${row.day}/leaves`,
          absent_url: `/v1/log/batches/${row.day}/absent`,
          ...(simulated ? { simulated: true } : {})
        })
      )
    ),
    ...(rows.length > limit ? { next_cursor: shown.at(-1)?.day ?? "" } : {})
  }
  return response
})
