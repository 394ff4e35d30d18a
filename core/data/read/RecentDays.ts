/**
 * The last 31 days of every series, in memory: what history, changes and columns of such a window read instead of SQL. It
 * is loaded on the first read, and from then on fed with the rows of `daily` that a statement wrote, once its transaction
 * is committed. Code that writes `daily` or `series`, or closes a batch, must call `apply`; `follow` reads what other
 * processes wrote.
 */
import { Array as Arr, Context, Effect, Predicate, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Tier } from "../../plugin/kinds.ts"
import { Unit } from "../../plugin/Value.ts"
import * as DataClock from "../DataClock.ts"
import { ints } from "../ingest/arrays.ts"
import { manyRowsOf, rowsOf } from "../rows.ts"
import { DayTable, type VersionRow } from "./DayTable.ts"
import { type DailyRow, dailyColumns, dateOf, type Window } from "./days.ts"
import { day } from "./freshness.ts"

/** Days in memory, today among them. */
export const recentDays = 31

/** A series, whether it has a latest row or not. */
export const SeriesRow = Schema.Struct({
  id: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  tier: Tier,
  unit: Unit
})
export interface SeriesRow extends Schema.Schema.Type<typeof SeriesRow> {}

const seriesRows = rowsOf(SeriesRow.fields)

/** Rows of `daily`, each the newest version of its series, day and incident. */
export const versionRows = manyRowsOf({ ...dailyColumns, version: Predicate.isNumber })

/** The columns of `versionRows`, of a table `daily`. */
export const writtenDay = (sql: SqlClient.SqlClient) =>
  sql.literal(`series, day::text as date, incident, version, value, value_text, n_observations, as_of, verify_url,
      simulated`)

/** The first day that can be in memory: rows before it need not be applied. */
export const oldestRecent = Effect.map(DataClock.now, (now) => dateOf(now - (recentDays + 1) * day))

const stateRows = rowsOf({ batch: Schema.Int, closing: Schema.Boolean, closed: Schema.NullOr(Schema.String) })

/** What a transaction wrote. */
export interface Written {
  readonly series?: ReadonlyArray<SeriesRow>
  readonly days?: ReadonlyArray<VersionRow>
  /** The day of a batch that was closed. */
  readonly closed?: string
  /** True if an incident was opened, extended or closed. */
  readonly incidents?: boolean
}

/** What is in memory at one moment. Its functions ask nothing, and give what is there when they are called. */
export interface Recent {
  /** Every series of a symbol. */
  readonly of: (symbol: string) => ReadonlyArray<SeriesRow>
  readonly all: () => Iterable<SeriesRow>
  /** The last day that a batch closed. */
  readonly closed: string | undefined
  /** True if every day of the window is in memory. */
  readonly covers: (window: Window) => boolean
  /** The days of some series, as `daysBetween` gives them; undefined for a window that is not in memory. */
  readonly between: (ids: ReadonlyArray<number>, window: Window) => ReadonlyArray<DailyRow> | undefined
}

/** Series of one statement: 32 rows each. */
const chunk = 200
const rowsAtOnce = 5000
/** Another machine's clock, and a transaction that took its time. */
const overlap = 10 * 60_000
/** A full look once in so many. */
const fullEvery = 10

export class RecentDays extends Context.Service<
  RecentDays,
  {
    /** The memory; loads it first where it holds no days, or not those of today's window. */
    readonly memory: Effect.Effect<Recent, SqlError>
    /** Increases when the days or series of a symbol change: a cache key for its history. */
    readonly version: (symbol: string) => number
    /** Increases when a batch closes: from then on its day is not open any more. */
    readonly closes: () => number
    /** Increases when an incident changes, and with every look at what other processes wrote. */
    readonly incidents: () => number
    /** Takes what a transaction wrote, once it is committed. */
    readonly apply: (written: Written) => Effect.Effect<void>
    /** Takes what other processes wrote since the last look; everything, once in a while. */
    readonly follow: Effect.Effect<void, SqlError>
    /** Drops everything, so that the next read loads it. */
    readonly forget: Effect.Effect<void>
  }
>()("core/data/read/RecentDays") {
  /** `change` serialises writing and applying within this process; the callers of `apply` hold it. */
  static readonly make = Effect.fnUntraced(function* (
    change: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ) {
    const sql = yield* SqlClient.SqlClient
    const versions = new Map<string, number>()
    /** Versions of symbols start here, so that none is used twice. */
    let era = 0
    let closes = 0
    let incidents = 0
    let held: Held | undefined

    const moved = (symbol: string) => versions.set(symbol, (versions.get(symbol) ?? 0) + 1)

    const take = (into: Held, { closed, days = [], series = [] }: Written, now: number) => {
      for (const one of series) if (into.know(one)) moved(one.symbol)
      for (const row of days) {
        const symbol = into.series.get(row.series)?.symbol
        // Its series is another process's: the next look has both.
        if (symbol === undefined) held = undefined
        else if (into.table.set(row, now)) moved(symbol)
      }
      if (closed !== undefined && closed > (into.closed ?? "")) {
        into.closed = closed
        closes++
      }
    }

    const seriesAfter = Effect.fnUntraced(function* (into: Held, first: number) {
      const now = yield* DataClock.now
      let after = first
      while (true) {
        const series = yield* sql`
          select id, symbol, metric, source, tier, unit from series where id > ${after}
          order by id limit ${rowsAtOnce}`.pipe(seriesRows)
        take(into, { series }, now)
        after = series.at(-1)?.id ?? after
        if (series.length < rowsAtOnce) return
      }
    })

    const stateOf = Effect.gen(function* () {
      const [state = { batch: 0, closing: false, closed: null }] = yield* sql`
        select coalesce(max(id), 0) as batch, coalesce(bool_or(closed_at is null), false) as closing,
          max(day) filter (where closed_at is not null)::text as closed from batch`.pipe(stateRows)
      return state
    })

    /** Reads every series and its days, in statements of a bounded size. */
    const readAll = Effect.fnUntraced(function* (into: Held) {
      const now = yield* DataClock.now
      const state = yield* stateOf
      yield* seriesAfter(into, 0)
      for (const ids of Arr.chunksOf([...into.series.keys()], chunk)) {
        const days = yield* sql`
          select s.id as series, d.day::text as date, d.incident, d.version, d.value, d.value_text, d.n_observations,
            d.as_of, d.verify_url, d.simulated
          from unnest(${ints(ids)}) as s(id) cross join lateral (
            select distinct on (day, incident) * from daily
            where series = s.id and day >= ${dateOf(into.table.from)}::date
            order by day, incident, version desc
          ) d`.pipe(versionRows)
        take(into, { days }, now)
      }
      into.looked(now, state)
      take(into, state.closed === null ? {} : { closed: state.closed }, now)
    })

    const load = Effect.gen(function* () {
      const now = yield* DataClock.now
      const fresh = new Held((Math.floor(now / day) - recentDays + 1) * day)
      yield* readAll(fresh)
      era++
      closes++
      held = fresh
      return fresh
    }).pipe(Effect.withSpan("RecentDays.load"))

    const isCurrent = (one: Held | undefined, now: number): one is Held => {
      const to = Math.floor(now / day) * day
      return one?.table.covers({ from: to - (recentDays - 1) * day, to }) === true
    }

    /** The rows that were written since. A row that is written is not sealed before the close that publishes it. */
    const readOpen = Effect.fnUntraced(function* (into: Held) {
      const now = yield* DataClock.now
      const since = new Date(into.lookedAt - overlap)
      yield* seriesAfter(into, Math.max(0, ...into.series.keys()))
      let after: Pick<VersionRow, "date" | "incident" | "series" | "version"> = {
        series: 0,
        date: "1970-01-01",
        incident: 0,
        version: 0
      }
      while (true) {
        const days = yield* sql`
          select series, day::text as date, incident, version, value, value_text, n_observations, as_of, verify_url,
            simulated
          from daily where sealed_by is null and recorded_at >= ${since} and day >= ${dateOf(into.table.from)}::date
            and (series, day, incident, version) >
              (${after.series}::int, ${after.date}::date, ${after.incident}::int, ${after.version}::int)
          order by series, day, incident, version limit ${rowsAtOnce}`.pipe(versionRows)
        take(into, { days }, now)
        after = days.at(-1) ?? after
        if (days.length < rowsAtOnce) break
      }
      into.lookedAt = now
    })

    const follow = Effect.gen(function* () {
      const into = held
      incidents++
      if (into === undefined) return
      const state = yield* stateOf
      const known = state.batch === into.batch && !state.closing && !into.closing
      if (known && ++into.looks % fullEvery !== 0) yield* readOpen(into)
      else yield* readAll(into)
    }).pipe(change, Effect.withSpan("RecentDays.follow"))

    const memory = Effect.gen(function* () {
      const now = yield* DataClock.now
      if (isCurrent(held, now)) return held
      // Another caller may have loaded it meanwhile.
      return yield* change(Effect.suspend(() => (isCurrent(held, now) ? Effect.succeed(held) : load)))
    })

    return RecentDays.of({
      memory,
      version: (symbol) => era + (versions.get(symbol) ?? 0),
      closes: () => closes,
      incidents: () => incidents,
      apply: (written) =>
        Effect.map(DataClock.now, (now) => {
          if (written.incidents === true) incidents++
          // It counts for what was published, whether days are in memory or not.
          if (written.closed !== undefined && held === undefined) closes++
          if (held !== undefined) take(held, written, now)
        }),
      follow,
      forget: Effect.sync(() => {
        held = undefined
      })
    })
  })
}

/** Series and days, and how far they are followed. */
class Held implements Recent {
  readonly table: DayTable
  readonly series = new Map<number, SeriesRow>()
  closed: string | undefined
  lookedAt = 0
  looks = 0
  batch = 0
  closing = false
  readonly #bySymbol = new Map<string, ReadonlyArray<SeriesRow>>()
  /** One copy of each text: thousands of series share a few names. */
  readonly #texts = new Map<string, string>()

  constructor(from: number) {
    this.table = new DayTable(from)
  }

  of(symbol: string): ReadonlyArray<SeriesRow> {
    return this.#bySymbol.get(symbol) ?? []
  }

  all(): Iterable<SeriesRow> {
    return this.series.values()
  }

  covers(window: Window): boolean {
    return this.table.covers(window)
  }

  between(ids: ReadonlyArray<number>, window: Window): ReadonlyArray<DailyRow> | undefined {
    return this.table.covers(window) ? ids.flatMap((id) => this.table.rows(id, window)) : undefined
  }

  /** Adds a series, or takes what changed of it; true if anything did. */
  know(row: SeriesRow): boolean {
    const before = this.series.get(row.id)
    if (before !== undefined && before.tier === row.tier && before.unit === row.unit) return false
    const { id, tier, unit } = row
    const symbol = this.#one(row.symbol)
    const known = { id, symbol, metric: this.#one(row.metric), source: this.#one(row.source), tier, unit }
    this.series.set(id, known)
    this.#bySymbol.set(symbol, [...this.of(symbol).filter((one) => one.id !== id), known])
    return true
  }

  looked(at: number, state: { readonly batch: number; readonly closing: boolean }) {
    this.lookedAt = at
    this.batch = state.batch
    this.closing = state.closing
  }

  #one(text: string): string {
    const known = this.#texts.get(text)
    if (known !== undefined) return known
    this.#texts.set(text, text)
    return text
  }
}
