/** Proves that a declared series had no reading on a closed day, with a bundle over that day's absence leaf. */
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Bundle, bundleTag } from "../../proof/bundle.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { ServedHead } from "../heads.ts"
import { Log } from "../Log.ts"
import { pathColumn, pathFrom } from "../storedPath.ts"
import { anchorFields, bestAnchor } from "./anchor.ts"
import { publishedKeys } from "./keys.ts"
import { absentIn, notAttested } from "./notAttested.ts"
import { type AttestParams, valueNameOf } from "./publishedDay.ts"
import { recordCache } from "./recordCache.ts"
import { headColumn, headFrom, StoredHead } from "./underHead.ts"

const leafRows = rowsOf({
  text: Schema.String,
  place: Schema.Int,
  batch: Schema.Int,
  tree_size: Schema.Int,
  log_index: Schema.Int,
  absent: Schema.String,
  entry: Schema.String,
  path: Schema.Array(Schema.String),
  ...anchorFields,
  head: StoredHead
})

/** The leaf of a day's list of absences with its proof, in one statement; none if the head has no batch of the day. */
const absenceLeaf = Effect.fnUntraced(function* (day: string, head: ServedHead) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select l.text, l.place, l.batch, b.tree_size, b.log_index, b.absent, e.text as entry, ${pathColumn(sql)} as path,
      anchored.*, ${yield* headColumn({ head })} as head
    from leaf l join batch b on b.id = l.batch and b.log_index < ${head.size}::int join log_entry e on e.place = b.log_index
      cross join lateral ${bestAnchor(sql, sql`b.log_index`, head.size)} anchored
    where l.series is null and b.day = ${day}::date limit 1`.pipe(leafRows)
  if (row === undefined) return Option.none()
  return Option.some({
    absent: row.absent,
    leaf: row.text,
    batch: { entry: row.entry, index: row.place, size: row.tree_size, path: yield* pathFrom(row) },
    under: yield* headFrom(row.log_index, { head }, row)
  })
})

/** Of few days: each has its whole list. */
const cachedLeaf = recordCache<Effect.Success<ReturnType<typeof absenceLeaf>>>(20)

/** Fails with `BadParameter`, `UnknownSymbol`, or `NotAttested` if the batch does not record the absence. */
export const absence = Effect.fn("Log.absence")(function* (params: AttestParams) {
  const valueName = yield* valueNameOf(params)
  const { day } = valueName
  const head = yield* (yield* Log).served
  const absences = Option.getOrUndefined(
    yield* cachedLeaf(JSON.stringify([day, head.size]), absenceLeaf(day, head))
  )
  const series = absences === undefined ? undefined : absentIn(absences.absent, valueName)
  if (absences === undefined || series === undefined) {
    return yield* notAttested(valueName, head)
  }
  const response: Bundle = {
    v: bundleTag,
    absent: { ...series, list: absences.absent },
    leaf: absences.leaf,
    batch: absences.batch,
    ...absences.under,
    keys: yield* publishedKeys
  }
  return response
})
