/** Which values a read gives: all of them, or, in a sale, those that their sources let be sold. */
import { Context, Effect } from "effect"
import type { Snapshot } from "./Current.ts"
import type { KnownSeries, Recent, SeriesRow } from "./RecentDays.ts"

/** True of a source whose values may be put to a use. The same function as long as the rights are the same. */
export type BySource = (source: string) => boolean

/** The sources whose values are read; undefined: of all. What reads SQL itself asks it as the memory does. */
export const Readable = Context.Reference<BySource | undefined>("core/readings/read/Readable", {
  defaultValue: () => undefined
})

/** For what is computed and from which no value of a source can be told: such a figure is shown and sold like our own. */
export const derived = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(work, Readable, undefined)

type Rows = Snapshot["rows"]

/** By the rows of a symbol: of a snapshot that follows another, most are the same. */
const rowsOfSymbol = new WeakMap<BySource, WeakMap<Rows, Rows>>()

const readableRows = (rows: Rows, may: BySource): Rows => {
  const cache = rowsOfSymbol.get(may) ?? new WeakMap<Rows, Rows>()
  rowsOfSymbol.set(may, cache)
  const before = cache.get(rows)
  if (before !== undefined) return before
  const left = rows.filter(({ row }) => may(row.source))
  const made = left.length === rows.length ? rows : left
  cache.set(rows, made)
  return made
}

class ReadableSnapshot implements Snapshot {
  readonly bySymbol: Snapshot["bySymbol"]
  #rows: Rows | undefined

  constructor(bySymbol: Snapshot["bySymbol"]) {
    this.bySymbol = bySymbol
  }

  get rows(): Rows {
    this.#rows ??= [...this.bySymbol.values()].flat()
    return this.#rows
  }
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
  const made = isWhole ? snapshot : new ReadableSnapshot(bySymbol)
  cache.set(snapshot, made)
  return made
}

/** A snapshot without the rows that are not read. */
export const readableSnapshot = <E, R>(snapshot: Effect.Effect<Snapshot, E, R>) =>
  Effect.gen(function* () {
    const may = yield* Readable
    const whole = yield* snapshot
    return may === undefined ? whole : ofSnapshot(whole, may)
  })

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

  covers(window: Parameters<Recent["covers"]>[0]): boolean {
    return this.#days.covers(window)
  }

  /** Of series that are asked for by number: whoever has one has read its source. */
  between(...args: Parameters<Recent["between"]>): ReturnType<Recent["between"]> {
    return this.#days.between(...args)
  }
}

/** What is made of one memory: figures that are kept with it are kept for each set of sources. */
const days = new WeakMap<BySource, WeakMap<Recent, Recent>>()

const ofDays = (recent: Recent, may: BySource): Recent => {
  const cache = days.get(may) ?? new WeakMap<Recent, Recent>()
  days.set(may, cache)
  const before = cache.get(recent)
  if (before !== undefined) return before
  const made = new ReadableDays(recent, may)
  cache.set(recent, made)
  return made
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
