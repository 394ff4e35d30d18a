/** What the close of a day measured: supply that moved over the bound, sources that fell silent or came back. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isSuppressed } from "../../catalog/suppressed.ts"
import { day as dayMs } from "../../plugin/time.ts"
import { compare, isoTime } from "../../plugin/Value.ts"
import { texts } from "../../readings/ingest/arrays.ts"
import { smallest, stocks } from "../../readings/ingest/compare/guards.ts"
import { definedDay } from "../../readings/read/byDefinition.ts"
import { dayHolds } from "../../readings/read/differing.ts"
import { rowsOf } from "../../sql/rows.ts"
import { type Measured, state } from "./measured.ts"

/** A day's supply moved when it differs from the day before by at least this many percent of it. */
export const moveBound = 5
/** Whole days without a reading after which a source is `stale`, and `static`. */
export const silences = { stale: 1, static: 7 } as const

/** Leaves looked at in one statement. */
const chunk = 1000

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const Batch = Schema.Struct({ id: Schema.Int, day: Schema.String, tree_size: Schema.Int })
interface Batch extends Schema.Schema.Type<typeof Batch> {}

/** A source as it speaks of one network. */
const Speaker = Schema.Struct({ symbol: Schema.String, source: Schema.String, verify_url: Schema.String })
interface Speaker extends Schema.Schema.Type<typeof Speaker> {}

const batchRows = rowsOf(Batch.fields)
const speakerRows = rowsOf(Speaker.fields)
const moveRows = rowsOf({
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  unit: Schema.String,
  before_value: Schema.Finite,
  before_text: Schema.NullOr(Schema.String),
  after_value: Schema.Finite,
  after_text: Schema.NullOr(Schema.String),
  as_of: Schema.Date,
  verify_url: Schema.String
})

/** Leaves that publish a day for the first time, against the day before as it was published by then. */
const moves = Effect.fnUntraced(function* ({ id, tree_size }: Batch) {
  const sql = yield* SqlClient.SqlClient
  const holds = yield* dayHolds
  const moves: Array<Measured> = []
  for (let from = 0; from < tree_size; from += chunk) {
    const rows = yield* sql`
      select s.symbol, s.metric, s.source, s.unit, p.value as before_value, p.value_text as before_text,
        d.value as after_value, d.value_text as after_text, d.as_of, d.verify_url
      from leaf l
        join series s on s.id = l.series and s.tier = 'supply_telemetry' and s.unit = any(${texts(stocks)})
        -- A lookup a leaf, however many days the table has.
        cross join lateral (
          select d.*, ${holds} as holds from daily d
          where series = l.series and day = l.day and incident = 0 and version = 1
            and ${sql.literal(definedDay)} is null limit 1
        ) d cross join lateral (
          select value, value_text, n_observations, ${holds} as holds from daily d
          where series = l.series and day = l.day - 1 and incident = 0 and sealed_by <= ${id}
          order by version desc limit 1
        ) p
      where l.batch = ${id} and l.place >= ${from} and l.place < ${from + chunk} and l.incident = 0 and l.version = 1
        and p.n_observations > 0 and d.holds and p.holds and abs(p.value) >= ${smallest}
        and 100 * abs(d.value - p.value) >= ${moveBound} * abs(p.value)
      order by l.place limit ${chunk}`.pipe(moveRows)
    for (const { after_text, as_of, before_text, ...row } of rows) {
      if (isSuppressed(row)) continue
      moves.push({
        ...row,
        kind: "supply_move",
        ...(before_text === null ? {} : { before_text }),
        ...(after_text === null ? {} : { after_text }),
        bound: moveBound,
        bound_unit: "pct",
        as_of: isoTime(as_of.getTime())
      })
    }
  }
  return moves
})

type SpeakersByKey = ReadonlyMap<string, Speaker>

/** Who had a reading of a day when it closed; none where no batch closed it. */
const speakersOn = Effect.fnUntraced(function* (day: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select h.symbol, h.source, d.verify_url
    from (
      select distinct on (s.symbol, s.source) s.symbol, s.source, l.series, l.day
      from batch b join leaf l on l.batch = b.id and l.day = b.day and l.incident = 0 and l.version = 1
        join series s on s.id = l.series
      where b.day = ${day}::date and b.closed_at is not null
      order by s.symbol, s.source, s.metric collate "C"
    ) h cross join lateral (
      select verify_url from daily
      where series = h.series and day = h.day and incident = 0 and version = 1 limit 1
    ) d limit 100000`.pipe(speakerRows)
  return new Map(rows.map((row) => [`${row.symbol}|${row.source}`, row])) satisfies SpeakersByKey
})

/** Whether a source had said something of a network before a day. */
const hadReadingBefore = Effect.fnUntraced(function* ({ source, symbol }: Speaker, day: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select 1 from series s where s.symbol = ${symbol} and s.source = ${source}
      and exists (select 1 from daily d where d.series = s.id and d.day < ${day}::date) limit 1`
  return rows.length > 0
})

type Label = "recent" | keyof typeof silences

/** Measures closed days; what was heard on the days before is kept between them. */
export const makeClosedDay = () => {
  const speakersByDay = new Map<string, SpeakersByKey>()
  const speakersOf = Effect.fnUntraced(function* (day: string) {
    const there = speakersByDay.get(day)
    if (there !== undefined) return there
    const speakers = yield* speakersOn(day)
    speakersByDay.set(day, speakers)
    for (const old of [...speakersByDay.keys()].slice(0, -2 - silences.static)) speakersByDay.delete(old)
    return speakers
  })

  const changes = Effect.fnUntraced(function* ({ day }: Batch) {
    const closed = Date.parse(day)
    const now = yield* speakersOf(day)
    const past: Array<SpeakersByKey> = []
    for (let back = 1; back <= silences.static; back++)
      past.push(yield* speakersOf(dateOf(closed - back * dayMs)))
    const yesterday = past[0]
    const changed: Array<Speaker & { before: Label; after: Label; bound: number }> = []
    // Of the first day nothing before is known.
    if (yesterday === undefined || yesterday.size === 0) return []
    for (const [key, speaker] of now) {
      if (yesterday.has(key)) continue
      const silent = past.findIndex((one) => one.has(key))
      if (silent < 0 && !(yield* hadReadingBefore(speaker, day))) continue
      changed.push({
        ...speaker,
        before: silent < 0 ? "static" : "stale",
        after: "recent",
        bound: silences.stale
      })
    }
    for (const [key, speaker] of yesterday) {
      if (!now.has(key)) changed.push({ ...speaker, before: "recent", after: "stale", bound: silences.stale })
    }
    for (const [key, speaker] of past.at(-1) ?? []) {
      if (now.has(key) || past.slice(0, -1).some((one) => one.has(key))) continue
      changed.push({ ...speaker, before: "stale", after: "static", bound: silences.static })
    }
    return changed
      .toSorted((a, b) => compare(a.symbol, b.symbol) || compare(a.source, b.source))
      .map(
        ({ after, before, bound, ...speaker }): Measured => ({
          ...speaker,
          kind: "freshness_change",
          before_text: before,
          after_text: after,
          unit: state,
          bound,
          bound_unit: "days",
          as_of: isoTime(closed + dayMs)
        })
      )
  })

  const closedDay = Effect.fn("signals.closedDay")(function* (id: number) {
    const sql = yield* SqlClient.SqlClient
    const [batch] = yield* sql`
      select id, day::text as day, tree_size from batch where id = ${id} and closed_at is not null`.pipe(
      batchRows
    )
    return batch === undefined ? [] : [...(yield* moves(batch)), ...(yield* changes(batch))]
  })
  return closedDay
}
