/** Whether the stored entries of the log are those that were signed. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { equalBytes, Malformed, toHex, utf8 } from "../../proof/bytes.ts"
import { grown, noEdge, rootOfEdge } from "../../proof/edge.ts"
import { type LogEntry, parseEntry } from "../../proof/entry.ts"
import type { Difference } from "../../proof/finding.ts"
import { leafHash } from "../../proof/merkle.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Log } from "../Log.ts"
import { sha256 } from "../leaves.ts"

const entryRows = rowsOf({ place: Schema.Int, text: Schema.String, hash: Schema.Uint8Array })
const headRows = rowsOf({ size: Schema.Int, root: Schema.String })

/** Rows of one statement. */
const page = 5000

/** An entry whose text is what was hashed. */
export interface Placed {
  readonly place: number
  readonly entry: LogEntry
}

/**
 * Hashes every entry again and compares with the stored hashes, every signed head and the head that this process knows.
 * Returns the entries whose text is what was hashed, and what was found.
 */
export const checkEntries = Effect.fn("log.checkEntries")(function* () {
  const sql = yield* SqlClient.SqlClient
  const loggedHead = yield* (yield* Log).signed
  // Read before the entries: every head is then of entries that are there.
  const heads = yield* sql`select size, root from checkpoint order by size`.pipe(headRows)
  const signed = new Map(heads.map(({ root, size }) => [size, root]))
  const size = Math.max(loggedHead.size, heads.at(-1)?.size ?? 0)
  const findings: Array<Difference> = []
  const placed: Array<Placed> = []
  let edge = noEdge
  while (edge.size < size) {
    const rows = yield* sql`
      select place, text, hash from log_entry where place >= ${edge.size} and place < ${size} order by place limit ${page}`.pipe(
      entryRows
    )
    for (const { hash, place, text } of rows) {
      if (place !== edge.size) break
      const bytes = utf8(text)
      const computed = leafHash(bytes, sha256)
      if (!equalBytes(computed, hash)) {
        findings.push({
          what: "entry",
          where: `entry ${place}`,
          expected: `hash ${toHex(hash)}, as stored`,
          found: `hash ${toHex(computed)} of its text`
        })
      } else findings.push(...keep(placed, place, text))
      // The tree is built over the stored hashes, so that an altered text is not found again in every head after it.
      edge = grown(edge, hash)
      const root = signed.get(edge.size)
      if (root !== undefined && root !== toHex(rootOfEdge(edge))) findings.push(headOf(edge.size, root, edge))
      if (edge.size === loggedHead.size && loggedHead.root !== toHex(rootOfEdge(edge)))
        findings.push(headOf(loggedHead.size, loggedHead.root, edge))
    }
    const [last] = rows.slice(-1)
    if (last === undefined || last.place + 1 !== edge.size) {
      const actual = `no entry ${edge.size}`
      findings.push({
        what: "entry",
        where: `entry ${edge.size}`,
        expected: `${size} entries, as signed`,
        found: actual
      })
      break
    }
  }
  return { findings, placed, size: edge.size }
})

const headOf = (size: number, root: string, edge: typeof noEdge): Difference => ({
  what: "head",
  where: `${size} entries`,
  expected: `root ${root}, as signed`,
  found: `root ${toHex(rootOfEdge(edge))} of the stored hashes`
})

const keep = (placed: Array<Placed>, place: number, text: string): ReadonlyArray<Difference> => {
  try {
    placed.push({ place, entry: parseEntry(text) })
    return []
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    return [{ what: "entry", where: `entry ${place}`, expected: "a valid entry", found: error.message }]
  }
}
