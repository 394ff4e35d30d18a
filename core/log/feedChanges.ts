/**
 * What holds of feeds and of single series as log entries, so that it is on record which values were served before anybody had
 * compared them, of which series little was known, and which levels were in doubt.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../plugin/Value.ts"
import type { DocumentEntry } from "../proof/entry.ts"
import { type FeedChange, type FeedChanges, feedsSubject, feedsTag, feedsText } from "../proof/feeds.ts"
import { tagged } from "../proof/leaf.ts"
import {
  newestNumber,
  numberChanges,
  placeChanges,
  unloggedChanges
} from "../readings/ingest/compare/changesToLog.ts"
import { rowsOf } from "../sql/rows.ts"
import { keepDocument } from "./document.ts"

/** Changes of one document. */
const most = 5000

/** Series that the changes of one document name, unless one alone names more. */
const mostSeries = 20_000

const SeriesName = Schema.Struct({ metric: Schema.String, source: Schema.String, symbol: Schema.String })
const Value = Schema.Struct({ value: Schema.Finite, as_of: Schema.String })
const Stated = Schema.Union([
  Schema.Array(
    Schema.Struct({
      ...SeriesName.fields,
      ...Value.fields,
      second: Schema.Struct({
        plugin: Schema.String,
        metric: Schema.String,
        source: Schema.String,
        ...Value.fields
      }),
      tolerance: Schema.Finite
    })
  ),
  Schema.Struct({ before: Value, after: Value })
])

const ChangeRow = Schema.Struct({
  of: Schema.Literals(["feed_confirmation", "series_standing"]),
  id: Schema.Int,
  plugin: Schema.String,
  code_hash: Schema.String,
  state: Schema.Literals(["unconfirmed", "confirmed", "young", "level in doubt", "level decided"]),
  how: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String),
  run: Schema.NullOr(Schema.String),
  since: Schema.Date,
  until: Schema.NullOr(Schema.Date),
  series: Schema.NullOr(Schema.Array(SeriesName)),
  stated: Schema.NullOr(Stated)
})
type ChangeRow = typeof ChangeRow.Type

const changeRows = rowsOf(ChangeRow.fields)
const numberRows = rowsOf({ n: Schema.Int })

/** The changes that no document has yet, in their order. */
const waitingChanges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select * from (${unloggedChanges(sql)}) w order by since, of, id limit ${most}`.pipe(changeRows)
})

/** The first changes of as many series as a document takes. */
const ofOneDocument = (rows: ReadonlyArray<ChangeRow>): ReadonlyArray<ChangeRow> => {
  let named = 0
  const end = rows.findIndex(({ series }, place) => {
    named += series?.length ?? 0
    return place > 0 && named > mostSeries
  })
  return end < 0 ? rows : rows.slice(0, end)
}

const changeOf = (
  { code_hash, how, plugin, reason, run, series, since, state, stated, until }: ChangeRow,
  n: number
): FeedChange => ({
  n,
  plugin,
  code_hash,
  state,
  since: isoTime(since.getTime()),
  ...(until === null ? {} : { until: isoTime(until.getTime()) }),
  // Readers of released versions know no further member.
  ...(how === null ? {} : { how: reason === null ? how : `${how}: ${reason}` }),
  ...(run === null ? {} : { run }),
  ...(series === null ? {} : { series }),
  ...(stated !== null && !("before" in stated) ? { compared: stated } : {}),
  ...(stated !== null && "before" in stated ? { levels: { before: stated.before, after: stated.after } } : {})
})

/**
 * Stores documents of all changes that are not in the log yet. Append `entries` in the same transaction, which must hold the
 * writer lock, then run `placed` with the index of the first.
 */
export const feedEntries = Effect.fn("feedChanges.feedEntries")(function* (now: number, simulated: boolean) {
  const sql = yield* SqlClient.SqlClient
  const [newest] = yield* sql`select ${newestNumber(sql)} as n`.pipe(numberRows)
  const entries: Array<DocumentEntry> = []
  let n = newest?.n ?? 0
  while (true) {
    const rows = ofOneDocument(yield* waitingChanges)
    if (rows.length === 0) break
    const first = n + 1
    n += rows.length
    const document: FeedChanges = {
      v: tagged(feedsTag, simulated),
      feeds: rows.map((row, index) => changeOf(row, first + index)),
      ...(simulated ? { simulated: true } : {})
    }
    const entry = yield* keepDocument(
      { kind: "feeds", subject: feedsSubject(document), body: feedsText(document) },
      now,
      simulated
    )
    yield* numberChanges(rows, first, entry.sha256)
    entries.push(entry)
  }
  const placed = (place: number) =>
    Effect.forEach(entries, ({ sha256 }, index) => placeChanges(sha256, place + index), { discard: true })
  return { entries, placed }
})
