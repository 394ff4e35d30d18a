/** Proves that a declared series had no reading on a closed day, with a bundle over that day's absence leaf. */
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../data/rows.ts"
import { type Bundle, bundleTag } from "../../proof/bundle.ts"
import { type Head, Log } from "../Log.ts"
import { pathColumn, pathFrom } from "../storedPath.ts"
import { anchorFields, bestAnchor } from "./anchor.ts"
import { publishedKeys } from "./keys.ts"
import { absentIn, notAttested } from "./notAttested.ts"
import { type Asked, wantedOf } from "./publishedDay.ts"
import { remembering } from "./remembering.ts"
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

/** The leaf of a day's list of absences with its proof, in one statement; none if the day is not closed. */
const absenceLeaf = Effect.fnUntraced(function* (day: string, head: Head) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql`
    select l.text, l.place, l.batch, b.tree_size, b.log_index, b.absent, e.text as entry, ${pathColumn(sql)} as path,
      anchored.*, ${yield* headColumn({ head })} as head
    from leaf l join batch b on b.id = l.batch and b.closed_at is not null join log_entry e on e.place = b.log_index
      cross join lateral ${bestAnchor(sql, sql`b.log_index`)} anchored
    where l.series is null and b.day = ${day}::date limit 1`.pipe(leafRows)
  return found === undefined
    ? Option.none()
    : Option.some({
        absent: found.absent,
        leaf: found.text,
        batch: {
          entry: found.entry,
          index: found.place,
          size: found.tree_size,
          path: yield* pathFrom(found)
        },
        under: yield* headFrom(found.log_index, { head }, found)
      })
})

/** Of few days: each has its whole list. */
const known = remembering<Effect.Success<ReturnType<typeof absenceLeaf>>>(20)

/** Fails with `BadParameter`, `UnknownSymbol`, or `NotAttested` if the batch does not record the absence. */
export const absence = Effect.fn("Log.absence")(function* (asked: Asked) {
  const wanted = yield* wantedOf(asked)
  const { day } = wanted
  const head = yield* (yield* Log).head
  const found = Option.getOrUndefined(yield* known(JSON.stringify([day, head.size]), absenceLeaf(day, head)))
  const series = found === undefined ? undefined : absentIn(found.absent, wanted)
  if (found === undefined || series === undefined) {
    return yield* notAttested(wanted)
  }
  const response: Bundle = {
    v: bundleTag,
    absent: { ...series, list: found.absent },
    leaf: found.leaf,
    batch: found.batch,
    ...found.under,
    keys: yield* publishedKeys
  }
  return response
})
