/** Rows as text: one JSON array per line, in the order of the rows. */
import { createHash, hash } from "node:crypto"
import { promisify } from "node:util"
import { zstdCompress } from "node:zlib"
import { Array as Arr, Effect, Schema } from "effect"
import { Observation } from "../../plugin/Value.ts"
import { sha256 } from "../../process/sha256.ts"
import { concat, toHex } from "../../proof/bytes.ts"
import { buildTree, hashLength, root } from "../../proof/merkle.ts"
import { rowsAtOnce } from "./arrays.ts"

const compress = promisify(zstdCompress)

/** The rows as JSON lines, in their order. */
export const linesOf = (rows: ReadonlyArray<Observation>): string => {
  let lines = ""
  // What rows of a series share is made once: they follow each other.
  let [names, rest] = ["", ""]
  for (const [n, row] of rows.entries()) {
    const { as_of, metric, source, symbol, unit, value, value_text, verify_url } = row
    const before = rows[n - 1]
    if (before?.symbol !== symbol || before.metric !== metric || before.source !== source) {
      names = JSON.stringify([symbol, metric, source]).slice(0, -1)
    }
    if (before?.unit !== unit || before.verify_url !== verify_url) {
      rest = JSON.stringify([unit, verify_url]).slice(1)
    }
    lines += `${names},${JSON.stringify([as_of, value, value_text ?? null]).slice(1, -1)},${rest}\n`
  }
  return lines
}

/**
 * SHA-256 over the rows as JSON lines, in their order, lower-case hex: a repeated derivation must match it. Of many rows it
 * lets other work go on in between.
 */
export const rowsHash = Effect.fnUntraced(function* (rows: ReadonlyArray<Observation>) {
  const sum = createHash("sha256")
  for (const [n, some] of Arr.chunksOf(rows, rowsAtOnce).entries()) {
    if (n > 0) yield* Effect.yieldNow
    sum.update(linesOf(some))
  }
  return sum.digest("hex")
})

/** The lines of a run's rows, compressed by zstd, and their hash, under which they are stored. */
export interface PackedRows {
  readonly sha256: string
  readonly bytes: Uint8Array
}

export const packRows = Effect.fnUntraced(function* (rows: ReadonlyArray<Observation>) {
  const sha256 = yield* rowsHash(rows)
  const bytes = yield* Effect.orDie(Effect.tryPromise(() => compress(linesOf(rows))))
  return { sha256, bytes } satisfies PackedRows
})

/** Rows of one subtree: a power of two, so that the roots of the subtrees are nodes of the whole tree. */
const rowsOfSubtree = 4096

/**
 * The RFC 9162 root over the rows, each without its line end, in lower-case hex: what `rowsRoot` of `core/proof/runLeaf.ts` is.
 * Of many rows it lets other work go on in between.
 */
export const rowsRoot = Effect.fnUntraced(function* (rows: ReadonlyArray<Observation>) {
  const subtrees: Array<Uint8Array> = []
  for (const [n, some] of Arr.chunksOf(rows, rowsOfSubtree).entries()) {
    if (n > 0) yield* Effect.yieldNow
    const leaves = new Uint8Array(some.length * hashLength)
    for (const [place, line] of linesOf(some).trimEnd().split("\n").entries())
      leaves.set(hash("sha256", `\0${line}`, "buffer"), place * hashLength)
    subtrees.push(root(buildTree(leaves, sha256), sha256))
  }
  return toHex(root(buildTree(concat(...subtrees), sha256), sha256))
})

const Line = Schema.Tuple([
  Schema.String,
  Schema.String,
  Schema.String,
  Schema.String,
  Schema.Finite,
  Schema.NullOr(Schema.String),
  Schema.String,
  Schema.String
])
const decodeLine = Schema.decodeUnknownEffect(Schema.fromJsonString(Line))
const decodeRow = Schema.decodeUnknownEffect(Observation)

/** The rows that `linesOf` wrote. */
export const observationsOf = (lines: string) =>
  Effect.forEach(lines.trimEnd().split("\n"), (text) =>
    Effect.flatMap(decodeLine(text), ([symbol, metric, source, as_of, value, value_text, unit, verify_url]) =>
      decodeRow({
        symbol,
        metric,
        source,
        as_of,
        value,
        unit,
        verify_url,
        ...(value_text === null ? {} : { value_text })
      })
    )
  )
