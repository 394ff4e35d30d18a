/**
 * What every list of the read side is made of. A list depends on the snapshot, on the set of stamped networks and on
 * the UTC day, and on nothing else, so that its bytes can be kept until `key` changes.
 */
import { Context, Effect } from "effect"
import { isSuppressed } from "../../catalog/suppressed.ts"
import * as DataClock from "../DataClock.ts"
import { Current, type CurrentRow, type Snapshot } from "./Current.ts"
import { day, staticAge } from "./freshness.ts"

/** Symbols with a value in a batch whose anchor is confirmed; the log provides it. */
export const Stamped = Context.Reference<Effect.Effect<ReadonlySet<string>>>(
  "core/data/read/listing/Stamped",
  {
    defaultValue: () => Effect.succeed(new Set())
  }
)

export interface Listing extends Pick<Snapshot, "rows" | "bySymbol"> {
  /**
   * Epoch milliseconds for which the list holds: the snapshot's time, or the start of the UTC day where that is later.
   * Series turn static by this time, so that an idle service still tells them within a day.
   */
  readonly at: number
  /** Number of the UTC day since 1970: what samples rotate by. */
  readonly today: number
  readonly stamped: ReadonlySet<string>
  /** Changes when any list does. */
  readonly key: string
}

/** The snapshot without suppressed series, and what else a list depends on. */
export const listing: Effect.Effect<Listing, never, Current> = Effect.gen(function* () {
  const current = yield* Current
  const snapshot = yield* current.snapshot
  const stamped = yield* yield* Stamped
  const today = Math.floor((yield* DataClock.now) / day)
  return {
    ...served(snapshot),
    at: Math.max(snapshot.generatedAt, today * day),
    today,
    stamped,
    key: `${snapshot.version}.${today}.${stamped.size}`
  }
})

/** The key under which a list's bytes may be kept: while it stands, every list of the read side stays the same. */
export const listKey: Effect.Effect<string, never, Current> = Effect.map(listing, ({ key }) => key)

/** True for a series whose latest value is younger than 7 days at `at`. */
export const isLive =
  (at: number) =>
  ({ asOf }: CurrentRow): boolean =>
    at - asOf < staticAge

/** A snapshot is never changed, only replaced: what is derived from one can be kept beside it. */
const kept = new WeakMap<Snapshot, Pick<Snapshot, "rows" | "bySymbol">>()

/** The rows of a snapshot that may be served. */
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
