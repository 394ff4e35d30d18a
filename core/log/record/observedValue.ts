/** The run that gave the value of a day, proved in the log: its row among the run's rows, its leaf, and its hour. */
import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { LRUCache } from "lru-cache"
import { isoTime } from "../../plugin/Value.ts"
import { sha256 } from "../../process/sha256.ts"
import { equalBytes, toHex } from "../../proof/bytes.ts"
import type { RowLeaf } from "../../proof/leaf.ts"
import { buildTree, hashLength, inclusionProof, type Tree } from "../../proof/merkle.ts"
import { rowText } from "../../proof/runLeaf.ts"
import { Blobs } from "../../readings/ingest/Blobs.ts"
import { lineHashes } from "../../readings/ingest/runs/lines.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { ObservedValue } from "../../wire/log/observed.ts"
import { LoggedPlace, loggedIn, observedAt, placeColumns } from "./observed.ts"
import { recordCache } from "./recordCache.ts"

const decompress = promisify(zstdDecompress)

const runRows = rowsOf({ run: Schema.String, rows_sha256: Schema.String })
const loggedRows = rowsOf({ run: Schema.String, rows_sha256: Schema.String, ...LoggedPlace.fields })

/** Versions of a reading that are looked through: the leaf may be of an earlier one. */
const mostVersions = 5

/** Of all trees in memory, in rows: 64 bytes each. */
const mostRows = 200_000

/** The trees over the rows of runs, by the hash of their lines: many values are of one run, and its rows never change. */
const trees = new LRUCache<string, Tree>({
  maxSize: mostRows,
  sizeCalculation: ({ size }) => Math.max(1, size)
})

/** The rows of a run as lines; undefined where these are no longer kept. */
const linesOf = Effect.fnUntraced(function* (rowsSha256: string) {
  const blob = yield* (yield* Blobs).get(rowsSha256)
  if (Option.isNone(blob)) return undefined
  const bytes = yield* Effect.orDie(Effect.tryPromise(() => decompress(blob.value)))
  return bytes.toString("utf8")
})

const treeOf = Effect.fnUntraced(function* (rowsSha256: string) {
  const before = trees.get(rowsSha256)
  if (before !== undefined) return before
  const lines = yield* linesOf(rowsSha256)
  if (lines === undefined) return undefined
  const tree = buildTree(lineHashes(lines), sha256)
  trees.set(rowsSha256, tree)
  return tree
})

/** Where a row is among the rows of a run; undefined where these are no longer kept, or do not have it. */
const rowProof = Effect.fnUntraced(function* (rowsSha256: string, line: string) {
  const tree = yield* treeOf(rowsSha256)
  if (tree === undefined) return undefined
  const leaf = lineHashes(`${line}\n`)
  const leaves = tree.levels[0] ?? new Uint8Array()
  const index = Array.from({ length: tree.size }, (_, n) => n).find((n) =>
    equalBytes(leaves.subarray(n * hashLength, (n + 1) * hashLength), leaf)
  )
  return index === undefined ? undefined : { index, path: inclusionProof(tree, index).map(toHex) }
})

/**
 * The runs in the log of `size` entries that may have given a leaf: the one that it was sealed with, then those of the versions of its
 * reading, newest first. With their places in one statement, as a reader of a proof waits for it.
 */
const runsFor = Effect.fnUntraced(function* (series: number, leaf: RowLeaf, size: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select o.run, r.rows_sha256, ${placeColumns(sql)} from (
      select run, null::int as version from leaf
      where series = ${series} and day = ${leaf.day}::date and incident = ${leaf.excluded_by ?? 0}
        and version = ${leaf.version} and run is not null
      union all
      select run, version from observation where series = ${series} and as_of = ${new Date(leaf.as_of)}
    ) o join run r on r.id = o.run ${loggedIn(sql, size)}
    where r.outcome = 'stored' order by o.version desc nulls first limit ${mostVersions}`.pipe(loggedRows)
})

/**
 * The proof of the run that gave a published value, under the log of `size` entries. None where the run is not in the log, or its
 * rows are no longer kept.
 */
const find = Effect.fn("observedValue.find")(function* (series: number, leaf: RowLeaf, size: number) {
  const line = rowText(leaf)
  for (const at of yield* runsFor(series, leaf, size)) {
    const { rows_sha256, run } = at
    const row = yield* rowProof(rows_sha256, line)
    if (row === undefined) continue
    const observed = yield* observedAt(run, at, size)
    if (observed === undefined) continue
    return Option.some({ ...observed, run, row } satisfies ObservedValue)
  }
  return Option.none<ObservedValue>()
})

const cachedValue = recordCache<Effect.Success<ReturnType<typeof find>>>(500)

/** None also while the rows cannot be read: the value is proved all the same. */
export const observedValue = (series: number, leaf: RowLeaf, size: number) =>
  cachedValue(
    JSON.stringify([series, leaf.as_of, leaf.version, leaf.excluded_by, size]),
    find(series, leaf, size)
  ).pipe(Effect.catchTag("BlobsUnavailable", () => Effect.succeed(Option.none<ObservedValue>())))

/** The proof of a run that gave a published value and whose rows are no longer kept. */
export const unstoredRun = Effect.fn("Log.unstoredRun")(
  function* (series: number, leaf: RowLeaf, size: number) {
    for (const at of yield* runsFor(series, leaf, size)) {
      const { rows_sha256, run } = at
      if ((yield* treeOf(rows_sha256)) !== undefined) continue
      const logged = yield* observedAt(run, at, size)
      if (logged !== undefined) return logged
    }
    return undefined
  },
  Effect.catchTag("BlobsUnavailable", () => Effect.succeed(undefined))
)

/** The row of a run that is another reading of a value's series, as it was at `asOf`, and its place among the rows. */
export const otherRowOf = Effect.fn("Log.otherRowOf")(
  function* (run: string, { metric, source, symbol }: RowLeaf, asOf: Date) {
    const sql = yield* SqlClient.SqlClient
    const [stored] = yield* sql`select id as run, rows_sha256 from run where id = ${run}`.pipe(runRows)
    const lines = stored === undefined ? undefined : yield* linesOf(stored.rows_sha256)
    const begins = `${JSON.stringify([symbol, metric, source, isoTime(asOf.getTime())]).slice(0, -1)},`
    const text = lines?.split("\n").find((line) => line.startsWith(begins))
    const row =
      stored === undefined || text === undefined ? undefined : yield* rowProof(stored.rows_sha256, text)
    return text === undefined || row === undefined ? undefined : { text, row }
  },
  Effect.catchTag("BlobsUnavailable", () => Effect.succeed(undefined))
)
