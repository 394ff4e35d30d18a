/** The leaves of earlier batches, read again where a new leaf refers to them. */
import { equalBytes, fromHex, fromUtf8, inPlace, Malformed } from "../../../../../core/proof/bytes.ts"
import { leavesPath, logPath } from "../../../../../core/proof/fetched.ts"
import { type Finding, unread } from "../../../../../core/proof/finding.ts"
import {
  type AbsenceLeaf,
  type Leaf,
  leafBytes,
  parseLeaf,
  type RowLeaf
} from "../../../../../core/proof/leaf.ts"
import { root, treeOf } from "../../../../../core/proof/merkle.ts"
import { dayAfter, seriesDay } from "./series.ts"
import type { Source } from "./source.ts"
import type { BatchRecord } from "./state.ts"

/** Days whose leaves stay in memory. */
const daysInMemory = 8

interface Leaves {
  readonly rows: ReadonlyArray<RowLeaf>
  readonly absence: AbsenceLeaf | undefined
  /** The rows of a series and day, built when first asked for. */
  index?: ReadonlyMap<string, ReadonlyArray<RowLeaf>>
}

/** The newest leaf of each chain of a series and day, by the incident that excludes it; 0 for none. */
export type Chains = ReadonlyMap<number, RowLeaf>

export const absentPath = (day: string): string => `${logPath}/batches/${day}/absent`

/** The leaves of a file, one per line. Throws `Malformed`. */
export const parseLeaves = (bytes: Uint8Array): ReadonlyArray<Leaf> => {
  const lines = fromUtf8(bytes).split("\n")
  if (lines.pop() !== "") throw new Malformed("the last line of the leaves does not end")
  return lines.map((line, at) => {
    try {
      return parseLeaf(line)
    } catch (error) {
      if (error instanceof Malformed) throw inPlace(`leaf ${at}`, error)
      throw error
    }
  })
}

const leavesOf = (leaves: ReadonlyArray<Leaf>): Leaves => ({
  rows: leaves.filter((leaf) => leaf.kind !== "absent"),
  absence: leaves.find((leaf) => leaf.kind === "absent")
})

/** The days before a batch's own that its leaves are about. */
export const earlierDaysOf = (day: string, rows: ReadonlyArray<RowLeaf>): ReadonlyArray<string> =>
  [...new Set(rows.flatMap((row) => (row.day === day ? [] : [row.day])))].sort()

/** The leaves of the batches that are already checked. What is read again must be what was checked. */
export class Past {
  readonly #source: Source
  readonly #records = new Map<string, { readonly root?: string; readonly about: ReadonlySet<string> }>()
  readonly #leaves = new Map<string, Leaves>()
  /** Findings about files that were read again. */
  readonly findings: Array<Finding> = []
  /** Day of the log's first batch; undefined if it is not known, because a monitor of an earlier release began. */
  readonly #first: string | undefined

  constructor(source: Source, batches: ReadonlyArray<BatchRecord>, first: string | undefined) {
    this.#source = source
    this.#first = first
    for (const { about, day, root } of batches) this.#records.set(day, { root, about: new Set(about) })
  }

  /** Adds the leaves of a batch that was checked. */
  add(batch: BatchRecord, leaves: ReadonlyArray<Leaf>): void {
    this.#records.set(batch.day, { root: batch.root, about: new Set(batch.about) })
    this.#remember(batch.day, leavesOf(leaves))
  }

  #remember(day: string, leaves: Leaves): void {
    this.#leaves.delete(day)
    this.#leaves.set(day, leaves)
    const [oldest] = this.#leaves.keys()
    if (this.#leaves.size > daysInMemory && oldest !== undefined) this.#leaves.delete(oldest)
  }

  /** The leaves of the batch of a day; none if there is no such batch. */
  async leaves(day: string): Promise<Leaves> {
    const remembered = this.#leaves.get(day)
    if (remembered !== undefined) {
      this.#remember(day, remembered)
      return remembered
    }
    const read = leavesOf(await this.#read(day))
    this.#remember(day, read)
    if (!this.#records.has(day)) this.#records.set(day, { about: new Set(earlierDaysOf(day, read.rows)) })
    return read
  }

  async #read(day: string): Promise<ReadonlyArray<Leaf>> {
    const record = this.#records.get(day)
    if (record === undefined && this.#first !== undefined && day < this.#first) return []
    const bytes = await this.#source.read(leavesPath(day))
    const about = { what: "leaves", where: `batch ${day}`, expected: "the leaves that were there before" }
    if (bytes === undefined) {
      // Without a record it is not known whether the log has a batch of that day.
      if (record !== undefined) this.findings.push({ ...about, found: "no such file", reason: "missing" })
      return []
    }
    try {
      const leaves = parseLeaves(bytes)
      if (
        record?.root !== undefined &&
        !equalBytes(root(treeOf(leaves.map(leafBytes))), fromHex(record.root))
      )
        throw new Malformed("other leaves", "hash")
      return leaves
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      this.findings.push(unread(about, error))
      return []
    }
  }

  /** The newest leaf of each chain of a series and day in the batches before that of `before`. */
  async chains(of: Parameters<typeof seriesDay>[0], before: string): Promise<Chains> {
    const newest = new Map<number, RowLeaf>()
    const key = seriesDay(of)
    for (let day = of.day; day < before; day = dayAfter(day)) {
      const record = this.#records.get(day)
      if (day !== of.day && record !== undefined && !record.about.has(of.day)) continue
      if (day !== of.day && record === undefined && this.#first !== undefined && day < this.#first) continue
      const leaves = await this.leaves(day)
      leaves.index ??= Map.groupBy(leaves.rows, seriesDay)
      for (const row of leaves.index.get(key) ?? []) newest.set(row.excluded_by ?? 0, row)
    }
    return newest
  }
}
