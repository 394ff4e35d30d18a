/** What upstreams restated: each batch publishes the revisions since the last one. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../plugin/Value.ts"
import { isExactTextOf, tagged } from "../proof/leaf.ts"
import { revisionsTag, revisionsText } from "../proof/revisions.ts"
import { storedFact, storeFact } from "../sql/keyValue.ts"
import { rowsOf } from "../sql/rows.ts"
import { keepDocument } from "./document.ts"

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
      ...textOf("before_text", before_text, row.before_value),
      ...textOf("after_text", after_text, row.after_value)
    })),
    ...(simulated ? { simulated: true } : {})
  })
  const subject = `${rows[0]?.id}-${last}`
  yield* storeFact("revisions_logged", String(last))
  return yield* keepDocument({ kind: "revisions", subject, body }, now, simulated)
})

/** The exact text as a member; none if it is not of the number, which must not stop the close. */
const textOf = <Name extends string>(name: Name, text: string | null, value: number) =>
  text === null || !isExactTextOf(text, value) ? {} : ({ [name]: text } as Readonly<Record<Name, string>>)
