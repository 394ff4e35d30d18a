/** What a hostile operator can do who holds the signing keys: any document, hashed, logged, signed and stamped anew. */
import { sha256 } from "@noble/hashes/sha2.js"
import type { Bundle } from "../../../core/proof/bundle.ts"
import { toHex, utf8 } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { readingLine } from "../../../core/proof/leaf.ts"
import { inclusionProof, root, treeOf } from "../../../core/proof/merkle.ts"
import {
  batches,
  bundleOf,
  checkpointOf,
  hexes,
  readings,
  rowOf,
  secret,
  stamped
} from "../../support/publication.ts"

export interface Lie {
  /** Members of the leaf; undefined takes one away. */
  readonly leaf?: Readonly<Record<string, unknown>>
  /** Members of the row beside those of the leaf. */
  readonly row?: Readonly<Record<string, unknown>>
  /** Lines of readings, which the leaf then commits to. */
  readonly readings?: ReadonlyArray<string>
  /** The texts of all leaves, in the tree's order. */
  readonly leaves?: (texts: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Members of the batch entry. */
  readonly entry?: Readonly<Record<string, unknown>>
  /** The texts of all log entries. */
  readonly log?: (texts: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Time of the block. */
  readonly stampedAt?: string
  readonly secret?: Uint8Array<ArrayBuffer>
  /** Place of the leaf in the tree, where it is another. */
  readonly at?: number
}

export const place = 3
export const index = 2
const batch = batches[place]

const hash = (text: string): string => toHex(sha256(utf8(text)))
const without = (members: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

/** A bundle in which everything is signed, and only what it says is a lie. */
export const republished = (lie: Lie = {}): Bundle => {
  const leaf = batch?.leaves[index]
  if (batch === undefined || leaf === undefined || leaf.kind === "absent")
    throw new RangeError("no such leaf")
  const lines = lie.readings ?? readings(leaf.day).map(readingLine)
  const leafText = canonical(
    without({
      ...leaf,
      ...(lie.readings === undefined
        ? {}
        : { readings_sha256: hash(lines.join("\n")), n_observations: lines.length }),
      ...lie.leaf
    })
  )
  const texts = batch.leaves.map((one, at) => (at === index ? leafText : canonical(one)))
  const leaves = treeOf((lie.leaves?.(texts) ?? texts).map(utf8))
  const entry = canonical(
    without({ ...batch.entry, root: toHex(root(leaves)), tree_size: leaves.size, ...lie.entry })
  )
  const at = lie.at ?? index
  const before = batches.slice(0, place).map((one) => canonical(one.entry))
  const entries = [...before, entry]
  const log = treeOf((lie.log?.(entries) ?? entries).map((text) => utf8(text)))
  const checkpoint = checkpointOf(log, lie.secret ?? secret)
  return {
    ...bundleOf(place, index),
    row: without({ ...rowOf(leaf), ...pick(lie.leaf), ...lie.row }),
    readings: lines,
    leaf: leafText,
    batch: { entry, index: at, size: leaves.size, path: hexes(inclusionProof(leaves, at)) },
    log: { index: place, size: log.size, path: hexes(inclusionProof(log, place)), checkpoint },
    anchor: {
      network: "bitcoin-regtest-fixture",
      status: "confirmed",
      ...stamped(utf8(checkpoint), lie.stampedAt ?? "2026-09-05T09:00:00Z")
    }
  }
}

const visibleMembers = [
  "symbol",
  "metric",
  "value",
  "value_text",
  "unit",
  "source",
  "verify_url",
  "as_of",
  "simulated"
]
const pick = (members: Readonly<Record<string, unknown>> = {}) =>
  Object.fromEntries(Object.entries(members).filter(([name]) => visibleMembers.includes(name)))
