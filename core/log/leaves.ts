/** Makes a batch's leaves from daily rows; the batch that publishes a row seals it. */
import { createHash } from "node:crypto"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { byteas, ints, texts, times } from "../data/ingest/arrays.ts"
import { withWriterLock } from "../data/ingest/writerLock.ts"
import { rowsOf } from "../data/rows.ts"
import { isoTime } from "../plugin/Value.ts"
import { fromUtf8, Malformed } from "../proof/bytes.ts"
import { cutOffOf, leafBytes, leafTag, type RowLeaf, readingsSha256, tagged } from "../proof/leaf.ts"
import { leafHash } from "../proof/merkle.ts"

/** The native SHA-256, for the Merkle code, which is portable. */
export const sha256 = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest()

/** Rows of one statement. */
const chunk = 500

const OpenRow = Schema.Struct({
  series: Schema.Int,
  day: Schema.String,
  incident: Schema.Int,
  version: Schema.Int,
  as_of: Schema.Date,
  value: Schema.Finite,
  value_text: Schema.NullOr(Schema.String),
  n_observations: Schema.Int,
  verify_url: Schema.String,
  recorded_at: Schema.Date,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  unit: Schema.String,
  /** Leaf hash of the previous version, hex. */
  follows: Schema.NullOr(Schema.String),
  /** True if the upstream restated a reading of the day. */
  restated: Schema.Boolean
})
interface OpenRow extends Schema.Schema.Type<typeof OpenRow> {}

const dailyRows = rowsOf(OpenRow.fields)
const countRows = rowsOf({ n: Schema.Int })
const readingRows = rowsOf({
  series: Schema.Int,
  day: Schema.String,
  as_of: Schema.Date,
  value: Schema.Finite,
  value_text: Schema.NullOr(Schema.String),
  incident: Schema.Int
})

/** A row that cannot become a leaf, and why. */
export interface Unsealable {
  readonly row: OpenRow
  readonly reason: string
}

/**
 * Makes leaves of all open rows up to `day` and seals them, one chunk per transaction under the writer lock, so a leaf always
 * matches its row. A repeated call continues where the last stopped. Each transaction checks `held`: if false, another
 * process is closing this batch, and nothing is added. A row that cannot become a leaf is passed to `unsealable` once and
 * left open, so it does not block the others.
 */
export const sealAll = Effect.fn("leaves.sealAll")(function* (
  batch: number,
  day: string,
  simulated: boolean,
  held: Effect.Effect<boolean, SqlError>,
  unsealable: (found: Unsealable) => Effect.Effect<void, SqlError>
) {
  const left: Array<OpenRow> = []
  while (true) {
    const some = yield* withWriterLock(
      Effect.gen(function* () {
        return (yield* held) ? yield* sealSome(batch, day, simulated, left) : undefined
      })
    )
    if (some === undefined) return
    for (const found of some) {
      left.push(found.row)
      yield* unsealable(found)
    }
  }
})

/** Seals one chunk except the rows in `left`; returns those it could not seal, or undefined if there were none left. */
const sealSome = Effect.fnUntraced(function* (
  batch: number,
  day: string,
  simulated: boolean,
  left: ReadonlyArray<OpenRow>
) {
  const open = yield* openRows(day, left)
  if (open.length === 0) return undefined
  const readings = yield* readingsOf(open)
  const unsealable: Array<Unsealable> = []
  const leaves = open.flatMap((row) => {
    const sha = readingsSha256(readings.get(`${row.series}|${row.day}|${row.incident}`) ?? [])
    try {
      const text = leafBytes(leafOf(row, { day, readings_sha256: sha, simulated }))
      return [{ row, sha, text, hash: leafHash(text, sha256) }]
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      unsealable.push({ row, reason: error.message })
      return []
    }
  })
  if (leaves.length === 0) return unsealable
  const rows = leaves.map(({ row }) => row)
  const sql = yield* SqlClient.SqlClient
  const kept = yield* sql`
      with input as (
        select * from unnest(${ints(rows.map(({ series }) => series))},
          ${texts(rows.map((row) => row.day))}::date[], ${ints(rows.map(({ incident }) => incident))},
          ${ints(rows.map(({ version }) => version))}, ${ints(rows.map((row) => row.n_observations))},
          ${times(rows.map((row) => row.recorded_at))}, ${texts(leaves.map(({ sha }) => sha))},
          ${texts(leaves.map(({ text }) => fromUtf8(text)))}, ${byteas(leaves.map(({ hash }) => hash))})
          as t(series, day, incident, version, n, recorded_at, readings_sha256, text, hash)
      ), sealed as (
        update daily d set sealed_by = ${batch}, readings_sha256 = i.readings_sha256
        from input i where d.series = i.series and d.day = i.day and d.incident = i.incident
          and d.version = i.version and d.sealed_by is null and d.n_observations = i.n
          and d.recorded_at = i.recorded_at
        returning d.series, d.day, d.incident, d.version
      ), kept as (
        insert into leaf (batch, series, day, incident, version, text, hash)
        select ${batch}::int, i.series, i.day, i.incident, i.version, i.text, i.hash
        from input i join sealed s using (series, day, incident, version)
        returning 1
      )
      select count(*)::int as n from kept`.pipe(countRows)
  if (kept[0]?.n !== rows.length) return yield* Effect.die("a row changed while its leaf was made")
  return unsealable
})

const openRows = Effect.fnUntraced(function* (day: string, left: ReadonlyArray<OpenRow>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select d.series, d.day::text as day, d.incident, d.version, d.as_of, d.value, d.value_text,
      d.n_observations, d.verify_url, d.recorded_at, s.symbol, s.metric, s.source, s.unit,
      encode(l.hash, 'hex') as follows,
      d.version > 1 and exists (
        select 1 from revision r where r.series = d.series
          and r.as_of >= d.day::timestamp at time zone 'UTC'
          and r.as_of < (d.day + 1)::timestamp at time zone 'UTC'
      ) as restated
    from daily d join series s on s.id = d.series
      left join leaf l on l.series = d.series and l.day = d.day and l.incident = d.incident
        and l.version = d.version - 1
    where d.sealed_by is null and d.day <= ${day}::date and (d.n_observations > 0 or d.version > 1)
      and not exists (
        select 1 from unnest(${ints(left.map(({ series }) => series))},
          ${texts(left.map((row) => row.day))}::date[], ${ints(left.map(({ incident }) => incident))},
          ${ints(left.map(({ version }) => version))}) as t(series, day, incident, version)
        where t.series = d.series and t.day = d.day and t.incident = d.incident and t.version = d.version
      )
    order by d.day, d.series, d.incident, d.version limit ${chunk}`.pipe(dailyRows)
})

/**
 * The readings of these rows' days by series, day and excluding incident; only the newest version of each reading.
 */
const readingsOf = Effect.fnUntraced(function* (rows: ReadonlyArray<OpenRow>) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql`
    select distinct on (series, as_of, incident) series, day, as_of, value, value_text, incident from (
      select o.series, r.day::text as day, o.as_of, o.version, o.value, o.value_text,
        coalesce((
          select min(e.incident) from exclusion e join incident i on i.id = e.incident
          where e.series = o.series and e.as_of = o.as_of and e.version = o.version and i.closed_at is null
        ), 0) as incident
      from (
          select distinct series, day from unnest(${ints(rows.map(({ series }) => series))},
            ${texts(rows.map(({ day }) => day))}::date[]) as t(series, day)
        ) r join observation o on o.series = r.series
          and o.as_of >= r.day::timestamp at time zone 'UTC'
          and o.as_of < (r.day + 1)::timestamp at time zone 'UTC'
    ) v order by series, as_of, incident, version desc`.pipe(readingRows)
  return Map.groupBy(
    found.map(({ as_of, value_text, ...reading }) => ({
      ...reading,
      as_of: isoTime(as_of.getTime()),
      ...(value_text === null ? {} : { value_text })
    })),
    (reading) => `${reading.series}|${reading.day}|${reading.incident}`
  )
})

const leafOf = (
  row: OpenRow,
  about: { readonly day: string; readonly readings_sha256: string; readonly simulated: boolean }
): RowLeaf => ({
  v: tagged(leafTag, about.simulated),
  kind:
    row.version > 1 && row.restated
      ? "revision"
      : row.version === 1 && row.day === about.day && row.recorded_at.getTime() <= cutOffOf(row.day)
        ? "reading"
        : "late",
  symbol: row.symbol,
  metric: row.metric,
  source: row.source,
  unit: row.unit,
  day: row.day,
  as_of: isoTime(row.as_of.getTime()),
  value: row.value,
  ...(row.value_text === null ? {} : { value_text: row.value_text }),
  n_observations: row.n_observations,
  readings_sha256: about.readings_sha256,
  verify_url: row.verify_url,
  version: row.version,
  ...(row.follows === null ? {} : { follows: row.follows }),
  ...(row.incident === 0 ? {} : { excluded_by: row.incident }),
  recorded_at: isoTime(row.recorded_at.getTime()),
  ...(about.simulated ? { simulated: true as const } : {})
})
