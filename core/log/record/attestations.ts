/** `/v1/attestations`: every batch, newest first, with its root, log index and anchor. */
import { Effect, Schema, Struct } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../plugin/Value.ts"
import { isDay, type Raw, wholeNumber } from "../../readings/read/parameters.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Attestation, type AttestationsResponse } from "../../wire/log/attestations.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { Log, LogKey } from "../Log.ts"
import { anchorFields, anchorFrom, bestAnchor } from "./anchor.ts"
import { recordCache } from "./recordCache.ts"

const batchRows = rowsOf({
  ...anchorFields,
  ...Struct.omit(Attestation.fields, ["anchor", "leaves_url", "absent_url", "simulated"]),
  closed_at: Schema.Date
})

/** One page of batches. `cursor` is the day of the last batch of the previous page. Fails with `BadParameter`. */
export const attestations = Effect.fn("Log.attestations")(function* (params: {
  readonly limit?: Raw
  readonly cursor?: string | undefined
}) {
  const limit = yield* wholeNumber("limit", params.limit, { min: 1, max: 400, fallback: 100 })
  const { origin, simulated } = yield* LogKey
  const head = yield* (yield* Log).served
  const before = params.cursor ?? null
  if (before !== null && !isDay(before)) {
    return yield* new BadParameter({
      field: "cursor",
      message: "cursor must be `next_cursor` of the previous page: the day of a batch as YYYY-MM-DD.",
      valid: "`next_cursor` of the previous page"
    })
  }
  const rows = yield* pages(`${limit} ${before} ${head.size}`, pageOf(limit, before, head.size))
  const visible = rows.slice(0, limit)
  const response: AttestationsResponse = {
    origin,
    checkpoint: head.note,
    log_size: head.size,
    attestations: visible.map(
      ({ anchor, ...row }): Attestation => ({
        ...row,
        closed_at: isoTime(row.closed_at.getTime()),
        anchor,
        leaves_url: `/v1/log/batches/${row.day}/leaves`,
        absent_url: `/v1/log/batches/${row.day}/absent`,
        ...(simulated ? { simulated: true } : {})
      })
    ),
    ...(rows.length > limit ? { next_cursor: visible.at(-1)?.day ?? "" } : {})
  }
  return response
})

/** The batches of a page of the log of `size` entries and one more, with their anchors: in one statement, since many wait for it when the log moves. */
const pageOf = Effect.fnUntraced(function* (limit: number, before: string | null, size: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select b.day::text as day, root, tree_size, n_readings, n_late, n_revisions, n_absent, closed_at, late, log_index,
      anchored.*
    from batch b cross join lateral ${bestAnchor(sql, sql`b.log_index`, size)} anchored
    where log_index < ${size}::int and (${before}::date is null or b.day < ${before}::date)
    order by b.day desc limit ${limit + 1}`.pipe(batchRows)
  return yield* Effect.forEach(rows, (row) =>
    Effect.map(anchorFrom(row), (anchor) => ({
      ...Struct.omit(row, Struct.keys(anchorFields)),
      anchor
    }))
  )
})

const pages = recordCache<Effect.Success<ReturnType<typeof pageOf>>>(50)
