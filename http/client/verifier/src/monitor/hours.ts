/** The runs of hours that were checked before, read again where the origin of a day names them. */
import { equalBytes, fromHex, fromUtf8, Malformed, utf8 } from "../../../../../core/proof/bytes.ts"
import { demand } from "../../../../../core/proof/check.ts"
import { logPath } from "../../../../../core/proof/fetched.ts"
import { root, treeOf } from "../../../../../core/proof/merkle.ts"
import { parseRunLeaf, type RanLeaf } from "../../../../../core/proof/runLeaf.ts"
import * as s from "../../../../../core/proof/shape.ts"
import type { Source } from "./source.ts"

/** What is remembered of the document of an hour: the root over its runs, and when it was entered. */
export interface HourRecord {
  readonly hour: string
  readonly root: string
  readonly at: string
  /** No run took place in it: it tells of skipped ones alone. */
  readonly idle?: true
}

export const hourShape: s.Shape<HourRecord> = {
  hour: s.hour,
  root: s.hash,
  at: s.time,
  idle: s.optional(s.trueOrAbsent)
}

/** Hours that are remembered: a leaf is rarely of a run before these. */
const mostHours = 2400

/** What is known after the document of an hour. */
export const withHour = (
  hours: ReadonlyArray<HourRecord> | undefined,
  hour: HourRecord
): ReadonlyArray<HourRecord> => [...(hours ?? []), hour].slice(-mostHours)

/** Where the leaves of an hour are served. */
export const runsPath = (hour: string): string => `${logPath}/runs/${hour}/leaves`

/** The runs of an hour, each as its line. */
export interface Hour extends HourRecord {
  readonly lines: ReadonlyArray<string>
}

/** A run of the hour that took place. Throws `Malformed` if there is none at that place. */
export const ranIn = ({ hour, lines }: Hour, index: number): RanLeaf => {
  const line = lines[index]
  demand(
    line !== undefined,
    `the hour ${hour} has ${lines.length} runs, and none at place ${index}`,
    "contradiction"
  )
  const run = parseRunLeaf(line)
  if (run.outcome === "skipped")
    throw new Malformed(`the run at place ${index} of the hour ${hour} did not take place`, "contradiction")
  return run
}

/** The hours of a log. One is in memory at a time: an origin names them in their order. */
export class Hours {
  readonly #source: Source
  readonly #records: ReadonlyMap<string, HourRecord>
  #last: Hour | undefined

  constructor(source: Source, hours: ReadonlyArray<HourRecord>) {
    this.#source = source
    this.#records = new Map(hours.map((one) => [one.hour, one]))
  }

  /** The runs of an hour; undefined where it is not remembered. Throws `Malformed` if they are not those that were checked. */
  async read(hour: string): Promise<Hour | undefined> {
    if (this.#last?.hour === hour) return this.#last
    const record = this.#records.get(hour)
    if (record === undefined) return undefined
    const bytes = await this.#source.read(runsPath(hour))
    demand(bytes !== undefined, `the file ${runsPath(hour)} is not there`, "missing")
    const lines = fromUtf8(bytes).split("\n").slice(0, -1)
    demand(
      equalBytes(root(treeOf(lines.map((line) => utf8(line)))), fromHex(record.root)),
      `the runs of the hour ${hour} are not those that were entered`,
      "hash"
    )
    this.#last = { ...record, lines }
    return this.#last
  }
}
