/**
 * The latest row of every series, in memory: the basis of every list on the read side. Contains no history, which is in
 * `RecentDays`. Code that changes `latest` must call `apply`; `reload` reads everything, at startup and when replicas
 * share a database.
 */
import { Context, Effect, Layer, Schema, Semaphore } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../clock/DataClock.ts"
import { Tier } from "../../plugin/kinds.ts"
import { isoTime, type Observation, Unit } from "../../plugin/Value.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { Dependency } from "../../wire/data/dependency.ts"
import { Changes } from "../Changes.ts"
import { ints } from "../ingest/arrays.ts"
import { definedLatest } from "./byDefinition.ts"
import { type Differing, latestHolds, noteDiffering } from "./differing.ts"
import { staticAge } from "./freshness.ts"
import { HeldBeside, LevelInDoubt, newestHeld } from "./heldBeside.ts"
import { RecentDays } from "./RecentDays.ts"
import { type BySource, Readable } from "./readable.ts"
import { SymbolRows } from "./SymbolRows.ts"
import { unconfirmedSeries } from "./standings.ts"
import { type Moved, Versions } from "./Versions.ts"

/** One latest row, with what the read side needs in addition to the wire fields. */
export interface CurrentRow {
  readonly series: number
  readonly row: Observation
  readonly plugin: string
  readonly tier: Tier
  /** The URL the collector read. */
  readonly readUrl: string
  /** `row.as_of` in epoch milliseconds. */
  readonly asOf: number
  /** The last successful read that saw this value, epoch milliseconds. */
  readonly confirmedAt: number
  /** True for the rows of the demo's tape. */
  readonly simulated: boolean
  /** True while nothing has confirmed that its feed reads the upstream right, or a level is in doubt. No figure is computed from it. */
  readonly unconfirmed: boolean
  /** Why its 0 is none that somebody counted; undefined of every other value (`byDefinition.ts`). */
  readonly by_definition: string | undefined
  /** The two levels of the series, while nothing has decided between them. */
  readonly inDoubt?: LevelInDoubt
  /** The newest reading that a guard holds back, and is waited for. */
  readonly held?: HeldBeside
}

/** When the newest of these rows was read, in epoch milliseconds; undefined without a row. */
export const newestRead = (rows: ReadonlyArray<CurrentRow>): number | undefined => {
  // Not `Math.max(...)`: there are more rows than arguments a call can have.
  const newest = rows.reduce((most, { confirmedAt }) => Math.max(most, confirmedAt), 0)
  return newest === 0 ? undefined : newest
}

export interface Snapshot {
  /** Sorted by symbol, metric, source. */
  readonly rows: ReadonlyArray<CurrentRow>
  /** The same rows by symbol, symbols sorted. */
  readonly bySymbol: ReadonlyMap<string, ReadonlyArray<CurrentRow>>
}

/** A row of `latest` joined with its `series`, as SQL gives it. */
export const LatestRow = Schema.Struct({
  series: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  plugin: Schema.String,
  tier: Tier,
  unit: Unit,
  value: Schema.Finite,
  value_text: Schema.NullOr(Schema.String),
  verify_url: Schema.String,
  /** Null, or absent, where it is `verify_url`. */
  read_url: Schema.optionalKey(Schema.NullOr(Schema.String)),
  as_of: Schema.Date,
  confirmed_at: Schema.Date,
  simulated: Schema.Boolean,
  /** Absent: false. */
  unconfirmed: Schema.optionalKey(Schema.Boolean),
  /** Null or absent: its value is no zero by definition. */
  by_definition: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Null: none. Absent: as it was, since a run that reads its series as before changes neither. */
  in_doubt: Schema.optionalKey(Schema.NullOr(LevelInDoubt)),
  held: Schema.optionalKey(Schema.NullOr(HeldBeside))
})
export interface LatestRow extends Schema.Schema.Type<typeof LatestRow> {}

const latestRows = rowsOf({ ...LatestRow.fields, holds: Schema.Boolean })
const symbolRows = rowsOf({ symbol: Schema.String })

const rowsAtOnce = 5000

/** What SQL gives for some series. */
interface Read {
  readonly rows: ReadonlyArray<LatestRow>
  /** Series without a row. */
  readonly gone: ReadonlyArray<number>
  /** The networks of both. */
  readonly symbols: ReadonlyArray<string>
}

export class Current extends Context.Service<
  Current,
  {
    /** The current snapshot, without a query; of the sources that are read (`Readable`). */
    readonly snapshot: Effect.Effect<Snapshot>
    /**
     * Applies rows now in `latest`, and series that no longer have one, with what is recorded of the change; without it,
     * what is served changed now.
     */
    readonly apply: (
      changed: ReadonlyArray<LatestRow>,
      gone?: ReadonlyArray<number>,
      recorded?: ReadonlyArray<Moved>
    ) => Effect.Effect<void>
    /** What these rows would change of what is served, at a time of the data clock. */
    readonly changedBy: (rows: ReadonlyArray<LatestRow>, now: number) => ReadonlyArray<Dependency>
    /** Reads the latest rows of these series, or of all, without those that differ from what was read. Changes nothing yet. */
    readonly read: (series: ReadonlyArray<number> | "all") => Effect.Effect<Read, SqlError>
    /** The networks of these series, of those that have a row. */
    readonly symbolsOf: (series: ReadonlyArray<number>) => ReadonlyArray<string>
    /** Reads all of `latest` and applies it. */
    readonly reload: Effect.Effect<Snapshot, SqlError>
    /**
     * Serialises changing `latest` and applying the change within this process; otherwise an older row could be applied
     * after a newer one. Must not be nested.
     */
    readonly change: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("core/readings/read/Current") {
  /** With the recent days: whoever writes one writes the other, in the same turn. */
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const versions = yield* Versions
      const changes = yield* Changes
      const bySeries = new Map<number, CurrentRow>()
      const changing = yield* Semaphore.make(1)
      const rows = new SymbolRows<CurrentRow>()
      /** Made when it is asked for; changes that nobody looks at between make none. */
      let current: Snapshot | undefined

      const apply = Effect.fnUntraced(function* (
        changed: ReadonlyArray<LatestRow>,
        gone: ReadonlyArray<number> = [],
        recorded?: ReadonlyArray<Moved>
      ) {
        const touched = new Map<string, Map<number, CurrentRow | undefined>>()
        const touch = (symbol: string, series: number, row: CurrentRow | undefined) => {
          const others = touched.get(symbol)
          if (others === undefined) touched.set(symbol, new Map([[series, row]]))
          else others.set(series, row)
        }
        const now = yield* DataClock.now
        const served = new Served()
        for (const series of gone) {
          const before = bySeries.get(series)
          if (before === undefined) continue
          bySeries.delete(series)
          touch(before.row.symbol, series, undefined)
          served.take(before, undefined, now)
        }
        for (const latest of changed) {
          const before = bySeries.get(latest.series)
          const after = fromSql(latest, before)
          bySeries.set(latest.series, after)
          touch(after.row.symbol, latest.series, after)
          served.take(before, after, now)
        }
        if (touched.size > 0) {
          rows.change(touched)
          current = undefined
        }
        // Where only read times moved, no list shows it: what was made of them still holds.
        const dependencies: ReadonlyArray<Dependency> =
          touched.size === 0 ? [] : ["reads", ...served.dependencies]
        yield* recorded === undefined
          ? versions.changed(...dependencies)
          : Effect.andThen(versions.touched(...dependencies), changes.take(recorded))
      })

      const snapshot = Effect.sync(() => {
        current ??= new Arranged(rows.all)
        return current
      })

      const columns = sql.literal(`l.series, s.symbol, s.metric, s.source, s.plugin, s.tier, s.unit, l.value,
        l.value_text, l.verify_url, l.read_url, l.as_of, l.confirmed_at, l.simulated,
        doubt.stated as in_doubt, held.stated as held, ${definedLatest} as by_definition`)
      const unconfirmed = unconfirmedSeries(sql)

      const read = Effect.fn("Current.read")(function* (series: ReadonlyArray<number> | "all") {
        const latest: Array<LatestRow> = []
        const differing: Array<Differing> = []
        const holds = yield* Effect.provideService(latestHolds, SqlClient.SqlClient, sql)
        let after = 0
        while (true) {
          const page = yield* sql`
            select ${columns}, ${unconfirmed.column} as unconfirmed, ${holds} as holds
            from latest l join series s on s.id = l.series ${unconfirmed.joins}
              left join ${newestHeld(sql)} held on held.series = l.series
            where l.series > ${after} and ${series === "all" ? sql`true` : sql`l.series = any(${ints(series)})`}
            order by l.series limit ${rowsAtOnce}`.pipe(latestRows)
          for (const { holds, ...row } of page) {
            if (holds) latest.push(row)
            else differing.push({ series: row.series, day: undefined })
          }
          after = page.at(-1)?.series ?? after
          if (page.length < rowsAtOnce) break
        }
        const there = new Set(latest.map((row) => row.series))
        const requested = series === "all" ? [...bySeries.keys()] : series
        const gone = requested.filter((one) => !there.has(one))
        noteDiffering(sql, "latest", [...requested, ...there], differing)
        const without =
          gone.length === 0
            ? []
            : yield* sql`select distinct symbol from series where id = any(${ints(gone)})`.pipe(symbolRows)
        const symbols = [...new Set([...latest, ...without].map(({ symbol }) => symbol))]
        return { rows: latest, gone, symbols }
      })

      const reload = Effect.flatMap(read("all"), ({ gone, rows }) => apply(rows, gone)).pipe(
        changing.withPermits(1),
        Effect.andThen(snapshot)
      )

      const first = yield* read("all")
      yield* apply(first.rows, first.gone, [])
      const change = <A, E, R>(work: Effect.Effect<A, E, R>) => changing.withPermits(1)(work)
      return Context.make(
        Current,
        Current.of({
          snapshot: readableSnapshot(snapshot),
          apply,
          read,
          changedBy: (rows, now) => {
            const served = new Served()
            for (const row of rows) {
              const before = bySeries.get(row.series)
              served.take(before, fromSql(row, before), now)
            }
            return served.dependencies
          },
          symbolsOf: (series) => [...new Set(series.flatMap((one) => bySeries.get(one)?.row.symbol ?? []))],
          reload,
          change
        })
      ).pipe(Context.add(RecentDays, yield* RecentDays.make(change)))
    })
  ).pipe(Layer.provideMerge(Changes.layer))
}

/** A snapshot that builds its flat list on first use; ingesting many chunks never needs it. */
class Arranged implements Snapshot {
  readonly bySymbol: ReadonlyMap<string, ReadonlyArray<CurrentRow>>
  #rows: ReadonlyArray<CurrentRow> | undefined

  constructor(bySymbol: ReadonlyMap<string, ReadonlyArray<CurrentRow>>) {
    this.bySymbol = bySymbol
  }

  get rows(): ReadonlyArray<CurrentRow> {
    this.#rows ??= [...this.bySymbol.values()].flat()
    return this.#rows
  }
}

type Rows = Snapshot["rows"]

/** By the rows of a symbol: of a snapshot that follows another, most are the same. */
const rowsOfSymbol = new WeakMap<BySource, WeakMap<Rows, Rows>>()

const readableRows = (rows: Rows, may: BySource): Rows => {
  const cache = rowsOfSymbol.get(may) ?? new WeakMap<Rows, Rows>()
  rowsOfSymbol.set(may, cache)
  const before = cache.get(rows)
  if (before !== undefined) return before
  const left = rows.filter(({ row }) => may(row.source))
  const filtered = left.length === rows.length ? rows : left
  cache.set(rows, filtered)
  return filtered
}

const snapshots = new WeakMap<BySource, WeakMap<Snapshot, Snapshot>>()

const ofSnapshot = (snapshot: Snapshot, may: BySource): Snapshot => {
  const cache = snapshots.get(may) ?? new WeakMap<Snapshot, Snapshot>()
  snapshots.set(may, cache)
  const before = cache.get(snapshot)
  if (before !== undefined) return before
  const bySymbol = new Map<string, Rows>()
  let isWhole = true
  for (const [symbol, rows] of snapshot.bySymbol) {
    const left = readableRows(rows, may)
    isWhole &&= left === rows
    if (left.length > 0) bySymbol.set(symbol, left)
  }
  const filtered = isWhole ? snapshot : new Arranged(bySymbol)
  cache.set(snapshot, filtered)
  return filtered
}

/** A snapshot without the rows that are not read. */
export const readableSnapshot = <E, R>(snapshot: Effect.Effect<Snapshot, E, R>) =>
  Effect.gen(function* () {
    const may = yield* Readable
    const whole = yield* snapshot
    return may === undefined ? whole : ofSnapshot(whole, may)
  })

/** The snapshot of these rows. */
export const snapshotOf = (latest: ReadonlyArray<LatestRow>): Snapshot => {
  const rows = new SymbolRows<CurrentRow>()
  rows.change(
    new Map(
      [...Map.groupBy(latest, ({ symbol }) => symbol)].map(([symbol, of]) => [
        symbol,
        new Map(of.map((row) => [row.series, fromSql(row)]))
      ])
    )
  )
  return new Arranged(rows.all)
}

/** What changes of what is served. */
class Served {
  readonly #symbols = new Set<string>()
  #networks = false

  /** Takes a row of a series before and after a change. */
  take(before: CurrentRow | undefined, after: CurrentRow | undefined, now: number): void {
    const row = after ?? before
    if (row === undefined || (before !== undefined && after !== undefined && isSame(before, after))) return
    this.#symbols.add(row.row.symbol)
    // A value that is renewed in time says nothing new of which networks are measured.
    this.#networks ||=
      before === undefined ||
      after === undefined ||
      before.tier !== after.tier ||
      after.asOf < before.asOf ||
      now - before.asOf >= staticAge
  }

  get dependencies(): ReadonlyArray<Dependency> {
    if (this.#symbols.size === 0) return []
    const symbols = [...this.#symbols].map((symbol) => ({ symbol }))
    return ["symbols", ...(this.#networks ? (["networks"] as const) : []), ...symbols]
  }
}

/** True if every served field is the same; only the time of the last read may differ. */
const isSame = (a: CurrentRow, b: CurrentRow): boolean =>
  a.row.value === b.row.value &&
  a.row.value_text === b.row.value_text &&
  a.row.as_of === b.row.as_of &&
  a.row.verify_url === b.row.verify_url &&
  a.row.unit === b.row.unit &&
  a.readUrl === b.readUrl &&
  a.plugin === b.plugin &&
  a.tier === b.tier &&
  a.simulated === b.simulated &&
  a.unconfirmed === b.unconfirmed &&
  a.by_definition === b.by_definition &&
  a.inDoubt?.since === b.inDoubt?.since &&
  a.held?.as_of === b.held?.as_of &&
  a.held?.value === b.held?.value

/** `before` is the row that is served until now. */
const fromSql = (latest: LatestRow, before?: CurrentRow): CurrentRow => {
  const inDoubt = latest.in_doubt === undefined ? before?.inDoubt : (latest.in_doubt ?? undefined)
  const reading = latest.held === undefined ? before?.held : (latest.held ?? undefined)
  return {
    series: latest.series,
    row: {
      symbol: latest.symbol,
      metric: latest.metric,
      value: latest.value,
      ...(latest.value_text === null ? {} : { value_text: latest.value_text }),
      unit: latest.unit,
      source: latest.source,
      verify_url: latest.verify_url,
      as_of: isoTime(latest.as_of.getTime())
    },
    plugin: latest.plugin,
    tier: latest.tier,
    readUrl: latest.read_url ?? latest.verify_url,
    asOf: latest.as_of.getTime(),
    confirmedAt: latest.confirmed_at.getTime(),
    simulated: latest.simulated,
    unconfirmed: latest.unconfirmed === true || inDoubt !== undefined,
    by_definition: latest.by_definition ?? undefined,
    ...(inDoubt === undefined ? {} : { inDoubt }),
    ...(reading === undefined ? {} : { held: reading })
  }
}
