/** What upstreams restated: each batch publishes the revisions since the last one. */
import { createHash } from "node:crypto"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { storedFact } from "../data/fact.ts"
import { rowsOf } from "../data/rows.ts"
import { isoTime } from "../plugin/Value.ts"
import { type DocumentEntry, entryTag } from "../proof/entry.ts"
import { tagged } from "../proof/leaf.ts"
import { revisionsTag, revisionsText } from "../proof/revisions.ts"

const revisionRows = rowsOf({
  id: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  as_of: Schema.Date,
  version: Schema.Int,
  before_value: Schema.Finite,
  before_text: Schema.NullOr(Schema.String),
  after_value: Schema.Finite,
  after_text: Schema.NullOr(Schema.String),
  recorded_at: Schema.Date,
  run: Schema.String,
  why: Schema.String
})

/** Stores the document of the revisions since the last batch; returns its log entry, or undefined if there are none. */
export const revisionsDocument = Effect.fnUntraced(function* (now: number, simulated: boolean) {
  const sql = yield* SqlClient.SqlClient
  const from = Number((yield* storedFact("revisions_logged")) ?? 0)
  const rows = yield* sql`
    select r.id, s.symbol, s.metric, s.source, r.as_of, r.version, r.before_value, r.before_text,
      r.after_value, r.after_text, r.recorded_at, r.run, r.why
    from revision r join series s on s.id = r.series where r.id > ${from} order by r.id limit 20000`.pipe(
    revisionRows
  )
  const last = rows.at(-1)?.id
  if (last === undefined) return undefined
  const body = revisionsText({
    v: tagged(revisionsTag, simulated),
    revisions: rows.map(({ after_text, as_of, before_text, recorded_at, ...row }) => ({
      ...row,
      as_of: isoTime(as_of.getTime()),
      recorded_at: isoTime(recorded_at.getTime()),
      ...(before_text === null ? {} : { before_text }),
      ...(after_text === null ? {} : { after_text })
    })),
    ...(simulated ? { simulated: true } : {})
  })
  const subject = `${rows[0]?.id}-${last}`
  const hash = createHash("sha256").update(body).digest("hex")
  yield* sql`insert into document ${sql.insert({
    sha256: hash,
    kind: "revisions",
    subject,
    media_type: "application/json",
    body,
    recorded_at: new Date(now)
  })} on conflict do nothing`
  yield* sql`insert into fact ${sql.insert({ name: "revisions_logged", value: String(last) })}
    on conflict (name) do update set value = excluded.value`
  const entry: DocumentEntry = {
    v: tagged(entryTag, simulated),
    kind: "revisions",
    sha256: hash,
    subject,
    recorded_at: isoTime(now),
    ...(simulated ? { simulated: true } : {})
  }
  return entry
})
