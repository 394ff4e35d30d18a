/** `/v1/attest?format=bundle`: one file that proves a value offline, even years later. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../data/rows.ts"
import { isoTime } from "../../plugin/Value.ts"
import { type Bundle, bundleTag } from "../../proof/bundle.ts"
import { parseLeaf, type Reading, type RowLeaf, readingLine, readingsSha256 } from "../../proof/leaf.ts"
import { sha256Hex } from "../leaves.ts"
import { type Asked, answerOf, proofOf } from "./attest.ts"
import { publishedKeys } from "./keys.ts"
import { remembering } from "./remembering.ts"
import { underHead } from "./underHead.ts"

const readingRows = rowsOf({
  as_of: Schema.Date,
  value: Schema.Finite,
  value_text: Schema.NullOr(Schema.String)
})
/** The bundle of a day's value. Fails like `attest`. */
export const bundle = Effect.fn("Log.bundle")(function* (asked: Asked) {
  // One reading of the proof for row and path: a batch that closes meanwhile cannot come between them.
  const proof = yield* proofOf(asked)
  const { value } = yield* answerOf(proof)
  const { day, leaf, path } = proof
  const row = parseLeaf(leaf.text)
  if (row.kind === "absent") return yield* Effect.die("an absence leaf stands for a row")
  const { readings } = yield* kept(`${leaf.series} ${leaf.text}`, readingsOf(leaf.series, day, row))
  const response: Bundle = {
    v: bundleTag,
    row: value,
    leaf: leaf.text,
    ...(readings === undefined ? {} : { readings: readings.map(readingLine) }),
    ...(proof.excluded === undefined ? {} : { excluded: proof.excluded }),
    batch: { index: leaf.place, size: leaf.tree_size, path, entry: leaf.entry },
    ...(yield* underHead(leaf.log_index)),
    keys: yield* publishedKeys
  }
  return response
})

/**
 * The readings of a day as they were when the leaf was recorded: the accepted ones, or those of its incident. Undefined
 * without all of them: they go with their partition.
 */
const readingsOf = Effect.fnUntraced(function* (series: number, day: string, leaf: RowLeaf) {
  const sql = yield* SqlClient.SqlClient
  const [start, published] = [new Date(`${day}T00:00:00Z`), new Date(leaf.recorded_at)]
  const rows = yield* sql`
    select distinct on (as_of) as_of, value, value_text from (
      select o.as_of, o.version, o.value, o.value_text, coalesce((
          select min(e.incident) from exclusion e join incident i on i.id = e.incident
          where e.series = o.series and e.as_of = o.as_of and e.version = o.version
            and coalesce(e.since, i.opened_at) <= ${published}
            and (i.closed_at is null or i.closed_at > ${published})
        ), 0) as incident
      from observation o
      where o.series = ${series} and o.as_of >= ${start} and o.as_of < ${new Date(start.getTime() + 86_400_000)}
        and o.recorded_at <= ${published}
    ) v where incident = ${leaf.excluded_by ?? 0} order by as_of, version desc limit 20000`.pipe(readingRows)
  const readings = rows.map(
    ({ as_of, value, value_text }): Reading => ({
      as_of: isoTime(as_of.getTime()),
      value,
      ...(value_text === null ? {} : { value_text })
    })
  )
  return { readings: readingsSha256(readings, sha256Hex) === leaf.readings_sha256 ? readings : undefined }
})

const kept = remembering<Effect.Success<ReturnType<typeof readingsOf>>>(500)
