/** Imports a closed batch from a mirror: its leaves, its tree, and the days that it sealed. */
import { Array as Arr, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { fromUtf8, toHex, utf8 } from "../proof/bytes.ts"
import type { BatchEntry } from "../proof/entry.ts"
import { parseLeaf } from "../proof/leaf.ts"
import { leafHash, root } from "../proof/merkle.ts"
import { importDays, type SealedDay, unseal } from "../readings/ingest/sealed.ts"
import { rowsOf } from "../sql/rows.ts"
import { sha256 } from "./leaves.ts"
import { CannotRepair, fetched, type Mirror, reading, restore } from "./mirror.ts"
import { placeLeaves, storeTree } from "./storeTree.ts"

const batchRows = rowsOf({ id: Schema.Int, root: Schema.NullOr(Schema.String) })
const seriesRows = rowsOf({
  id: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String
})

/** Rows of one statement. */
const chunk = 500

/** Closes the batch of a log entry as it was closed then; false if it is closed already. In a transaction. */
export const importBatch = Effect.fn("Log.importBatch")(function* (
  mirror: Mirror,
  entry: BatchEntry,
  place: number
) {
  const sql = yield* SqlClient.SqlClient
  const [day = ""] = entry.days
  const [there] = yield* sql`
    select id, case when closed_at is not null then root end as root from batch where day = ${day}::date`.pipe(
    batchRows
  )
  if (there?.root === entry.root) return false
  if (there !== undefined && there.root !== null) {
    return yield* new CannotRepair({
      message: `nothing was changed: this database closed ${day} with other leaves than the log; ${restore}`
    })
  }
  const texts = yield* leavesOf(mirror, day, entry.tree_size)
  const absent = yield* absenceOf(mirror, day, texts)
  const simulated = entry.simulated === true
  const closing = {
    claimed_by: "repair",
    claimed_until: new Date(entry.closed_at),
    cut_off: new Date(entry.cut_off),
    closed_at: new Date(entry.closed_at),
    late: entry.late,
    root: entry.root,
    tree_size: entry.tree_size,
    n_readings: entry.n_readings,
    n_late: entry.n_late,
    n_revisions: entry.n_revisions,
    n_absent: entry.n_absent,
    absent,
    log_index: place
  }
  // A close that was under way is undone: what it sealed is sealed by the leaves that were published.
  if (there !== undefined) {
    yield* sql`delete from leaf where batch = ${there.id}`
    yield* unseal([there.id])
    yield* sql`delete from tree_level where batch = ${there.id}`
    yield* sql`delete from batch where id = ${there.id}`
  }
  yield* sql`insert into batch ${sql.insert({ day, ...closing })}`
  const [inserted] = yield* sql`select id, root from batch where day = ${day}::date`.pipe(batchRows)
  if (inserted === undefined) return yield* Effect.die("the batch that was inserted is not there")
  yield* importLeaves(inserted.id, texts, simulated)
  yield* placeLeaves(inserted.id)
  const tree = yield* storeTree(inserted.id)
  return toHex(root(tree, sha256)) === entry.root
    ? true
    : yield* new CannotRepair({
        message: `nothing was changed: the mirror's leaves of ${day} do not give the root in the log; use another mirror`
      })
})

/** The lines of the leaves. */
const leavesOf = Effect.fnUntraced(function* (mirror: Mirror, day: string, size: number) {
  const file = fromUtf8(yield* fetched(mirror, `batches/${day}/leaves`))
  return file.split("\n").slice(0, -1).slice(0, size)
})

/** The list of series without a reading, which the batch's absence leaf commits to. */
const absenceOf = Effect.fnUntraced(function* (mirror: Mirror, day: string, texts: ReadonlyArray<string>) {
  const list = yield* fetched(mirror, `batches/${day}/absent`)
  const leaf = yield* reading(`the mirror's absence leaf of ${day}`, () => parseLeaf(texts.at(-1) ?? ""))
  return leaf.kind === "absent" && leaf.series_sha256 === toHex(sha256(list))
    ? fromUtf8(list)
    : yield* new CannotRepair({
        message: `nothing was changed: the mirror's list of absences of ${day} does not have the hash in its leaf; use another mirror`
      })
})

const importLeaves = Effect.fnUntraced(function* (
  batch: number,
  texts: ReadonlyArray<string>,
  simulated: boolean
) {
  const sql = yield* SqlClient.SqlClient
  const seriesList = yield* sql`select id, symbol, metric, source from series`.pipe(seriesRows)
  const idOf = new Map(
    seriesList.map(({ id, metric, source, symbol }) => [JSON.stringify([symbol, metric, source]), id])
  )
  const leaves: Array<Record<string, unknown>> = []
  const days: Array<SealedDay> = []
  for (const text of texts) {
    const hash = leafHash(utf8(text), sha256)
    const leaf = yield* reading("a leaf of the mirror", () => parseLeaf(text))
    if (leaf.kind === "absent") {
      leaves.push({ batch, series: null, day: leaf.day, incident: 0, version: 1, text, hash })
      continue
    }
    const { day, metric, source, symbol, version } = leaf
    const series = idOf.get(JSON.stringify([symbol, metric, source]))
    if (series === undefined) {
      return yield* new CannotRepair({
        message: `nothing was changed: this database does not know the series ${symbol} ${metric} of ${source}, so it is too old; ${restore}`
      })
    }
    const incident = leaf.excluded_by ?? 0
    leaves.push({ batch, series, day, incident, version, text, hash })
    days.push({
      series,
      day,
      incident,
      version,
      as_of: new Date(leaf.as_of),
      value: leaf.value,
      value_text: leaf.value_text ?? null,
      n_observations: leaf.n_observations,
      verify_url: leaf.verify_url,
      recorded_at: new Date(leaf.recorded_at),
      simulated,
      readings_sha256: leaf.readings_sha256,
      sealed_by: batch
    })
  }
  for (const rows of Arr.chunksOf(leaves, chunk)) yield* sql`insert into leaf ${sql.insert(rows)}`
  for (const rows of Arr.chunksOf(days, chunk)) yield* importDays(rows)
})
