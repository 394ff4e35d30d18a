/** Rows as text: one JSON array per line, in the order of the rows. */
import { createHash, hash } from "node:crypto"
import { promisify } from "node:util"
import { zstdCompress } from "node:zlib"
import { Array as Arr, Effect, Schema } from "effect"
import { Observation } from "../../../plugin/Value.ts"
import { sha256 } from "../../../process/sha256.ts"
import { concat, toHex, utf8 } from "../../../proof/bytes.ts"
import { buildTree, hashLength, root } from "../../../proof/merkle.ts"
import { rowsAtOnce } from "../arrays.ts"

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

/** The rows of a run as their lines, with what commits to them. */
export interface PackedRows {
  /** What `rowsHash` is: the lines are stored under it. */
  readonly sha256: string
  /** The RFC 9162 root over the lines, each without its end, in lower-case hex: what `rowsRoot` of `core/proof/runLeaf.ts` is. */
  readonly root: string
  /** UTF-8. */
  readonly lines: Uint8Array
}

/** Rows of one subtree: a power of two, so that the roots of the subtrees are nodes of the whole tree. */
const rowsOfSubtree = 4096

/** Of many rows it lets other work go on in between. */
export const packRows = Effect.fnUntraced(function* (rows: ReadonlyArray<Observation>) {
  const sum = createHash("sha256")
  const parts: Array<Uint8Array> = []
  const subtrees: Array<Uint8Array> = []
  for (const [n, some] of Arr.chunksOf(rows, rowsOfSubtree).entries()) {
    if (n > 0) yield* Effect.yieldNow
    const lines = linesOf(some)
    sum.update(lines)
    parts.push(utf8(lines))
    subtrees.push(root(buildTree(lineHashes(lines), sha256), sha256))
  }
  return {
    sha256: sum.digest("hex"),
    root: toHex(root(buildTree(concat(...subtrees), sha256), sha256)),
    lines: concat(...parts)
  } satisfies PackedRows
})

/** The leaf hashes of lines, of which the last ends too. */
export const lineHashes = (lines: string): Uint8Array => {
  const texts = lines.trimEnd().split("\n")
  const hashes = new Uint8Array(texts.length * hashLength)
  for (const [place, text] of texts.entries())
    hashes.set(hash("sha256", `\0${text}`, "buffer"), place * hashLength)
  return hashes
}

/** Lines as they are stored, by zstd. */
export const compressed = (lines: Uint8Array) => Effect.orDie(Effect.tryPromise(() => compress(lines)))

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
