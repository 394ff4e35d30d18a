/** Proves that a declared series had no reading on a closed day, with a bundle over that day's absence leaf. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { dayOf, knownSymbol } from "../../data/read/parameters.ts"
import { rowsOf } from "../../data/rows.ts"
import { type Bundle, bundleTag } from "../../proof/bundle.ts"
import { storedPath } from "../storedPath.ts"
import type { Asked } from "./attest.ts"
import { logProof } from "./bundle.ts"
import { absentIn, notAttested } from "./notAttested.ts"

const leafRows = rowsOf({
  text: Schema.String,
  place: Schema.Int,
  batch: Schema.Int,
  tree_size: Schema.Int,
  log_index: Schema.Int,
  absent: Schema.String,
  entry: Schema.String
})

/** Fails with `BadParameter`, `UnknownSymbol`, or `NotAttested` if the batch does not record the absence. */
export const absence = Effect.fn("Log.absence")(function* (asked: Asked) {
  const { metric, source } = asked
  const day = yield* dayOf("date", asked.date)
  const symbol = yield* knownSymbol("symbol", asked.symbol)
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql`
    select l.text, l.place, l.batch, b.tree_size, b.log_index, b.absent, e.text as entry
    from leaf l join batch b on b.id = l.batch and b.closed_at is not null join log_entry e on e.place = b.log_index
    where l.series is null and b.day = ${day}::date limit 1`.pipe(leafRows)
  const series = found === undefined ? undefined : absentIn(found.absent, { symbol, metric, source })
  if (found === undefined || series === undefined) {
    return yield* notAttested({ symbol, metric, source, day })
  }
  const response: Bundle = {
    v: bundleTag,
    absent: { ...series, list: found.absent },
    leaf: found.text,
    batch: {
      entry: found.entry,
      index: found.place,
      size: found.tree_size,
      path: yield* storedPath(found.batch, found.tree_size, found.place)
    },
    ...(yield* logProof(found.log_index))
  }
  return response
})
