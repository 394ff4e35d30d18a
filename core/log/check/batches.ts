/** Whether the stored leaves of a batch are those that were published, and its daily rows those of the leaves. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { concat, equalBytes, Malformed, toHex, utf8 } from "../../proof/bytes.ts"
import type { BatchEntry } from "../../proof/entry.ts"
import type { Difference } from "../../proof/finding.ts"
import { parseLeaf, type RowLeaf } from "../../proof/leaf.ts"
import { buildTree, leafHash, root } from "../../proof/merkle.ts"
import { rowsOf } from "../../sql/rows.ts"
import { sha256 } from "../leaves.ts"
import { compareRow, sealedFields } from "./compareRow.ts"

const batchRows = rowsOf({ id: Schema.Int, root: Schema.String, absent: Schema.String })
const leafRows = rowsOf({
  place: Schema.Int,
  series: Schema.NullOr(Schema.Int),
  text: Schema.String,
  hash: Schema.Uint8Array,
  ...sealedFields
})
const levelRows = rowsOf({ level: Schema.Int, hashes: Schema.Uint8Array })

/** Leaves of one statement. */
const page = 2000
/** Findings of one batch: a batch that is altered throughout needs no line for each leaf. */
const most = 50

/** A row leaf with the id of its series. */
export interface SealedLeaf {
  readonly series: number
  readonly leaf: RowLeaf
}

/** Checks one batch; `each` is given its leaves page by page. */
export const checkBatch = Effect.fn("log.checkBatch")(function* <E, R>(
  entry: BatchEntry,
  each: (leaves: ReadonlyArray<SealedLeaf>) => Effect.Effect<ReadonlyArray<Difference>, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  const [day] = entry.days
  const where = `batch ${day}`
  const [batch] = yield* sql`
    select id, root, absent from batch where day = ${day}::date and closed_at is not null`.pipe(batchRows)
  if (batch === undefined)
    return [{ what: "batch", where, expected: "a closed batch, as in the log", found: "none" }]
  const findings: Array<Difference> = []
  const add = (finding: Difference) => {
    if (findings.length < most) findings.push(finding)
  }
  if (batch.root !== entry.root)
    add({ what: "batch", where, expected: `root ${entry.root}, as in the log`, found: `root ${batch.root}` })
  const absences = toHex(sha256(utf8(batch.absent)))
  if (absences !== entry.absent_sha256) {
    const expected = `a list with hash ${entry.absent_sha256}`
    add({ what: "absences", where, expected, found: `one with hash ${absences}` })
  }
  const hashes: Array<Uint8Array> = []
  for (let place = 0; place <= entry.tree_size; place += page) {
    const rows = yield* leavesOf(batch.id, place)
    const leaves: Array<SealedLeaf> = []
    for (const { hash, place: at, series, text, ...row } of rows) {
      for (let gap = hashes.length; gap < at; gap++) {
        add({ what: "leaf", where: `leaf ${gap} of ${where}`, expected: "a leaf", found: "none" })
        hashes.push(new Uint8Array(32))
      }
      const computed = leafHash(utf8(text), sha256)
      hashes.push(computed)
      if (!equalBytes(computed, hash)) {
        const actual = `hash ${toHex(computed)} of its text`
        add({
          what: "leaf",
          where: `leaf ${at} of ${where}`,
          expected: `hash ${toHex(hash)}, as stored`,
          found: actual
        })
        continue
      }
      const leaf = leafOf(text)
      if (leaf === undefined || series === null) continue
      leaves.push({ series, leaf })
      const different = compareRow(leaf, row)
      if (different !== undefined) add(different)
    }
    for (const finding of yield* each(leaves)) add(finding)
  }
  for (let gap = hashes.length; gap < entry.tree_size; gap++)
    add({ what: "leaf", where: `leaf ${gap} of ${where}`, expected: "a leaf", found: "none" })
  const tree = buildTree(concat(...hashes), sha256)
  if (hashes.length !== entry.tree_size || toHex(root(tree, sha256)) !== entry.root) {
    add({
      what: "leaves",
      where,
      expected: `${entry.tree_size} leaves under root ${entry.root}`,
      found: `${hashes.length} places under root ${toHex(root(tree, sha256))}`
    })
    return findings
  }
  // Proofs are read from the stored levels.
  const levels = yield* sql`select level, hashes from tree_level where batch = ${batch.id}`.pipe(levelRows)
  for (const [level, expected] of tree.levels.entries()) {
    const stored = levels.find((one) => one.level === level)
    if (stored !== undefined && equalBytes(stored.hashes, expected)) continue
    const actual = stored === undefined ? "none" : "other hashes"
    add({
      what: "tree",
      where: `level ${level} of ${where}`,
      expected: "the hashes of the leaves",
      found: actual
    })
  }
  return findings
})

/** The leaves from one place on, each with its daily row. */
const leavesOf = Effect.fnUntraced(function* (batch: number, place: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select l.place, l.series, l.text, l.hash, d.as_of, d.value, d.value_text, d.n_observations, d.verify_url,
      d.recorded_at, d.readings_sha256
    from leaf l left join daily d on d.series = l.series and d.day = l.day and d.incident = l.incident
      and d.version = l.version
    where l.batch = ${batch} and l.place >= ${place} and l.place < ${place + page} order by l.place`.pipe(
    leafRows
  )
})

/** The row leaf of a text; undefined for an absence, and for a text that is no leaf, which gives another root. */
const leafOf = (text: string): RowLeaf | undefined => {
  try {
    const leaf = parseLeaf(text)
    return leaf.kind === "absent" ? undefined : leaf
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}
