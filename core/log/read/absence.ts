/** Proves that a declared series had no reading on a closed day, with a bundle over that day's absence leaf. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { dayOf, knownSymbol } from "../../data/read/parameters.ts"
import { rowsOf } from "../../data/rows.ts"
import { type Bundle, bundleTag } from "../../proof/bundle.ts"
import { parseAbsenceList } from "../../proof/leaf.ts"
import { storedPath } from "../storedPath.ts"
import { NotAttested } from "./attest.ts"
import { standing } from "./bundle.ts"

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
export const absence = Effect.fn("Log.absence")(function* (asked: {
  readonly symbol: string
  readonly metric: string
  /** `YYYYMMDD` or `YYYY-MM-DD`. */
  readonly date: string
}) {
  const day = yield* dayOf("date", asked.date)
  const symbol = yield* knownSymbol("symbol", asked.symbol)
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql`
    select l.text, l.place, l.batch, b.tree_size, b.log_index, b.absent, e.text as entry
    from leaf l join batch b on b.id = l.batch and b.closed_at is not null join log_entry e on e.place = b.log_index
    where l.series is null and b.day = ${day}::date limit 1`.pipe(leafRows)
  const series =
    found &&
    parseAbsenceList(found.absent).find((one) => one.symbol === symbol && one.metric === asked.metric)
  if (found === undefined || series === undefined) {
    return yield* new NotAttested({
      message: `The batch of ${day} does not record ${asked.metric} of ${symbol} as absent: it was measured or not declared, or the day is not closed yet.`
    })
  }
  const response: Bundle = {
    v: bundleTag,
    absent: {
      symbol,
      metric: asked.metric,
      source: series.source,
      ...(series.ended === undefined ? {} : { ended: series.ended }),
      list: found.absent
    },
    leaf: found.text,
    batch: {
      entry: found.entry,
      index: found.place,
      size: found.tree_size,
      path: yield* storedPath(found.batch, found.tree_size, found.place)
    },
    ...(yield* standing(found.log_index))
  }
  return response
})
