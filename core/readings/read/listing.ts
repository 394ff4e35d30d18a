/**
 * The inputs of every list on the read side. A list depends only on the snapshot, the stamped networks and the UTC day
 * (`dependenciesOf.list`).
 */
import { Context, Effect } from "effect"
import { isSuppressed, suppressed } from "../../catalog/suppressed.ts"
import * as DataClock from "../../clock/DataClock.ts"
import { day } from "../../plugin/time.ts"
import { dependenciesOf } from "../../wire/data/dependency.ts"
import { isMeasured } from "./byDefinition.ts"
import { Current, type CurrentRow, type Snapshot } from "./Current.ts"
import { staticAge } from "./freshness.ts"
import { Versions } from "./Versions.ts"

/** Symbols with a value in a batch whose anchor is confirmed; the log provides it. */
export const Stamped = Context.Reference<Effect.Effect<ReadonlySet<string>>>(
  "core/readings/read/listing/Stamped",
  {
    defaultValue: () => Effect.succeed(new Set())
  }
)

export interface Listing extends Pick<Snapshot, "rows" | "bySymbol"> {
  /**
   * When what a list depends on last changed, epoch milliseconds. A new UTC day is a change, so that an idle service still
   * marks series static within a day.
   */
  readonly at: number
  /** Number of the UTC day since 1970: what samples rotate by. */
  readonly today: number
  readonly stamped: ReadonlySet<string>
}

/** The snapshot without suppressed series, and what else a list depends on. */
export const listing: Effect.Effect<Listing, never, Current | Versions> = Effect.gen(function* () {
  const current = yield* Current
  const snapshot = yield* current.snapshot
  const stamped = yield* yield* Stamped
  const versions = yield* Versions
  const servable = served(snapshot)
  return {
    bySymbol: servable.bySymbol,
    get rows() {
      return servable.rows
    },
    at: yield* versions.changedAt(dependenciesOf.list),
    today: Math.floor((yield* DataClock.now) / day),
    stamped
  }
})

/** True for a series whose latest value is younger than 7 days at `at`. */
export const isRecent =
  (at: number) =>
  ({ asOf }: CurrentRow): boolean =>
    at - asOf < staticAge

/** The same where somebody counted the value: what coverage counts. */
export const isLive = (at: number) => {
  const recent = isRecent(at)
  return (row: CurrentRow): boolean => recent(row) && isMeasured(row)
}

/** The servable rows of a snapshot. The flat list is made on first use. */
class Served implements Pick<Snapshot, "rows" | "bySymbol"> {
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

/** What `of` makes of a symbol's rows: a list that did not change since is not looked at again. */
export const eachSymbol = <A>(of: (rows: ReadonlyArray<CurrentRow>, symbol: string) => A) => {
  const cache = new WeakMap<ReadonlyArray<CurrentRow>, A>()
  return (rows: ReadonlyArray<CurrentRow>, symbol: string): A => {
    const before = cache.get(rows)
    if (before !== undefined) return before
    const fresh = of(rows, symbol)
    cache.set(rows, fresh)
    return fresh
  }
}

const suppressedSymbols = new Set(suppressed.map(({ symbol }) => symbol))

/** Snapshots are immutable, so values derived from one can be cached with it. */
const servedCache = new WeakMap<Snapshot, Served>()

/** The servable rows of a snapshot. */
export const served = (snapshot: Snapshot): Pick<Snapshot, "rows" | "bySymbol"> => {
  const before = servedCache.get(snapshot)
  if (before !== undefined) return before
  let bySymbol = snapshot.bySymbol
  for (const symbol of suppressedSymbols) {
    const rows = snapshot.bySymbol.get(symbol)
    const left = rows?.filter(({ row }) => !isSuppressed(row))
    if (rows === undefined || left === undefined || left.length === rows.length) continue
    const others = new Map(bySymbol)
    if (left.length === 0) others.delete(symbol)
    else others.set(symbol, left)
    bySymbol = others
  }
  const servable = new Served(bySymbol)
  servedCache.set(snapshot, servable)
  return servable
}
