/** Confirmations of feeds as log entries, so that it is on record which values were served before anybody had compared them. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../plugin/Value.ts"
import type { DocumentEntry } from "../proof/entry.ts"
import { type FeedChange, type FeedChanges, feedsSubject, feedsTag, feedsText } from "../proof/feeds.ts"
import { tagged } from "../proof/leaf.ts"
import { ints } from "../readings/ingest/arrays.ts"
import { Standing } from "../readings/read/standings.ts"
import { rowsOf } from "../sql/rows.ts"
import { keepDocument } from "./document.ts"

/** Changes of one document. */
const most = 5000

const changeRows = rowsOf({ id: Schema.Int, plugin: Schema.String, ...Standing.fields })
const numberRows = rowsOf({ n: Schema.Int })

/**
 * Stores documents of all changes that are not in the log yet. Append `entries` in the same transaction, which must hold the
 * writer lock, then run `placed` with the index of the first.
 */
export const feedEntries = Effect.fn("feedChanges.feedEntries")(function* (now: number, simulated: boolean) {
  const sql = yield* SqlClient.SqlClient
  const [newest] = yield* sql`select coalesce(max(n), 0) as n from feed_confirmation`.pipe(numberRows)
  const entries: Array<DocumentEntry> = []
  let n = newest?.n ?? 0
  while (true) {
    const rows = yield* sql`
      select id, plugin, code_hash, state, how, since from feed_confirmation
      where n is null order by id limit ${most}`.pipe(changeRows)
    if (rows.length === 0) break
    const first = n + 1
    n += rows.length
    const document: FeedChanges = {
      v: tagged(feedsTag, simulated),
      feeds: rows.map(
        ({ code_hash, how, plugin, since, state }, index): FeedChange => ({
          n: first + index,
          plugin,
          code_hash,
          state,
          since: isoTime(since.getTime()),
          ...(how === null ? {} : { how })
        })
      ),
      ...(simulated ? { simulated: true } : {})
    }
    const entry = yield* keepDocument(
      { kind: "feeds", subject: feedsSubject(document), body: feedsText(document) },
      now,
      simulated
    )
    yield* sql`
      update feed_confirmation f set n = t.n, document = ${entry.sha256}
      from unnest(${ints(rows.map(({ id }) => id))}, ${ints(rows.map((_, index) => first + index))}) as t(id, n)
      where f.id = t.id`
    entries.push(entry)
  }
  const placed = (place: number) =>
    Effect.forEach(
      entries,
      ({ sha256 }, index) =>
        sql`update feed_confirmation set log_index = ${place + index} where document = ${sha256}`,
      { discard: true }
    )
  return { entries, placed }
})
