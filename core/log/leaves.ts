/** Makes a batch's leaves from daily rows; the batch that publishes a row seals it. */
import { hash } from "node:crypto"
import { Array as Arr, Context, Effect, Predicate, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { isoTime } from "../plugin/Value.ts"
import { Malformed } from "../proof/bytes.ts"
import {
  cutOffOf,
  leafTag,
  leafText,
  type Reading,
  type RowLeaf,
  readingsSha256,
  tagged
} from "../proof/leaf.ts"
import { lastEarlierDay } from "../readings/earlierLog.ts"
import { byteas, ints, texts, times } from "../readings/ingest/arrays.ts"
import { rowUnit } from "../readings/ingest/rowUnit.ts"
import { type DayRow, givingLeaves, sealing } from "../readings/ingest/sealed.ts"
import { withWriterLock } from "../readings/ingest/writerLock.ts"
import { manyRowsOf, rowsOf } from "../sql/rows.ts"

export { sha256 } from "../process/sha256.ts"

/** The native SHA-256 of a text's UTF-8, in hex. */
export const sha256Hex = (text: string): string => hash("sha256", text)

/** What `leafHash` of the Merkle code is of a text's UTF-8. */
const leafHashOf = (text: string): Uint8Array => hash("sha256", `\0${text}`, "buffer")

/** Rows of one transaction of a close: on the embedded engine everybody else waits for it. */
export const closeRows = Context.Reference<number>("core/log/leaves/closeRows", { defaultValue: () => 1000 })

/** Rows of one statement. */
const rowsAtOnce = 250

/** Leaves that are made in one turn of the loop. */
const leavesAtOnce = 25

/** A row that no batch has sealed. */
interface OpenRow extends DayRow {
  readonly symbol: string
  readonly metric: string
  readonly source: string
  readonly unit: string
  /** The run whose row it is; null where no reading is left. */
  readonly run: string | null
  /** Leaf hash of the previous version, hex. */
  readonly follows: string | null
  /** True if the upstream restated a reading of the day since the previous version. */
  readonly restated: boolean
  /** The readings of the day, oldest first: when they were true, and their values. */
  readonly times: ReadonlyArray<Date>
  readonly values: ReadonlyArray<number>
  readonly texts: ReadonlyArray<string | null>
}

type RowKey = Pick<OpenRow, "series" | "day" | "incident" | "version">

const isTextOrNull = Predicate.or(Predicate.isString, Predicate.isNull)
const isArrayOf =
  <A>(is: Predicate.Refinement<unknown, A>) =>
  (values: unknown): values is ReadonlyArray<A> =>
    Array.isArray(values) && values.every(is)

const openRows = manyRowsOf({
  series: Predicate.isNumber,
  day: Predicate.isString,
  incident: Predicate.isNumber,
  version: Predicate.isNumber,
  as_of: Predicate.isDate,
  // Held to the leaf's rules: a number that cannot be published must not stop the close.
  value: Predicate.isNumber,
  value_text: isTextOrNull,
  n_observations: Predicate.isNumber,
  verify_url: Predicate.isString,
  recorded_at: Predicate.isDate,
  symbol: Predicate.isString,
  metric: Predicate.isString,
  source: Predicate.isString,
  unit: Predicate.isString,
  run: isTextOrNull,
  follows: isTextOrNull,
  restated: Predicate.isBoolean,
  times: isArrayOf(Predicate.isDate),
  values: isArrayOf(Predicate.isNumber),
  texts: isArrayOf(isTextOrNull)
})
const keyRows = manyRowsOf({
  series: Predicate.isNumber,
  day: Predicate.isString,
  incident: Predicate.isNumber,
  version: Predicate.isNumber
})
const countRows = rowsOf({ n: Schema.Int })

/** A row that cannot become a leaf, and why. */
export interface Unsealable {
  readonly row: OpenRow
  readonly reason: string
}

/** The close that makes the leaves. */
export interface Closing {
  readonly batch: number
  readonly day: string
  readonly simulated: boolean
}

/** What was sealed of a batch. */
export interface Sealed {
  /** Rows that could not become leaves. */
  readonly aside: ReadonlyArray<OpenRow>
  /** Leaves of the batch. */
  readonly leaves: number
  /** True if their places are already those of the order in which a batch is published. */
  readonly ordered: boolean
}

/**
 * Makes leaves of all open rows up to the batch's day and seals them, `closeRows` per transaction under the writer lock, so a
 * leaf always matches its row. A repeated call continues where the last stopped. Each transaction checks `isOwner`: if false,
 * another process is closing this batch, and nothing is added. A row that cannot become a leaf is passed to `onUnsealable`
 * and does not block the others; what that makes of it, and what was written meanwhile, is sealed afterwards.
 */
export const sealAll = Effect.fn("leaves.sealAll")(function* (
  closing: Closing,
  isOwner: Effect.Effect<boolean, SqlError>,
  onUnsealable: (unsealable: Unsealable) => Effect.Effect<void, SqlError>
) {
  const rowsOfTransaction = yield* closeRows
  const aside = new Map<string, OpenRow>()
  let leaves = yield* leavesOf(closing.batch)
  let ordered = leaves === 0
  for (let passes = 0; ; passes++) {
    const open = (yield* openKeys(closing)).filter((key) => !aside.has(keyOf(key)))
    if (open.length === 0) break
    ordered &&= passes === 0
    const unsealable: Array<Unsealable> = []
    for (const keys of Arr.chunksOf(open, rowsOfTransaction)) {
      const place = leaves
      const result = yield* withWriterLock(
        Effect.gen(function* () {
          return (yield* isOwner) ? yield* sealSome(closing, keys, place) : undefined
        })
      )
      if (result === undefined) return { aside: [...aside.values()], leaves, ordered: false } satisfies Sealed
      leaves += result.sealed
      unsealable.push(...result.unsealable)
    }
    for (const each of unsealable) {
      aside.set(keyOf(each.row), each.row)
      yield* onUnsealable(each)
    }
  }
  return { aside: [...aside.values()], leaves, ordered } satisfies Sealed
})

/** Seals these open rows, as far as they are still open, from `place` on. */
const sealSome = Effect.fnUntraced(function* (closing: Closing, keys: ReadonlyArray<RowKey>, place: number) {
  let sealed = 0
  const unsealable: Array<Unsealable> = []
  for (const portion of Arr.chunksOf(keys, rowsAtOnce)) {
    const built = yield* makeLeaves(closing, yield* readOpen(portion))
    sealed += yield* seal(closing.batch, built.leaves, place + sealed)
    unsealable.push(...built.unsealable)
  }
  return { sealed, unsealable }
})

/**
 * Those of the rows that are still open, in the order of their keys, with the readings of their days (only the newest version
 * of each). Most rows are of the first version: nothing is looked up by a version that is null.
 */
const readOpen = Effect.fnUntraced(function* (keys: ReadonlyArray<RowKey>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select d.series, d.day::text as day, d.incident, d.version, d.as_of, d.value, d.value_text,
      d.n_observations, d.verify_url, d.recorded_at, s.symbol, s.metric, s.source, r.run,
      -- That of the row of its run, or where no reading is left that of the version before, and not what the series has today.
      coalesce(
        ${rowUnit(sql, { series: sql`d.series`, as_of: sql`d.as_of`, version: sql`r.version` })},
        case when r.run is null then l.text::jsonb ->> 'unit' end, s.first_unit, s.unit
      ) as unit,
      encode(l.hash, 'hex') as follows,
      d.version > 1 and exists (
        select 1 from revision r where r.series = d.series
          and r.as_of >= d.day::timestamp at time zone 'UTC'
          and r.as_of < (d.day + 1)::timestamp at time zone 'UTC'
          and r.recorded_at > p.recorded_at
      ) as restated,
      r.times, r.values, r.texts
    from unnest(${ints(keys.map(({ series }) => series))}, ${texts(keys.map(({ day }) => day))}::date[],
        ${ints(keys.map(({ incident }) => incident))}, ${ints(keys.map(({ version }) => version))})
        with ordinality as k(series, day, incident, version, n)
      join daily d on d.series = k.series and d.day = k.day and d.incident = k.incident
        and d.version = k.version
      join series s on s.id = d.series
      left join leaf l on l.series = d.series and l.day = d.day and l.incident = d.incident
        and l.version = nullif(d.version, 1) - 1
      left join daily p on p.series = d.series and p.day = d.day and p.incident = d.incident
        and p.version = nullif(d.version, 1) - 1
      cross join lateral (
        select coalesce(array_agg(as_of order by as_of), '{}') as times,
          coalesce(array_agg(value order by as_of), '{}') as values,
          coalesce(array_agg(value_text order by as_of), '{}') as texts,
          (array_agg(run order by as_of desc))[1] as run, (array_agg(version order by as_of desc))[1] as version
        from (
          select distinct on (v.as_of) v.as_of, v.value, v.value_text, v.run, v.version from observation v
          where v.series = d.series and v.as_of >= d.day::timestamp at time zone 'UTC'
            and v.as_of < (d.day + 1)::timestamp at time zone 'UTC'
            and coalesce((
              select min(e.incident) from exclusion e join incident i on i.id = e.incident
              where e.series = v.series and e.as_of = v.as_of and e.version = v.version
                and i.closed_at is null
            ), 0) = d.incident
          order by v.as_of, v.version desc
        ) v
      ) r
    where d.sealed_by is null and (d.n_observations > 0 or d.version > 1)
    order by k.n`.pipe(openRows)
})

/** A leaf with the row that it seals. */
interface NewLeaf {
  readonly row: OpenRow
  readonly readingsSha256: string
  readonly text: string
  readonly hash: Uint8Array
}

/** The leaves of rows, and the rows that cannot become one. Lets others have the loop after every few leaves. */
const makeLeaves = Effect.fnUntraced(function* (closing: Closing, open: ReadonlyArray<OpenRow>) {
  const leaves: Array<NewLeaf> = []
  const unsealable: Array<Unsealable> = []
  for (const rows of Arr.chunksOf(open, leavesAtOnce)) {
    yield* Effect.yieldNow
    for (const row of rows) {
      try {
        const leaf = leafOf(row, readingsOf(row), closing)
        const text = leafText(leaf)
        leaves.push({ row, readingsSha256: leaf.readings_sha256, text, hash: leafHashOf(text) })
      } catch (error) {
        if (!(error instanceof Malformed)) throw error
        unsealable.push({ row, reason: error.message })
      }
    }
  }
  return { leaves, unsealable }
})

/** Stores leaves from `place` on and seals their rows, which were read in this transaction. Returns how many there are. */
const seal = Effect.fnUntraced(function* (batch: number, leaves: ReadonlyArray<NewLeaf>, place: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = leaves.map(({ row }) => row)
  const [stored] = yield* sql`
    with input as (
      select * from unnest(${ints(rows.map(({ series }) => series))},
        ${texts(rows.map((row) => row.day))}::date[], ${ints(rows.map(({ incident }) => incident))},
        ${ints(rows.map(({ version }) => version))}, ${ints(rows.map((row) => row.n_observations))},
        ${times(rows.map((row) => row.recorded_at))}, ${texts(leaves.map((leaf) => leaf.readingsSha256))},
        ${texts(leaves.map(({ text }) => text))}, ${byteas(leaves.map(({ hash }) => hash))},
        ${ints(leaves.map((_, index) => place + index))}, ${texts(rows.map(({ run }) => run))})
        as t(series, day, incident, version, n, recorded_at, readings_sha256, text, hash, place, run)
    ), sealed as (
      ${sealing(sql, batch)}
    ), stored as (
      insert into leaf (batch, place, series, day, incident, version, text, hash, run)
      select ${batch}::int, i.place, i.series, i.day, i.incident, i.version, i.text, i.hash, i.run
      from input i join sealed s using (series, day, incident, version)
      returning 1
    ), kept as (
      ${givingLeaves(sql)}
    )
    select count(*)::int as n from stored`.pipe(countRows)
  if (stored?.n !== leaves.length) return yield* Effect.die("a row changed while its leaf was made")
  return leaves.length
})

/** The readings of a row's day, oldest first. */
const readingsOf = ({ texts, times, values }: OpenRow): ReadonlyArray<Reading> =>
  Arr.zipWith(times, values, (as_of, value) => ({ as_of: isoTime(as_of.getTime()), value })).map(
    (reading, at) => {
      const value_text = texts[at]
      return value_text == null ? reading : { ...reading, value_text }
    }
  )

const keyOf = ({ day, incident, series, version }: RowKey): string =>
  `${series}|${day}|${incident}|${version}`

const leavesOf = Effect.fnUntraced(function* (batch: number) {
  const sql = yield* SqlClient.SqlClient
  const [counted] = yield* sql`select count(*)::int as n from leaf where batch = ${batch}`.pipe(countRows)
  return counted?.n ?? 0
})

/**
 * The rows up to a day that no batch has sealed, in the order of the leaves. A row that was written after this batch sealed
 * the version before waits for the next batch: a version follows one of an earlier batch.
 */
const openKeys = Effect.fnUntraced(function* ({ batch, day }: Closing) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select d.series, d.day::text as day, d.incident, d.version from daily d join series s on s.id = d.series
    where d.sealed_by is null and d.day <= ${day}::date
      and d.day > coalesce(${lastEarlierDay(sql)}, '-infinity'::date) and (d.n_observations > 0 or d.version > 1)
      and (d.version = 1 or not exists (
        select 1 from leaf l where l.series = d.series and l.day = d.day and l.incident = d.incident
          and l.version = d.version - 1 and l.batch = ${batch}
      ))
    order by s.symbol collate "C", s.metric collate "C", s.source collate "C", d.day, d.incident, d.version`.pipe(
    keyRows
  )
})

/** Throws `Malformed` if the row is not what its readings say, or was not recorded when its kind says. */
const leafOf = (row: OpenRow, readings: ReadonlyArray<Reading>, closing: Closing): RowLeaf => {
  const last = readings.at(-1)
  const as_of = isoTime(row.as_of.getTime())
  if (row.n_observations !== readings.length) {
    throw new Malformed(`it counts ${row.n_observations} readings, but ${readings.length} are stored`)
  }
  if (last !== undefined && (last.as_of !== as_of || last.value !== row.value)) {
    throw new Malformed(
      `it says ${row.value} at ${as_of}, but its last reading is ${last.value} at ${last.as_of}`
    )
  }
  return {
    v: tagged(leafTag, closing.simulated),
    kind: kindOf(row, closing),
    symbol: row.symbol,
    metric: row.metric,
    source: row.source,
    unit: row.unit,
    day: row.day,
    as_of,
    value: row.value,
    ...(row.value_text === null ? {} : { value_text: row.value_text }),
    n_observations: row.n_observations,
    readings_sha256: readingsSha256(readings, sha256Hex),
    verify_url: row.verify_url,
    version: row.version,
    ...(row.follows === null ? {} : { follows: row.follows }),
    ...(row.incident === 0 ? {} : { excluded_by: row.incident }),
    recorded_at: isoTime(row.recorded_at.getTime()),
    ...(closing.simulated ? { simulated: true as const } : {})
  }
}

const kindOf = (row: OpenRow, { day }: Closing): RowLeaf["kind"] => {
  if (row.version > 1 && row.restated) return "revision"
  if (row.recorded_at.getTime() > cutOffOf(row.day)) return "late"
  if (row.version === 1 && row.day === day) return "reading"
  throw new Malformed("it was recorded before its day was closed, but is not in that day's batch")
}
