/**
 * The newest versions of the last days of many series, in memory: numbers in flat arrays of 32 places a series, in which
 * day `d` has place `d % 32`, and beside them the few texts. A table of 7,000 series takes less than 10 MiB.
 */
import { day } from "../../plugin/time.ts"
import type { DailyRow, Window } from "./days.ts"
import { dateOf } from "./days.ts"
import { differs } from "./differing.ts"

/** A row of `daily` with its version, the newest of its series, day and incident. */
export interface VersionRow extends DailyRow {
  readonly version: number
}

/** One day more than the longest window: a reading may be a little ahead of this clock, and so of its day. */
const width = 32

const seriesOfBlock = 256

/** A part of the table; parts are added and never copied. */
class Block {
  /** Number of the day since 1970 in this place; 0 where it is empty. */
  readonly day = new Uint16Array(seriesOfBlock * width)
  readonly value = new Float64Array(seriesOfBlock * width)
  /** Milliseconds since the day began. */
  readonly asOf = new Uint32Array(seriesOfBlock * width)
  readonly readings = new Int32Array(seriesOfBlock * width)
  readonly version = new Uint16Array(seriesOfBlock * width)
  readonly simulated = new Uint8Array(seriesOfBlock * width)
  /** The address of most days of a series. */
  readonly address = new Array<string | undefined>(seriesOfBlock).fill(undefined)
  /** The address of a place where it is another. */
  readonly other = new Map<number, string>()
  readonly text = new Map<number, string>()
  /** Why the 0 of a place is none that was counted. */
  readonly defined = new Map<number, string>()
}

export class DayTable {
  readonly #blocks: Array<Block> = []
  readonly #places = new Map<number, number>()
  /** Readings that an incident excludes, by series. */
  readonly #aside = new Map<number, ReadonlyArray<VersionRow>>()
  /** The table holds every row of these days, inclusive, and none before. */
  #low: number
  #high = Number.POSITIVE_INFINITY

  /** An empty table of the days from `from` on, epoch milliseconds. */
  constructor(from: number) {
    this.#low = from / day
  }

  /** The first day in the table, epoch milliseconds. */
  get from(): number {
    return this.#low * day
  }

  /** True if every day of the window is in the table. */
  covers({ from, to }: Window): boolean {
    return from / day >= this.#low && to / day <= this.#high
  }

  /** Takes a row at the time `now`; true if that changes what `rows` gives. */
  set(row: VersionRow, now: number): boolean {
    const number = Date.parse(row.date) / day
    if (number < this.#low) return false
    if (number > Math.floor(now / day) + 1) {
      // A day far ahead would drive out one that is asked for.
      this.#high = Math.min(this.#high, number - 1)
      return false
    }
    this.#low = Math.max(this.#low, number - width + 1)
    if (row.incident !== 0) return this.#exclude(row)
    // What differed is in order again.
    if (this.#aside.has(row.series)) this.#exclude({ ...row, incident: differs, n_observations: 0 })
    return this.#accept(row, number)
  }

  /** The days of a series that have a reading: the accepted ones, then those that an incident excludes, each by day. */
  rows(series: number, { from, to }: Window): ReadonlyArray<DailyRow> {
    const days: Array<DailyRow> = []
    const at = this.#at(series)
    if (at !== undefined) {
      for (let number = from / day; number <= to / day; number++) {
        const place = at.first + (number % width)
        if (at.block.day[place] === number && (at.block.readings[place] ?? 0) > 0) {
          days.push(rowAt(at, place, series))
        }
      }
    }
    const [first, last] = [dateOf(from), dateOf(to)]
    for (const row of this.#aside.get(series) ?? []) {
      if (first <= row.date && row.date <= last) {
        const { version: _, ...daily } = row
        days.push(daily)
      }
    }
    return days
  }

  #at(series: number): At | undefined {
    const place = this.#places.get(series)
    const block = place === undefined ? undefined : this.#blocks[Math.floor(place / seriesOfBlock)]
    if (place === undefined || block === undefined) return undefined
    return { block, n: place % seriesOfBlock, first: (place % seriesOfBlock) * width }
  }

  #slotOf(series: number): At {
    const at = this.#at(series)
    if (at !== undefined) return at
    const place = this.#places.size
    const block = place % seriesOfBlock === 0 ? undefined : this.#blocks.at(-1)
    const holding = block ?? new Block()
    if (block === undefined) this.#blocks.push(holding)
    this.#places.set(series, place)
    return { block: holding, n: place % seriesOfBlock, first: (place % seriesOfBlock) * width }
  }

  #accept(row: VersionRow, number: number): boolean {
    const at = this.#slotOf(row.series)
    const { block, first, n } = at
    const place = first + (number % width)
    const there = block.day[place] === number
    if (there && (block.version[place] ?? 0) > row.version) return false
    const asOf = row.as_of.getTime() - number * day
    const none = row.n_observations === 0
    const changed =
      there && (block.readings[place] ?? 0) > 0
        ? none ||
          block.value[place] !== row.value ||
          block.asOf[place] !== asOf ||
          block.readings[place] !== row.n_observations ||
          (block.text.get(place) ?? null) !== row.value_text ||
          (block.defined.get(place) ?? null) !== row.by_definition ||
          (block.simulated[place] === 1) !== row.simulated ||
          addressAt(at, place) !== row.verify_url
        : !none
    block.day[place] = number
    block.value[place] = row.value
    block.asOf[place] = asOf
    block.readings[place] = row.n_observations
    block.version[place] = row.version
    block.simulated[place] = row.simulated ? 1 : 0
    if (row.value_text === null) block.text.delete(place)
    else block.text.set(place, row.value_text)
    if (row.by_definition === null) block.defined.delete(place)
    else block.defined.set(place, row.by_definition)
    block.other.delete(place)
    if (block.address[n] !== row.verify_url) this.#readdress(at, place, row.verify_url)
    return changed
  }

  /** The newest address is the one of most days to come, so the other days of the series are the exceptions. */
  #readdress(at: At, place: number, address: string) {
    const { block, first, n } = at
    const before = block.address[n]
    const number = block.day[place] ?? 0
    if (block.day.subarray(first, first + width).some((other) => other > number)) {
      block.other.set(place, address)
      return
    }
    block.address[n] = address
    for (let other = first; other < first + width; other++) {
      if (other === place || block.day[other] === 0) continue
      const otherAddress = block.other.get(other) ?? before
      if (otherAddress === address || otherAddress === undefined) block.other.delete(other)
      else block.other.set(other, otherAddress)
    }
  }

  #exclude(row: VersionRow): boolean {
    const oldest = dateOf(this.#low * day)
    const all = this.#aside.get(row.series) ?? []
    const before = all.find(({ date, incident }) => date === row.date && incident === row.incident)
    if (before !== undefined && before.version > row.version) return false
    const rest = all.filter((one) => one !== before && one.date >= oldest)
    const remaining = row.n_observations === 0 ? rest : [...rest, row].sort(byDay)
    if (remaining.length === 0) this.#aside.delete(row.series)
    else this.#aside.set(row.series, remaining)
    return before === undefined ? row.n_observations > 0 : row.n_observations === 0 || !same(before, row)
  }
}

/** Where the days of a series are. */
interface At {
  readonly block: Block
  /** Number of the series in its block. */
  readonly n: number
  readonly first: number
}

const addressAt = ({ block, n }: At, place: number): string =>
  block.other.get(place) ?? block.address[n] ?? ""

const rowAt = (at: At, place: number, series: number): DailyRow => ({
  series,
  date: dateOf((at.block.day[place] ?? 0) * day),
  incident: 0,
  value: at.block.value[place] ?? Number.NaN,
  value_text: at.block.text.get(place) ?? null,
  n_observations: at.block.readings[place] ?? 0,
  as_of: new Date((at.block.day[place] ?? 0) * day + (at.block.asOf[place] ?? 0)),
  verify_url: addressAt(at, place),
  simulated: at.block.simulated[place] === 1,
  by_definition: at.block.defined.get(place) ?? null
})

const byDay = (a: VersionRow, b: VersionRow): number =>
  a.date < b.date ? -1 : a.date > b.date ? 1 : a.incident - b.incident

const same = (a: VersionRow, b: VersionRow): boolean =>
  a.value === b.value &&
  a.value_text === b.value_text &&
  a.n_observations === b.n_observations &&
  a.as_of.getTime() === b.as_of.getTime() &&
  a.verify_url === b.verify_url &&
  a.simulated === b.simulated &&
  a.by_definition === b.by_definition
