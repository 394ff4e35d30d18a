/** Rows by symbol: a change costs by the symbols it touches, not by the rows there are. */
import { compare, type Observation } from "../../plugin/Value.ts"

/** What places a row among the others. */
interface Placed {
  readonly series: number
  readonly row: Pick<Observation, "metric" | "source">
}

export class SymbolRows<Row extends Placed> {
  #rows = new Map<string, ReadonlyArray<Row>>()
  #isShared = false

  /** The rows as they are: sorted by symbol, and each list by metric and source. Later changes leave this map as it is. */
  get all(): ReadonlyMap<string, ReadonlyArray<Row>> {
    this.#isShared = true
    return this.#rows
  }

  /**
   * Takes changes by symbol and series: the row there is now, or undefined where it is gone. Makes new lists of the symbols
   * that changed; all other lists stay the same objects.
   */
  change(changes: ReadonlyMap<string, ReadonlyMap<number, Row | undefined>>) {
    // Copied only where someone may still read the map: many changes come between two readers.
    if (this.#isShared) this.#rows = new Map(this.#rows)
    this.#isShared = false
    let added = false
    for (const [symbol, changed] of changes) {
      const before = this.#rows.get(symbol)
      const rows = changedList(before ?? [], changed)
      if (rows.length === 0) this.#rows.delete(symbol)
      else this.#rows.set(symbol, rows)
      added ||= before === undefined && rows.length > 0
    }
    if (added) this.#rows = new Map([...this.#rows].sort(([a], [b]) => compare(a, b)))
  }
}

const changedList = <Row extends Placed>(
  before: ReadonlyArray<Row>,
  changed: ReadonlyMap<number, Row | undefined>
): ReadonlyArray<Row> => {
  const existing = new Set<number>()
  const rows: Array<Row> = []
  for (const row of before) {
    const after = changed.has(row.series) ? changed.get(row.series) : row
    existing.add(row.series)
    if (after !== undefined) rows.push(after)
  }
  const added = [...changed.values()]
    .filter((row) => row !== undefined)
    .filter(({ series }) => !existing.has(series))
  if (added.length === 0) return rows
  return [...rows, ...added].sort(
    (a, b) => compare(a.row.metric, b.row.metric) || compare(a.row.source, b.row.source)
  )
}
