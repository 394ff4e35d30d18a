/** Whether the stored readings of a day are those that its leaf commits to. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../plugin/Value.ts"
import type { Difference } from "../../proof/finding.ts"
import { readingsSha256 } from "../../proof/leaf.ts"
import { ints, texts, times } from "../../readings/ingest/arrays.ts"
import * as partitions from "../../readings/ingest/partitions.ts"
import { excludedThen } from "../../readings/read/knownAt.ts"
import { rowsOf } from "../../sql/rows.ts"
import { sha256Hex } from "../leaves.ts"
import type { SealedLeaf } from "./batches.ts"

const readingRows = rowsOf({
  n: Schema.Int,
  as_of: Schema.Date,
  value: Schema.Number,
  value_text: Schema.NullOr(Schema.String)
})

/** Series of one statement: a day of one has up to some hundred readings. */
const leavesAtOnce = 200

/** Compares the readings of these leaves, as they were when the leaf's row was recorded, while they are kept. */
export const checkReadings = Effect.fn("log.checkReadings")(function* (leaves: ReadonlyArray<SealedLeaf>) {
  const keptFrom = yield* partitions.retainedFrom
  const retained = leaves.filter(({ leaf }) => Date.parse(leaf.day) >= keptFrom)
  const findings: Array<Difference> = []
  for (let at = 0; at < retained.length; at += leavesAtOnce) {
    const some = retained.slice(at, at + leavesAtOnce)
    const byLeaf = Map.groupBy(yield* readingsOf(some), ({ n }) => n)
    for (const [n, { leaf }] of some.entries()) {
      const readings = (byLeaf.get(n) ?? []).map(({ as_of, value, value_text }) => ({
        as_of: isoTime(as_of.getTime()),
        value,
        ...(value_text === null ? {} : { value_text })
      }))
      const hash = readingsSha256(readings, sha256Hex)
      if (hash === leaf.readings_sha256) continue
      findings.push({
        what: "observations",
        where: `${leaf.symbol} ${leaf.metric} of ${leaf.source} on ${leaf.day}, version ${leaf.version}`,
        expected: `${leaf.n_observations} readings with hash ${leaf.readings_sha256}, as in the leaf`,
        found: `${readings.length} readings with hash ${hash}`
      })
    }
  }
  return findings
})

const readingsOf = Effect.fnUntraced(function* (leaves: ReadonlyArray<SealedLeaf>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select distinct on (n, as_of) n, as_of, value, value_text from (
      select r.n, o.as_of, o.version, o.value, o.value_text, r.incident as wanted,
        coalesce(${excludedThen(sql, sql`r.published`)}, 0) as incident
      from unnest(${ints(leaves.map((_, n) => n))}, ${ints(leaves.map(({ series }) => series))},
          ${texts(leaves.map(({ leaf }) => leaf.day))}::date[],
          ${ints(leaves.map(({ leaf }) => leaf.excluded_by ?? 0))},
          ${times(leaves.map(({ leaf }) => new Date(leaf.recorded_at)))}) as r(n, series, day, incident, published)
        join observation o on o.series = r.series
          and o.as_of >= r.day::timestamp at time zone 'UTC'
          and o.as_of < (r.day + 1)::timestamp at time zone 'UTC'
          and o.recorded_at <= r.published
    ) v where incident = wanted order by n, as_of, version desc`.pipe(readingRows)
})
