/** The run that gave the value of a day, proved in the log: its row among the run's rows, its leaf, and its hour. */
import { hash } from "node:crypto"
import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"
import { Array as Arr, Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { sha256 } from "../../process/sha256.ts"
import { toHex } from "../../proof/bytes.ts"
import type { RowLeaf } from "../../proof/leaf.ts"
import { buildTree, hashLength, inclusionProof } from "../../proof/merkle.ts"
import { rowText } from "../../proof/runLeaf.ts"
import { Blobs } from "../../readings/ingest/Blobs.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { ObservedValue } from "../../wire/log/observed.ts"
import { observedRun } from "./observed.ts"
import { recordCache } from "./recordCache.ts"

const decompress = promisify(zstdDecompress)

const runRows = rowsOf({ run: Schema.String, rows_sha256: Schema.String })

/** Versions of a reading that are looked through: the leaf may be of an earlier one. */
const mostVersions = 5

/** Rows that are hashed in one turn of the loop. */
const rowsAtOnce = 2000

/** Where a row is among the rows of a run; undefined where these are no longer kept, or do not have it. */
const rowProof = Effect.fnUntraced(function* (rowsSha256: string, line: string) {
  const blob = yield* (yield* Blobs).get(rowsSha256)
  if (Option.isNone(blob)) return undefined
  const bytes = yield* Effect.orDie(Effect.tryPromise(() => decompress(blob.value)))
  const lines = bytes.toString("utf8").trimEnd().split("\n")
  const index = lines.indexOf(line)
  if (index < 0) return undefined
  const leaves = new Uint8Array(lines.length * hashLength)
  for (const [part, some] of Arr.chunksOf(lines, rowsAtOnce).entries()) {
    if (part > 0) yield* Effect.yieldNow
    for (const [n, one] of some.entries())
      leaves.set(hash("sha256", `\0${one}`, "buffer"), (part * rowsAtOnce + n) * hashLength)
  }
  return { index, path: inclusionProof(buildTree(leaves, sha256), index).map(toHex) }
})

/**
 * The proof of the run that gave a published value, under the log of `size` entries. None where the run is not in the log, or its
 * rows are no longer kept.
 */
const find = Effect.fn("Log.observedValue")(function* (series: number, leaf: RowLeaf, size: number) {
  const sql = yield* SqlClient.SqlClient
  const runs = yield* sql`
    select o.run, r.rows_sha256 from observation o join run r on r.id = o.run
    where o.series = ${series} and o.as_of = ${new Date(leaf.as_of)} and r.outcome = 'stored'
    order by o.version desc limit ${mostVersions}`.pipe(runRows)
  const line = rowText(leaf)
  for (const { rows_sha256, run } of runs) {
    const row = yield* rowProof(rows_sha256, line)
    if (row === undefined) continue
    const observed = yield* observedRun(run, size)
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
