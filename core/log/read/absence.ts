/** Proves that a declared series had no reading on a closed day, with a bundle over that day's absence leaf. */
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { dayOf, knownSymbol } from "../../data/read/parameters.ts"
import { rowsOf } from "../../data/rows.ts"
import { type Bundle, bundleTag } from "../../proof/bundle.ts"
import { pathColumn, pathFrom } from "../storedPath.ts"
import type { Asked } from "./attest.ts"
import { publishedKeys } from "./keys.ts"
import { absentIn, notAttested } from "./notAttested.ts"
import { remembering } from "./remembering.ts"
import { underHead } from "./underHead.ts"

const leafRows = rowsOf({
  text: Schema.String,
  place: Schema.Int,
  batch: Schema.Int,
  tree_size: Schema.Int,
  log_index: Schema.Int,
  absent: Schema.String,
  entry: Schema.String,
  path: Schema.Array(Schema.String)
})

/** The leaf of a day's list of absences, with its path; none if the day is not closed. */
const absenceLeaf = Effect.fnUntraced(function* (day: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql`
    select l.text, l.place, l.batch, b.tree_size, b.log_index, b.absent, e.text as entry, ${pathColumn(sql)} as path
    from leaf l join batch b on b.id = l.batch and b.closed_at is not null join log_entry e on e.place = b.log_index
    where l.series is null and b.day = ${day}::date limit 1`.pipe(leafRows)
  return found === undefined ? Option.none() : Option.some({ ...found, path: yield* pathFrom(found) })
})

/** Of few days: each has its whole list. */
const known = remembering<Effect.Success<ReturnType<typeof absenceLeaf>>>(20)

/** Fails with `BadParameter`, `UnknownSymbol`, or `NotAttested` if the batch does not record the absence. */
export const absence = Effect.fn("Log.absence")(function* (asked: Asked) {
  const { metric, source } = asked
  const day = yield* dayOf("date", asked.date)
  const symbol = yield* knownSymbol("symbol", asked.symbol)
  const found = Option.getOrUndefined(yield* known(day, absenceLeaf(day)))
  const series = found === undefined ? undefined : absentIn(found.absent, { symbol, metric, source })
  if (found === undefined || series === undefined) {
    return yield* notAttested({ symbol, metric, source, day })
  }
  const response: Bundle = {
    v: bundleTag,
    absent: { ...series, list: found.absent },
    leaf: found.text,
    batch: { entry: found.entry, index: found.place, size: found.tree_size, path: found.path },
    ...(yield* underHead(found.log_index)),
    keys: yield* publishedKeys
  }
  return response
})
