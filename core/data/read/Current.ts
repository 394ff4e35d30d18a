/**
 * The latest row of every series, in memory: the basis of every list on the read side. Contains no history. Code that
 * changes `latest` must call `apply`; `reload` reads everything, at startup and when replicas share a database.
 */
import { Context, Effect, Layer, Schema, Semaphore } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Tier } from "../../plugin/kinds.ts"
import { compare, isoTime, type Observation, Unit } from "../../plugin/Value.ts"
import * as DataClock from "../DataClock.ts"
import { rowsOf } from "../rows.ts"
import { Versions } from "./Versions.ts"

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
}

export interface Snapshot {
  /** Increases when a served field changes; cache key for everything derived from a snapshot. */
  readonly version: number
  /** Data clock of the last change, epoch milliseconds: `generated_utc` of the lists. */
  readonly generatedAt: number
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
  simulated: Schema.Boolean
})
export interface LatestRow extends Schema.Schema.Type<typeof LatestRow> {}

const latestRows = rowsOf(LatestRow.fields)

export class Current extends Context.Service<
  Current,
  {
    /** The current snapshot, without a query. */
    readonly snapshot: Effect.Effect<Snapshot>
    /** Applies rows now in `latest`, and series that no longer have one. */
    readonly apply: (
      changed: ReadonlyArray<LatestRow>,
      gone?: ReadonlyArray<number>
    ) => Effect.Effect<Snapshot>
    /** Reads all of `latest`. */
    readonly reload: Effect.Effect<Snapshot, SqlError>
    /**
     * Serialises changing `latest` and applying the change within this process; otherwise an older row could be applied
     * after a newer one. Must not be nested.
     */
    readonly change: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("core/data/read/Current") {
  static readonly layer = Layer.effect(
    Current,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const versions = yield* Versions
      const bySeries = new Map<number, CurrentRow>()
      const changing = yield* Semaphore.make(1)
      let current: Snapshot = new Arranged(0, yield* DataClock.now, new Map())

      const apply = Effect.fnUntraced(function* (
        changed: ReadonlyArray<LatestRow>,
        gone: ReadonlyArray<number> = []
      ) {
        const touched = new Set<string>()
        const served = new Set<string>()
        for (const series of gone) {
          const before = bySeries.get(series)
          if (before === undefined) continue
          bySeries.delete(series)
          touched.add(before.row.symbol)
          served.add(before.row.symbol)
        }
        for (const latest of changed) {
          const after = fromSql(latest)
          const before = bySeries.get(latest.series)
          bySeries.set(latest.series, after)
          touched.add(after.row.symbol)
          if (before === undefined || !isSame(before, after)) served.add(after.row.symbol)
        }
        if (touched.size === 0) return current
        const bySymbol = arrange(current.bySymbol, touched, bySeries)
        // Where only read times moved, no list shows it: what was made from this version still holds.
        current =
          served.size > 0
            ? new Arranged(current.version + 1, yield* DataClock.now, bySymbol)
            : new Arranged(current.version, current.generatedAt, bySymbol)
        yield* versions.changed(
          "reads",
          ...(served.size > 0 ? (["symbols"] as const) : []),
          ...[...served].map((symbol) => ({ symbol }))
        )
        return current
      })

      const reload = Effect.gen(function* () {
        const found: Array<LatestRow> = []
        let after = 0
        while (true) {
          const page = yield* sql`
            select l.series, s.symbol, s.metric, s.source, s.plugin, s.tier, s.unit, l.value, l.value_text,
              l.verify_url, l.read_url, l.as_of, l.confirmed_at, l.simulated
            from latest l join series s on s.id = l.series
            where l.series > ${after} order by l.series limit 5000`.pipe(latestRows)
          found.push(...page)
          after = page.at(-1)?.series ?? after
          if (page.length < 5000) break
        }
        const there = new Set(found.map(({ series }) => series))
        return yield* apply(
          found,
          [...bySeries.keys()].filter((series) => !there.has(series))
        )
      }).pipe(changing.withPermits(1), Effect.withSpan("Current.reload"))

      yield* reload
      return Current.of({
        snapshot: Effect.sync(() => current),
        apply,
        reload,
        change: (work) => changing.withPermits(1)(work)
      })
    })
  ).pipe(Layer.provideMerge(Versions.layer))
}

/** A snapshot that builds its flat list on first use; ingesting many chunks never needs it. */
class Arranged implements Snapshot {
  readonly version: number
  readonly generatedAt: number
  readonly bySymbol: ReadonlyMap<string, ReadonlyArray<CurrentRow>>
  #rows: ReadonlyArray<CurrentRow> | undefined

  constructor(
    version: number,
    generatedAt: number,
    bySymbol: ReadonlyMap<string, ReadonlyArray<CurrentRow>>
  ) {
    this.version = version
    this.generatedAt = generatedAt
    this.bySymbol = bySymbol
  }

  get rows(): ReadonlyArray<CurrentRow> {
    this.#rows ??= [...this.bySymbol.values()].flat()
    return this.#rows
  }
}

/** Rebuilds the rows by symbol for `touched`; reuses all other lists. */
const arrange = (
  before: ReadonlyMap<string, ReadonlyArray<CurrentRow>>,
  touched: ReadonlySet<string>,
  bySeries: ReadonlyMap<number, CurrentRow>
): ReadonlyMap<string, ReadonlyArray<CurrentRow>> => {
  const fresh = new Map<string, Array<CurrentRow>>([...touched].map((symbol) => [symbol, []]))
  for (const row of bySeries.values()) fresh.get(row.row.symbol)?.push(row)
  const symbols = new Set(before.keys())
  for (const [symbol, rows] of fresh) {
    rows.sort((a, b) => compare(a.row.metric, b.row.metric) || compare(a.row.source, b.row.source))
    if (rows.length === 0) symbols.delete(symbol)
    else symbols.add(symbol)
  }
  return new Map(
    [...symbols].sort(compare).map((symbol) => [symbol, fresh.get(symbol) ?? before.get(symbol) ?? []])
  )
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
  a.simulated === b.simulated

const fromSql = (latest: LatestRow): CurrentRow => ({
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
  simulated: latest.simulated
})
