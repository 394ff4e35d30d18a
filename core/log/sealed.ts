/** Entries as the log's tree commits to them, and what is held to them before it is sent. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { parseAgreement } from "../proof/agreement.ts"
import { equalBytes, fromHex, toHex, utf8 } from "../proof/bytes.ts"
import { type BatchEntry, isBatch, parseEntry } from "../proof/entry.ts"
import { parseLeaf } from "../proof/leaf.ts"
import {
  buildTree,
  hashLeaves,
  hashLength,
  leafHash,
  root,
  treeNodes,
  verifyInclusion
} from "../proof/merkle.ts"
import { hourBegins } from "../proof/runLeaf.ts"
import { parseRuns } from "../proof/runs.ts"
import { rowsOf } from "../sql/rows.ts"
import { Log } from "./Log.ts"
import { sha256 } from "./leaves.ts"
import { pathColumn } from "./storedPath.ts"

const entryRows = rowsOf({ place: Schema.Int, text: Schema.String })
const documentRows = rowsOf({ place: Schema.Int, text: Schema.String, document: Schema.String })
const absenceRows = rowsOf({ text: Schema.String, place: Schema.Int, path: Schema.Array(Schema.String) })

/** The entry, if it is the one at its place of the log's tree. */
const sealedEntry = Effect.fnUntraced(function* ({
  place,
  text
}: {
  readonly place: number
  readonly text: string
}) {
  const log = yield* Log
  const current = yield* log.signed
  // Another process may have made the entry a moment ago.
  const { size, tree } = place < current.size ? current : yield* log.refresh
  if (place >= size) return undefined
  return equalBytes(treeNodes(tree)(0, place), leafHash(utf8(text), sha256)) ? parseEntry(text) : undefined
})

/** Undefined if the day (`YYYY-MM-DD`) has no closed batch, or its entry is not the one in the log's tree. */
export const sealedBatch = Effect.fn("Log.sealedBatch")(function* (day: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select e.place, e.text from batch b join log_entry e on e.place = b.log_index
    where b.day = ${day}::date and b.closed_at is not null`.pipe(entryRows)
  const entry = row === undefined ? undefined : yield* sealedEntry(row)
  return entry !== undefined && isBatch(entry) && entry.days[0] === day
    ? (entry satisfies BatchEntry)
    : undefined
})

/** True if this is the list of absences that the day's batch commits to by its absence leaf. */
export const isSealedAbsences = Effect.fn("Log.isSealedAbsences")(function* (day: string, list: string) {
  const sql = yield* SqlClient.SqlClient
  const batch = yield* sealedBatch(day)
  const [row] = yield* sql`
    select l.text, l.place, ${pathColumn(sql)} as path from leaf l join batch b on b.id = l.batch
    where l.series is null and b.day = ${day}::date limit 1`.pipe(absenceRows)
  if (batch === undefined || row === undefined) return false
  const isInBatch = verifyInclusion({
    leaf: leafHash(utf8(row.text), sha256),
    index: row.place,
    size: batch.tree_size,
    path: row.path.map((hash) => fromHex(hash, hashLength)),
    root: fromHex(batch.root, hashLength)
  })
  const leaf = isInBatch ? parseLeaf(row.text) : undefined
  return leaf?.kind === "absent" && leaf.day === day && leaf.series_sha256 === toHex(sha256(utf8(list)))
})

const leavesHold = (
  lines: string,
  document: { readonly root: string; readonly tree_size: number }
): boolean => {
  const tree = buildTree(hashLeaves(lines.split("\n").slice(0, -1).map(utf8), sha256), sha256)
  return document.tree_size === tree.size && document.root === toHex(root(tree, sha256))
}

/** The document's text, if its entry in the log commits to it. */
const sealedDocument = Effect.fnUntraced(function* (
  row: Effect.Success<ReturnType<typeof documentRows>>[number]
) {
  const entry = yield* sealedEntry(row)
  return entry !== undefined && !isBatch(entry) && entry.sha256 === toHex(sha256(utf8(row.document)))
    ? row.document
    : undefined
})

/** True if these are the leaves of an hour's runs (lines of text) that the hour's document in the log commits to. */
export const isSealedRuns = Effect.fn("Log.isSealedRuns")(function* (hour: string, lines: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select e.place, e.text, d.body as document
    from runs_hour h join log_entry e on e.place = h.log_index join document d on d.sha256 = h.document
    where h.hour = ${new Date(hourBegins(hour))}`.pipe(documentRows)
  const text = row === undefined ? undefined : yield* sealedDocument(row)
  if (text === undefined) return false
  const document = parseRuns(text)
  return document.hour === hour && leavesHold(lines, document)
})

/** The same of a day's comparisons with other operators. */
export const isSealedAgreement = Effect.fn("Log.isSealedAgreement")(function* (day: string, lines: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select e.place, e.text, d.body as document
    from agreement_day a join log_entry e on e.place = a.log_index join document d on d.sha256 = a.document
    where a.day = ${day}::date`.pipe(documentRows)
  const text = row === undefined ? undefined : yield* sealedDocument(row)
  if (text === undefined) return false
  const document = parseAgreement(text)
  return document.day === day && leavesHold(lines, document)
})
