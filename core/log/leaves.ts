/** Makes a batch's leaves from daily rows; the batch that publishes a row seals it. */
import { createHash } from "node:crypto"
import { Array as Arr, Effect, Predicate, Schema, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { byteas, ints, texts, times } from "../data/ingest/arrays.ts"
import { withWriterLock } from "../data/ingest/writerLock.ts"
import { manyRowsOf, rowsOf } from "../data/rows.ts"
import { isoTime } from "../plugin/Value.ts"
import { fromUtf8, Malformed } from "../proof/bytes.ts"
import {
  cutOffOf,
  leafBytes,
  leafTag,
  type Reading,
  type RowLeaf,
  readingsSha256,
  tagged
} from "../proof/leaf.ts"
import { leafHash } from "../proof/merkle.ts"

/** The native SHA-256, for the Merkle code, which is portable. */
export const sha256 = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest()

/** Rows of one transaction: on the embedded engine everybody else waits for it. */
const chunk = 1000

/** Rows of a transaction that are read at once: their leaves are made while the engine reads the next. */
const portion = 250

/** A row that no batch has sealed. */
interface OpenRow {
  readonly series: number
  readonly day: string
  readonly incident: number
  readonly version: number
  readonly as_of: Date
  readonly value: number
  readonly value_text: string | null
  readonly n_observations: number
  readonly verify_url: string
  readonly recorded_at: Date
  readonly symbol: string
  readonly metric: string
  readonly source: string
  readonly unit: string
  /** Leaf hash of the previous version, hex. */
  readonly follows: string | null
  /** True if the upstream restated a reading of the day since the previous version. */
  readonly restated: boolean
}

type RowKey = Pick<OpenRow, "series" | "day" | "incident" | "version">

const isTextOrNull = Predicate.or(Predicate.isString, Predicate.isNull)

const dailyRows = manyRowsOf({
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
  follows: isTextOrNull,
  restated: Predicate.isBoolean
})
const keyRows = manyRowsOf({
  series: Predicate.isNumber,
  day: Predicate.isString,
  incident: Predicate.isNumber,
  version: Predicate.isNumber
})
const countRows = rowsOf({ n: Schema.Int })
const readingRows = manyRowsOf({
  series: Predicate.isNumber,
  day: Predicate.isString,
  as_of: Predicate.isDate,
  value: Predicate.isNumber,
  value_text: isTextOrNull,
  incident: Predicate.isNumber
})

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
 * Makes leaves of all open rows up to the batch's day and seals them, one chunk per transaction under the writer lock, so a
 * leaf always matches its row. A repeated call continues where the last stopped. Each transaction checks `held`: if false,
 * another process is closing this batch, and nothing is added. A row that cannot become a leaf is passed to `unsealable`
 * and does not block the others; what `unsealable` makes of it, and what was written meanwhile, is sealed afterwards.
 */
export const sealAll = Effect.fn("leaves.sealAll")(function* (
  closing: Closing,
  held: Effect.Effect<boolean, SqlError>,
  unsealable: (found: Unsealable) => Effect.Effect<void, SqlError>
) {
  const aside = new Map<string, OpenRow>()
  let leaves = yield* leavesOf(closing.batch)
  let ordered = leaves === 0
  for (let passes = 0; ; passes++) {
    const open = (yield* openKeys(closing.day)).filter((key) => !aside.has(keyOf(key)))
    if (open.length === 0) break
    ordered &&= passes === 0
    const found: Array<Unsealable> = []
    for (const keys of Arr.chunksOf(open, chunk)) {
      const place = leaves
      const done = yield* withWriterLock(
        Effect.gen(function* () {
          return (yield* held) ? yield* sealSome(closing, keys, place) : undefined
        })
      )
      if (done === undefined) return { aside: [...aside.values()], leaves, ordered: false } satisfies Sealed
      leaves += done.sealed
      found.push(...done.unsealable)
    }
    for (const one of found) {
      aside.set(keyOf(one.row), one.row)
      yield* unsealable(one)
    }
  }
  return { aside: [...aside.values()], leaves, ordered } satisfies Sealed
})

/** Seals these open rows, as far as they are still open, from `place` on. */
const sealSome = Effect.fnUntraced(function* (closing: Closing, keys: ReadonlyArray<RowKey>, place: number) {
  const done = { sealed: 0, unsealable: [] as Unsealable[] }
  // The leaves of a portion are made while the engine reads the next one and seals the one before.
  yield* Stream.fromIterable(Arr.chunksOf(keys, portion)).pipe(
    Stream.mapEffect((some) =>
      Effect.gen(function* () {
        const open = yield* openRows(some)
        return { open, readings: yield* readingsOf(open) }
      })
    ),
    Stream.buffer({ capacity: 1 }),
    Stream.map(({ open, readings }) => made(closing, open, readings)),
    Stream.buffer({ capacity: 1 }),
    Stream.runForEach(({ leaves, unsealable }) =>
      Effect.map(keepLeaves(closing.batch, leaves, place + done.sealed), () => {
        done.sealed += leaves.length
        done.unsealable.push(...unsealable)
      })
    )
  )
  return done
})

/** A leaf with the row that it seals. */
interface MadeLeaf {
  readonly row: OpenRow
  readonly readingsSha256: string
  readonly text: Uint8Array
  readonly hash: Uint8Array
}

/** The leaves of rows with their readings, read in this transaction, and the rows that cannot become one. */
const made = (
  closing: Closing,
  open: ReadonlyArray<OpenRow>,
  readings: Effect.Success<ReturnType<typeof readingsOf>>
) => {
  const unsealable: Array<Unsealable> = []
  const leaves = open.flatMap((row): ReadonlyArray<MadeLeaf> => {
    try {
      const leaf = leafOf(row, readings.get(`${row.series}|${row.day}|${row.incident}`) ?? [], closing)
      const text = leafBytes(leaf)
      return [{ row, readingsSha256: leaf.readings_sha256, text, hash: leafHash(text, sha256) }]
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      unsealable.push({ row, reason: error.message })
      return []
    }
  })
  return { leaves, unsealable }
}

/** Stores leaves from `place` on and seals their rows. */
const keepLeaves = Effect.fnUntraced(function* (
  batch: number,
  leaves: ReadonlyArray<MadeLeaf>,
  place: number
) {
  if (leaves.length === 0) return
  const rows = leaves.map(({ row }) => row)
  const sql = yield* SqlClient.SqlClient
  const kept = yield* sql`
      with input as (
        select * from unnest(${ints(rows.map(({ series }) => series))},
          ${texts(rows.map((row) => row.day))}::date[], ${ints(rows.map(({ incident }) => incident))},
          ${ints(rows.map(({ version }) => version))}, ${ints(rows.map((row) => row.n_observations))},
          ${times(rows.map((row) => row.recorded_at))}, ${texts(leaves.map((leaf) => leaf.readingsSha256))},
          ${texts(leaves.map(({ text }) => fromUtf8(text)))}, ${byteas(leaves.map(({ hash }) => hash))},
          ${ints(leaves.map((_, index) => place + index))})
          as t(series, day, incident, version, n, recorded_at, readings_sha256, text, hash, place)
      ), sealed as (
        update daily d set sealed_by = ${batch}, readings_sha256 = i.readings_sha256
        from input i where d.series = i.series and d.day = i.day and d.incident = i.incident
          and d.version = i.version and d.sealed_by is null and d.n_observations = i.n
          and d.recorded_at = i.recorded_at
        returning d.series, d.day, d.incident, d.version
      ), kept as (
        insert into leaf (batch, place, series, day, incident, version, text, hash)
        select ${batch}::int, i.place, i.series, i.day, i.incident, i.version, i.text, i.hash
        from input i join sealed s using (series, day, incident, version)
        returning 1
      )
      select count(*)::int as n from kept`.pipe(countRows)
  if (kept[0]?.n !== rows.length) return yield* Effect.die("a row changed while its leaf was made")
})

const keyOf = ({ day, incident, series, version }: RowKey): string =>
  `${series}|${day}|${incident}|${version}`

const leavesOf = Effect.fnUntraced(function* (batch: number) {
  const sql = yield* SqlClient.SqlClient
  const [counted] = yield* sql`select count(*)::int as n from leaf where batch = ${batch}`.pipe(countRows)
  return counted?.n ?? 0
})

/** The rows up to a day that no batch has sealed, in the order of the leaves. */
const openKeys = Effect.fnUntraced(function* (day: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select d.series, d.day::text as day, d.incident, d.version from daily d join series s on s.id = d.series
    where d.sealed_by is null and d.day <= ${day}::date and (d.n_observations > 0 or d.version > 1)
    order by s.symbol collate "C", s.metric collate "C", s.source collate "C", d.day, d.incident, d.version`.pipe(
    keyRows
  )
})

/**
 * Those of these rows that are still open, in their order. Most are of the first version: nothing is looked up by a version
 * that is null.
 */
const openRows = Effect.fnUntraced(function* (keys: ReadonlyArray<RowKey>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select d.series, d.day::text as day, d.incident, d.version, d.as_of, d.value, d.value_text,
      d.n_observations, d.verify_url, d.recorded_at, s.symbol, s.metric, s.source, s.unit,
      encode(l.hash, 'hex') as follows,
      d.version > 1 and exists (
        select 1 from revision r where r.series = d.series
          and r.as_of >= d.day::timestamp at time zone 'UTC'
          and r.as_of < (d.day + 1)::timestamp at time zone 'UTC'
          and r.recorded_at > p.recorded_at
      ) as restated
    from unnest(${ints(keys.map(({ series }) => series))}, ${texts(keys.map(({ day }) => day))}::date[],
        ${ints(keys.map(({ incident }) => incident))}, ${ints(keys.map(({ version }) => version))})
        with ordinality as k(series, day, incident, version, n)
      join daily d on d.series = k.series and d.day = k.day and d.incident = k.incident and d.version = k.version
      join series s on s.id = d.series
      left join leaf l on l.series = d.series and l.day = d.day and l.incident = d.incident
        and l.version = nullif(d.version, 1) - 1
      left join daily p on p.series = d.series and p.day = d.day and p.incident = d.incident
        and p.version = nullif(d.version, 1) - 1
    where d.sealed_by is null and (d.n_observations > 0 or d.version > 1)
    order by k.n`.pipe(dailyRows)
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
    readings_sha256: readingsSha256(readings),
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
