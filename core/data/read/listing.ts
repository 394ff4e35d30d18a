/**
 * The inputs of every list on the read side. A list depends only on the snapshot, the stamped networks and the UTC day
 * (`dependenciesOf.list`).
 */
import { Context, Effect } from "effect"
import { isSuppressed } from "../../catalog/suppressed.ts"
import { dependenciesOf } from "../../wire/data/dependency.ts"
import * as DataClock from "../DataClock.ts"
import { Current, type CurrentRow, type Snapshot } from "./Current.ts"
import { day, staticAge } from "./freshness.ts"
import { Versions } from "./Versions.ts"

/** Symbols with a value in a batch whose anchor is confirmed; the log provides it. */
export const Stamped = Context.Reference<Effect.Effect<ReadonlySet<string>>>(
  "core/data/read/listing/Stamped",
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
  return {
    ...served(snapshot),
    at: yield* versions.changedAt(dependenciesOf.list),
    today: Math.floor((yield* DataClock.now) / day),
    stamped
  }
})

/** True for a series whose latest value is younger than 7 days at `at`. */
export const isLive =
  (at: number) =>
  ({ asOf }: CurrentRow): boolean =>
    at - asOf < staticAge

/** Snapshots are immutable, so values derived from one can be cached with it. */
const kept = new WeakMap<Snapshot, Pick<Snapshot, "rows" | "bySymbol">>()

/** The servable rows of a snapshot. */
export const served = (snapshot: Snapshot): Pick<Snapshot, "rows" | "bySymbol"> => {
  const before = kept.get(snapshot)
  if (before !== undefined) return before
  const rows = snapshot.rows.filter(({ row }) => !isSuppressed(row))
  const found =
    rows.length === snapshot.rows.length
      ? { rows, bySymbol: snapshot.bySymbol }
      : { rows, bySymbol: Map.groupBy(rows, ({ row }) => row.symbol) }
  kept.set(snapshot, found)
  return found
}
