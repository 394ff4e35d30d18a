/**
 * The origin of a day: the runs that gave the leaves of its batch, with their rows in order. With the leaves and the runs of the hours,
 * which are public, the root of each run's rows is computed again, so that a value without a run is seen from files alone.
 */
import { equalBytes, fromHex, inPlace, Malformed, toHex, utf8 } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import { demand } from "./check.ts"
import type { Leaf } from "./leaf.ts"
import { GrowingRoot, leafHash, type Sha256 } from "./merkle.ts"
import { type RanLeaf, rowText } from "./runLeaf.ts"
import * as s from "./shape.ts"

/** A run that gave a leaf of the batch. One line of the file, as canonical JSON. */
export interface Origin {
  /** Its id. */
  readonly run: string
  /** The hour of UTC, `YYYY-MM-DDTHH`, in whose document its leaf is, and its place among the leaves there. */
  readonly hour: string
  readonly index: number
  /**
   * Its rows in their order. Each is the place in the batch of the leaf whose row it is (of several, the first), or where it is no leaf's
   * the RFC 9162 leaf hash of its text, hex.
   */
  readonly rows: ReadonlyArray<number | string>
}

/** Kind of its log entry, whose subject is the day; the document is the file itself. */
export const originKind = "origin"

const placeOrHash: s.Member<number | string> = {
  is: (value): value is number | string => s.count.is(value) || s.hash.is(value),
  says: "a place or a hash",
  optional: false
}

const shape: s.Shape<Origin> = {
  run: s.name,
  hour: s.hour,
  index: s.count,
  rows: s.listOf(placeOrHash)
}

const checkOrigin = (value: unknown): Origin => {
  const origin = s.readShape("the origin of leaves", value, shape)
  demand(
    origin.rows.some((row) => typeof row === "number"),
    `the run ${origin.run} is named, and no leaf is of its rows`
  )
  return origin
}

const isBefore = (a: Origin, b: Origin): boolean =>
  a.hour < b.hour || (a.hour === b.hour && a.index < b.index)

/** The file's text. Throws `Malformed` if it is not valid. */
export const originText = (origins: ReadonlyArray<Origin>): string =>
  origins.map((origin) => `${canonical(checkOrigin(origin))}\n`).join("")

/** Parses the file, line after line: a canonical JSON line for each run, by hour and index, each once. Throws `Malformed`. */
export function* parseOrigins(text: string): Generator<Origin> {
  let before: Origin | undefined
  for (let [from, n] = [0, 0]; from < text.length; n++) {
    const end = text.indexOf("\n", from)
    demand(end >= 0, "the last line of the origin does not end")
    let origin: Origin
    try {
      origin = checkOrigin(parseCanonical(text.slice(from, end)))
    } catch (error) {
      if (error instanceof Malformed) throw inPlace(`line ${n}`, error)
      throw error
    }
    demand(before === undefined || isBefore(before, origin), `line ${n} is out of order, or there twice`)
    yield origin
    before = origin
    from = end + 1
  }
}

/** The rows of a batch's leaves. */
export class BatchRows {
  /** The leaf hash of the row of each place, hex; undefined for an absence. */
  readonly #hashes: ReadonlyArray<string | undefined>
  readonly #first = new Map<string, number>()

  constructor(leaves: Iterable<Leaf>, sha?: Sha256) {
    const hashes: Array<string | undefined> = []
    for (const leaf of leaves) {
      const hash = leaf.kind === "absent" ? undefined : toHex(leafHash(utf8(rowText(leaf)), sha))
      if (hash !== undefined && !this.#first.has(hash)) this.#first.set(hash, hashes.length)
      hashes.push(hash)
    }
    this.#hashes = hashes
  }

  /** The first place with this row; undefined where it is no leaf's. */
  placeOf(hash: string): number | undefined {
    return this.#first.get(hash)
  }

  /** The first place with the row of this place. */
  firstOf(place: number): number | undefined {
    const hash = this.#hashes[place]
    return hash === undefined ? undefined : this.#first.get(hash)
  }

  /** The leaf hash of a row as a file names it, hex. Throws `Malformed` if it would be named otherwise. */
  hashOf(row: number | string): string {
    if (typeof row === "string") {
      const place = this.#first.get(row)
      demand(place === undefined, `a row is named by its hash, and leaf ${place} is of it`, "contradiction")
      return row
    }
    const hash = this.#hashes[row]
    demand(
      hash !== undefined,
      `a row is that of leaf ${row}, and there is no such leaf of a reading`,
      "contradiction"
    )
    const first = this.#first.get(hash)
    demand(first === row, `a row is that of leaf ${row}, and of leaf ${first} before it`, "contradiction")
    return hash
  }
}

/** Throws `Malformed` unless the run is the one that is named, and these are its rows. */
export const demandOrigin = (origin: Origin, run: RanLeaf, rows: BatchRows, sha?: Sha256): void => {
  const { hour, index, run: id } = origin
  demand(
    run.run === id,
    `the run at place ${index} of the hour ${hour} is ${run.run}, and not ${id}`,
    "contradiction"
  )
  demand(
    run.n_rows === origin.rows.length,
    `the run ${id} gave ${run.n_rows} rows, and ${origin.rows.length} are named`,
    "contradiction"
  )
  const tree = new GrowingRoot(sha)
  for (const row of origin.rows) tree.add(fromHex(rows.hashOf(row), 32))
  demand(
    equalBytes(tree.root, fromHex(run.rows_root, 32)),
    `the rows of the run ${id} do not hash to its root ${run.rows_root}`,
    "hash"
  )
}
