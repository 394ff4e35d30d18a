/**
 * The last 31 days of every series, in memory: what history, changes and columns of such a window read instead of SQL. It
 * is loaded on the first read, and from then on fed with the rows of `daily` that a statement wrote, once its transaction
 * is committed. Code that writes `daily` or `series`, or closes a batch, must call `apply`; what other processes wrote is
 * read by `readOf`, and given to `apply`.
 */
import { Array as Arr, Context, Effect, Predicate, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../clock/DataClock.ts"
import { Tier } from "../../plugin/kinds.ts"
import { day } from "../../plugin/time.ts"
import { Unit } from "../../plugin/Value.ts"
import { manyRowsOf, rowsOf } from "../../sql/rows.ts"
import { ints } from "../ingest/arrays.ts"
import { definedDay } from "./byDefinition.ts"
import { DayTable, type VersionRow } from "./DayTable.ts"
import { type DailyRow, dailyColumns, dateOf, type Window } from "./days.ts"
import { dayHolds, differs, noteDiffering } from "./differing.ts"
import { type BySource, Readable } from "./readable.ts"

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

/** The same as they are read again: `holds` is false of a row that differs from what was sealed or read. */
const readRows = manyRowsOf({
  ...dailyColumns,
  version: Predicate.isNumber,
  holds: Predicate.isBoolean
})

/** The columns of `versionRows`, of a row `d` of `daily`. */
export const writtenDay = (sql: SqlClient.SqlClient) =>
  sql.literal(`d.series, d.day::text as date, d.incident, d.version, d.value, d.value_text, d.n_observations, d.as_of,
      d.verify_url, d.simulated, ${definedDay} as by_definition`)

/** The first day that can be in memory: rows before it need not be applied. */
export const oldestRecent = Effect.map(DataClock.now, (now) => dateOf(now - (recentDays + 1) * day))

const stateRows = rowsOf({ batch: Schema.Int, closed: Schema.NullOr(Schema.String) })

/** What a transaction wrote. */
export interface Written {
  readonly series?: ReadonlyArray<SeriesRow>
  readonly days?: ReadonlyArray<VersionRow>
  /** The day of a batch that was closed. */
  readonly closed?: string
  /** The newest batch that was closed, where it was read. */
  readonly batch?: number
}

/** The series there are, and how far days are closed. */
export interface KnownSeries {
  /** Every series of a symbol. */
  readonly of: (symbol: string) => ReadonlyArray<SeriesRow>
  readonly all: () => Iterable<SeriesRow>
  /** The last day that a batch closed. */
  readonly closed: string | undefined
}

/** What is in memory at one moment. Its functions ask nothing, and give what is there when they are called. */
export interface Recent extends KnownSeries {
  /** Increases when a value of a closed day that is in memory changes. */
  readonly revision: number
  /** True if every day of the window is in memory. */
  readonly covers: (window: Window) => boolean
  /** The days of some series, as `daysBetween` gives them; undefined for a window that is not in memory. */
  readonly between: (ids: ReadonlyArray<number>, window: Window) => ReadonlyArray<DailyRow> | undefined
}

/** Series of one statement: 32 rows each. */
const chunk = 200
const rowsAtOnce = 5000

export class RecentDays extends Context.Service<
  RecentDays,
  {
    /** The memory; loads it first where it holds no days, or not those of today's window. */
    readonly memory: Effect.Effect<Recent, SqlError>
    /** The same for those who need no days. */
    readonly series: Effect.Effect<KnownSeries, SqlError>
    /** Takes what a transaction wrote, once it is committed. */
    readonly apply: (written: Written) => Effect.Effect<void>
    /**
     * Reads what was written of these series and closed since the last look, by any process; nothing while no days are in
     * memory. A row that is written is not sealed before its day's close, and then it is a leaf of that batch.
     */
    readonly readOf: (series: ReadonlyArray<number>) => Effect.Effect<Written, SqlError>
    /** Reads everything again that is in memory. */
    readonly reload: Effect.Effect<void, SqlError>
    /** Drops everything, so that the next read loads it. */
    readonly forget: Effect.Effect<void>
  }
>()("core/readings/read/RecentDays") {
  /** `change` serialises writing and applying within this process; the callers of `apply` hold it. */
  static readonly make = Effect.fnUntraced(function* (
    change: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ) {
    const sql = yield* SqlClient.SqlClient
    let loaded: SeriesDays | undefined

    const take = (into: SeriesDays, { batch, closed, days = [], series = [] }: Written, now: number) => {
      for (const one of series) into.know(one)
      for (const row of days) {
        // Its series is another process's: everything is read again.
        if (!into.series.has(row.series)) loaded = undefined
        else if (into.table.set(row, now) && row.date <= (into.closed ?? "")) into.revision++
      }
      if (closed !== undefined && closed > (into.closed ?? "")) into.closed = closed
      if (batch !== undefined) into.batch = Math.max(into.batch, batch)
    }

    const seriesAfter = Effect.fnUntraced(function* (into: SeriesDays, first: number) {
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

    /** The newest batch that is closed. A day closes once the days before it are closed. */
    const stateOf = Effect.gen(function* () {
      const [state = { batch: 0, closed: null }] = yield* sql`
        select id as batch, day::text as closed from batch where closed_at is not null
        order by day desc limit 1`.pipe(stateRows)
      return { batch: state.batch, ...(state.closed === null ? {} : { closed: state.closed }) }
    })

    /** The rows to show: what differs stands as excluded, under the number of no incident. */
    const withoutDiffering = (
      reader: string,
      ids: Iterable<number>,
      rows: Effect.Success<ReturnType<typeof readRows>>
    ) => {
      const differing = rows.filter((row) => !row.holds)
      noteDiffering(
        sql,
        reader,
        ids,
        differing.map(({ date, series }) => ({ series, day: date }))
      )
      return rows.map(({ holds, ...row }): VersionRow => (holds ? row : { ...row, incident: differs }))
    }

    /** Reads every series and its days, in statements of a bounded size. */
    const readAll = Effect.fnUntraced(function* (into: SeriesDays) {
      const now = yield* DataClock.now
      const state = yield* stateOf
      yield* seriesAfter(into, 0)
      const holds = yield* Effect.provideService(dayHolds, SqlClient.SqlClient, sql)
      for (const ids of Arr.chunksOf([...into.series.keys()], chunk)) {
        const days = yield* sql`
          select ${writtenDay(sql)}, ${holds} as holds
          from unnest(${ints(ids)}) as s(id) cross join lateral (
            select distinct on (day, incident) * from daily
            where series = s.id and day >= ${dateOf(into.table.from)}::date
            order by day, incident, version desc
          ) d`.pipe(readRows)
        take(into, { days: withoutDiffering("days", ids, days) }, now)
      }
      take(into, state, now)
    })

    const load = Effect.gen(function* () {
      const now = yield* DataClock.now
      const fresh = new SeriesDays((Math.floor(now / day) - recentDays + 1) * day)
      yield* readAll(fresh)
      loaded = fresh
      return fresh
    }).pipe(Effect.withSpan("RecentDays.load"))

    const isCurrent = (one: SeriesDays | undefined, now: number): one is SeriesDays => {
      const to = Math.floor(now / day) * day
      return one?.table.covers({ from: to - (recentDays - 1) * day, to }) === true
    }

    const readOf = Effect.fn("RecentDays.readOf")(function* (ids: ReadonlyArray<number>) {
      const into = loaded
      if (into === undefined) return {}
      const from = dateOf(into.table.from)
      const state = yield* stateOf
      const holds = yield* Effect.provideService(dayHolds, SqlClient.SqlClient, sql)
      const series =
        ids.length === 0
          ? []
          : yield* sql`
              select id, symbol, metric, source, tier, unit from series where id = any(${ints(ids)})`.pipe(
              seriesRows
            )
      const open =
        ids.length === 0
          ? []
          : yield* sql`
              select ${writtenDay(sql)}, ${holds} as holds from daily d
              where sealed_by is null and series = any(${ints(ids)}) and day >= ${from}::date
              order by series, day, incident, version`.pipe(readRows)
      const sealed =
        state.batch === into.batch
          ? []
          : yield* sql`
              select ${writtenDay(sql)}, ${holds} as holds
              from batch b join leaf l on l.batch = b.id
                join daily d on d.series = l.series and d.day = l.day and d.incident = l.incident
                  and d.version = l.version
              where b.closed_at is not null and b.id > ${into.batch} and d.day >= ${from}::date
              order by d.series, d.day, d.incident, d.version`.pipe(readRows)
      return {
        series,
        days: [
          ...withoutDiffering(
            "sealed days",
            sealed.map((row) => row.series),
            sealed
          ),
          ...withoutDiffering("open days", ids, open)
        ],
        ...state
      }
    })

    const reload = Effect.suspend(() => (loaded === undefined ? Effect.void : readAll(loaded)))

    const memory = Effect.gen(function* () {
      const now = yield* DataClock.now
      if (isCurrent(loaded, now)) return loaded
      // Another caller may have loaded it meanwhile.
      return yield* change(Effect.suspend(() => (isCurrent(loaded, now) ? Effect.succeed(loaded) : load)))
    })

    return RecentDays.of({
      memory: readableDays(memory),
      series: readableSeries(memory),
      apply: (written) =>
        Effect.map(DataClock.now, (now) => {
          if (loaded !== undefined) take(loaded, written, now)
        }),
      readOf,
      reload,
      forget: Effect.sync(() => {
        loaded = undefined
      })
    })
  })
}

/** Series and days that nobody follows any more: of days that have one row each for every incident. */
export const recentOf = (
  series: KnownSeries,
  days: ReadonlyArray<DailyRow>,
  from: number,
  now: number
): Recent => {
  const recent = new SeriesDays(from)
  for (const one of series.all()) recent.know(one)
  for (const row of days) recent.table.set({ ...row, version: 1 }, now)
  recent.closed = series.closed
  return recent
}

/** Series and days, and how far they are followed. */
class SeriesDays implements Recent {
  readonly table: DayTable
  readonly series = new Map<number, SeriesRow>()
  closed: string | undefined
  revision = 0
  batch = 0
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

  /** Adds a series, or takes what changed of it. */
  know(row: SeriesRow): void {
    const before = this.series.get(row.id)
    if (before !== undefined && before.tier === row.tier && before.unit === row.unit) return
    const { id, tier, unit } = row
    const symbol = this.#one(row.symbol)
    const interned = { id, symbol, metric: this.#one(row.metric), source: this.#one(row.source), tier, unit }
    this.series.set(id, interned)
    this.#bySymbol.set(symbol, [...this.of(symbol).filter((one) => one.id !== id), interned])
  }

  #one(text: string): string {
    const interned = this.#texts.get(text)
    if (interned !== undefined) return interned
    this.#texts.set(text, text)
    return text
  }
}

/** Series without those that are not read; how far days are closed is a fact of all of them. */
class ReadableSeries implements KnownSeries {
  protected readonly may: BySource
  readonly #whole: KnownSeries

  constructor(whole: KnownSeries, may: BySource) {
    this.#whole = whole
    this.may = may
  }

  get closed(): string | undefined {
    return this.#whole.closed
  }

  of(symbol: string): ReadonlyArray<SeriesRow> {
    return this.#whole.of(symbol).filter(({ source }) => this.may(source))
  }

  *all(): Iterable<SeriesRow> {
    for (const one of this.#whole.all()) if (this.may(one.source)) yield one
  }
}

class ReadableDays extends ReadableSeries implements Recent {
  readonly #days: Recent

  constructor(days: Recent, may: BySource) {
    super(days, may)
    this.#days = days
  }

  get revision(): number {
    return this.#days.revision
  }

  covers(window: Window): boolean {
    return this.#days.covers(window)
  }

  /** Of series that are asked for by number: whoever has one has read its source. */
  between(...args: Parameters<Recent["between"]>): ReturnType<Recent["between"]> {
    return this.#days.between(...args)
  }
}

/** What is made of one memory: figures that are kept with it are kept for each set of sources. */
const daysBySource = new WeakMap<BySource, WeakMap<Recent, Recent>>()

const ofDays = (recent: Recent, may: BySource): Recent => {
  const cache = daysBySource.get(may) ?? new WeakMap<Recent, Recent>()
  daysBySource.set(may, cache)
  const before = cache.get(recent)
  if (before !== undefined) return before
  const filtered = new ReadableDays(recent, may)
  cache.set(recent, filtered)
  return filtered
}

/** The recent days without the series that are not read. */
export const readableDays = <E, R>(memory: Effect.Effect<Recent, E, R>) =>
  Effect.gen(function* () {
    const may = yield* Readable
    const whole = yield* memory
    return may === undefined ? whole : ofDays(whole, may)
  })

/** The series without those that are not read. */
export const readableSeries = <E, R>(series: Effect.Effect<KnownSeries, E, R>) =>
  Effect.gen(function* () {
    const may = yield* Readable
    const whole = yield* series
    return may === undefined ? whole : new ReadableSeries(whole, may)
  })
