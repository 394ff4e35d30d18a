/**
 * What is served is what was sealed, and what was read. A row of `daily` or `latest` that was changed behind the service's
 * back is left out where it is read: these are the conditions for statements, and the register of what was left out.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { retainedFrom } from "../ingest/partitions.ts"

/** In the place of an incident's number: the row differs from what was sealed or read, and no incident says so yet. */
export const differs = 2 ** 31 - 1

/** A time as leaves write it: without a fraction when the second is whole. */
const isoText = (column: string) =>
  `replace(to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '.000Z', 'Z')`

/**
 * A number as JSON of this runtime has it, as a rule: both write the shortest digits that give it back, but use exponents elsewhere.
 * Halfway between two numbers this runtime writes the shorter digits, as of 300000000000100000, and Postgres does not.
 */
export const numberText = (column: string) => `case when ${column} = 0 then '0'
  when abs(${column}) >= 1e-4 and abs(${column}) < 1e15 then ${column}::text
  when abs(${column}) >= 1e-6 and abs(${column}) < 1e21 then ${column}::text::numeric::text
  else regexp_replace(${column}::text, 'e([-+])0', 'e\\1') end`

/** The value that a leaf states, if it is a number that no cast to a double refuses. */
const valueIn = (text: string) =>
  `substring(${text} from ',"value":(-?[0-9]{1,21}(?:[.][0-9]{1,25})?|-?[0-9](?:[.][0-9]{1,25})?e[-+][12]?[0-9]{1,2})[,}]')`

/** What follows the value in a leaf. */
const afterValue = `coalesce(',"value_text":' || to_json(d.value_text), '')
      || ',"verify_url":' || to_json(d.verify_url) || ',"version":' || d.version || '}'`

/**
 * Whether the leaf `l` has its hash, and says what the row `d` says. Its text is canonical: the members have one order, and a
 * string has no bare quote, so that these pieces stand for members. No text makes it fail, as a cast to JSON would.
 */
export const leafSaysRow = `(
    starts_with(l.text, '{"as_of":"' || ${isoText("d.as_of")} || '","day":"' || d.day || '",')
    and strpos(l.text, ',"n_observations":' || d.n_observations || ',"readings_sha256":"' || d.readings_sha256
      || '","recorded_at":"' || ${isoText("d.recorded_at")} || '",') > 0
    and (strpos(l.text, ',"value":' || ${numberText("d.value")} || ${afterValue}) > 0
      or (${valueIn("l.text")}::float8 = d.value
        and strpos(l.text, ',"value":' || ${valueIn("l.text")} || ${afterValue}) > 0))
    and l.hash = sha256('\\x00'::bytea || convert_to(l.text, 'UTF8'))
  )`

/** Whether a reading `o` is accepted. */
export const isAccepted = `not exists (
      select 1 from exclusion e join incident i on i.id = e.incident
      where e.series = o.series and e.as_of = o.as_of and e.version = o.version and i.closed_at is null
    )`

/**
 * Of a row `d` of `daily`: whether it is the served value of its day, that is the newest accepted version with a reading that no
 * incident has withdrawn. It joins, where a view inside a lateral would read the whole table.
 */
export const isServedDay = `d.incident = 0 and d.n_observations > 0 and not exists (
      select 1 from daily newer
      where newer.series = d.series and newer.day = d.day and newer.incident = 0 and newer.version > d.version
    )`

/**
 * Of a row `d` of `daily`: whether it is what its leaf says; of an accepted row that no batch sealed, whether it is the
 * newest accepted reading of its day, while readings are kept.
 */
export const dayHolds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const keptFrom = new Date(yield* retainedFrom)
  return sql`coalesce((
    select coalesce(${sql.literal(leafSaysRow)}, false) from leaf l
    where l.series = d.series and l.day = d.day and l.incident = d.incident and l.version = d.version
  ), d.sealed_by is null and (
    d.incident > 0 or d.n_observations = 0 or d.day < ${keptFrom}::date or coalesce((
      select o.as_of = d.as_of and o.value = d.value and o.value_text is not distinct from d.value_text
      from observation o
      where o.series = d.series and o.as_of >= d.day::timestamp at time zone 'UTC'
        and o.as_of < (d.day + 1)::timestamp at time zone 'UTC' and ${sql.literal(isAccepted)}
      order by o.as_of desc, o.version desc limit 1
    ), false)
  ))`
})

/**
 * Of a row `l` of `latest`: whether it is the newest accepted reading. One that is older than the readings that are kept is
 * compared with its day, if it has one. A simulated row may be ahead of its reading, as a preview is.
 */
export const latestHolds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const keptFrom = new Date(yield* retainedFrom)
  return sql`(coalesce((
    select o.as_of = l.as_of and o.value = l.value and o.value_text is not distinct from l.value_text
    from observation o
    where o.series = l.series and o.as_of >= ${keptFrom} and ${sql.literal(isAccepted)}
    order by o.as_of desc, o.version desc limit 1
  ), l.as_of < ${keptFrom} and coalesce((
    select d.as_of = l.as_of and d.value = l.value and d.value_text is not distinct from l.value_text from daily d
    where d.series = l.series and d.day = (l.as_of at time zone 'UTC')::date and d.incident = 0
    order by d.version desc limit 1
  ), true)) or (l.simulated and not exists (
    select 1 from observation o where o.series = l.series and o.as_of >= l.as_of
  )))`
})

/** A row that was left out. */
export interface Differing {
  readonly series: number
  /** `YYYY-MM-DD`; of a latest row, undefined. */
  readonly day: string | undefined
}

/** What was left out in the last look at each series, by the reader that looked. */
const registers = new WeakMap<SqlClient.SqlClient, Map<string, Map<number, ReadonlyArray<Differing>>>>()

/** Notes what a reader found when it looked at these series; what it found in them before is forgotten. */
export const noteDiffering = (
  sql: SqlClient.SqlClient,
  reader: string,
  series: Iterable<number>,
  differing: ReadonlyArray<Differing>
): void => {
  const readers = registers.get(sql) ?? new Map<string, Map<number, ReadonlyArray<Differing>>>()
  registers.set(sql, readers)
  const bySeries = readers.get(reader) ?? new Map<number, ReadonlyArray<Differing>>()
  readers.set(reader, bySeries)
  if (bySeries.size > 0) for (const one of series) bySeries.delete(one)
  for (const [one, rows] of Map.groupBy(differing, (row) => row.series)) bySeries.set(one, rows)
}

/** Forgets what every reader found in these series. */
export const forgetDiffering = (sql: SqlClient.SqlClient, series: ReadonlyArray<number>): void => {
  for (const bySeries of registers.get(sql)?.values() ?? []) {
    if (bySeries.size > 0) for (const one of series) bySeries.delete(one)
  }
}

/** Rows of this database that this process left out, each once. */
export const differingOf = (sql: SqlClient.SqlClient): ReadonlyArray<Differing> => {
  const all = [...(registers.get(sql)?.values() ?? [])].flatMap((bySeries) => [...bySeries.values()].flat())
  return [...new Map(all.map((row) => [`${row.series} ${row.day ?? ""}`, row])).values()]
}
