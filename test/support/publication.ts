/**
 * A small published history for tests of the verifier: batches of rows in a log, signed, and stamped into a block of the
 * fixture network. Everything is computed; nothing is canned.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import type { Bundle } from "../../core/proof/bundle.ts"
import { concat, toBase64, toHex, utf8 } from "../../core/proof/bytes.ts"
import { checkpointText, noteText, signatureLine, verifierOf } from "../../core/proof/checkpoint.ts"
import { type BatchEntry, entryBytes, type LogEntry } from "../../core/proof/entry.ts"
import { keyDocument, type PublishedKey } from "../../core/proof/keys.ts"
import { absenceList, type Leaf, leafBytes, type RowLeaf, readingsSha256 } from "../../core/proof/leaf.ts"
import { consistencyProof, inclusionProof, root, type Tree, treeOf } from "../../core/proof/merkle.ts"
import { detachedOf, serializeDetached } from "../../core/proof/ots/codec.ts"
import { opAppend, opSha256 } from "../../core/proof/ots/op.ts"
import { along, attested } from "../../core/proof/ots/timestamp.ts"
import { publicKeyOf, signEd25519 } from "./ed25519.ts"

export const origin = "log.example/plumbline"
export const secret = new Uint8Array(32).fill(11)
export const retiredSecret = new Uint8Array(32).fill(12)

/** A key that signs answers and checkpoints. */
export const bothPurposes = (key: Uint8Array, notBefore: string, notAfter: string | null) =>
  (["answers", "log"] as const).map(
    (purpose): PublishedKey => ({
      purpose,
      publicKey: publicKeyOf(key),
      announcedAt: notBefore,
      notBefore,
      notAfter
    })
  )

export const publishedKeys: ReadonlyArray<PublishedKey> = [
  ...bothPurposes(secret, "2026-08-20T00:00:00Z", null),
  ...bothPurposes(retiredSecret, "2026-08-01T00:00:00Z", "2026-08-20T00:00:00Z")
]
export const keys = keyDocument({
  origin,
  keys: publishedKeys,
  now: Date.parse("2026-09-06T09:00:00Z")
})

export const readings = (day: string) => [
  { as_of: `${day}T06:00:00Z`, value: 40 },
  { as_of: `${day}T11:00:00Z`, value: 41.5 }
]

export const rowLeaf = (symbol: string, metric: string, day: string): RowLeaf => ({
  v: "service-leaf-v2",
  kind: "reading",
  symbol,
  metric,
  source: "example-feed",
  unit: "count",
  day,
  as_of: `${day}T11:00:00Z`,
  value: 41.5,
  n_observations: 2,
  readings_sha256: readingsSha256(readings(day)),
  verify_url: "https://upstream.example/stats",
  version: 1,
  recorded_at: `${day}T11:00:04Z`
})

const absent = absenceList([{ symbol: "HNT", metric: "nodes_online", source: "example-feed" }])

export interface Batch {
  readonly leaves: ReadonlyArray<Leaf>
  readonly tree: Tree
  readonly entry: BatchEntry
}

export const batchOf = (day: string, leaves: ReadonlyArray<Leaf>): Batch => {
  const tree = treeOf(leaves.map(leafBytes))
  const closed = new Date(Date.parse(`${day}T00:00:00Z`) + 32 * 3_600_000).toISOString().replace(".000Z", "Z")
  return {
    leaves,
    tree,
    entry: {
      v: "service-batch-v2",
      days: [day],
      cut_off: closed,
      closed_at: closed,
      late: false,
      root: toHex(root(tree)),
      tree_size: tree.size,
      n_readings: leaves.filter(({ kind }) => kind === "reading").length,
      n_late: leaves.filter(({ kind }) => kind === "late").length,
      n_revisions: leaves.filter(({ kind }) => kind === "revision").length,
      n_absent: absent.count,
      absent_sha256: absent.sha256
    }
  }
}

export const absenceLeaf = (day: string): Leaf => ({
  v: "service-leaf-v2",
  kind: "absent",
  day,
  cut_off: batchOf(day, []).entry.cut_off,
  n_series: absent.count,
  series_sha256: absent.sha256
})

const days = ["2026-09-01", "2026-09-02", "2026-09-03", "2026-09-04", "2026-09-05"]

export const batches = days.map((day) =>
  batchOf(day, [
    ...["AKT", "FIL", "RENDER"].flatMap((symbol) => [
      rowLeaf(symbol, "devices_total", day),
      rowLeaf(symbol, "nodes_online", day)
    ]),
    absenceLeaf(day)
  ])
)

export const logOf = (entries: ReadonlyArray<LogEntry>): Tree => treeOf(entries.map(entryBytes))

/** The signed checkpoint of a log, as it is served. */
export const checkpointOf = (tree: Tree, key = secret): string => {
  const text = checkpointText({ origin, size: tree.size, root: root(tree) })
  const verifier = verifierOf(origin, publicKeyOf(key))
  return noteText(text, [signatureLine(verifier, signEd25519(utf8(text), key))])
}

/** An `.ots` of these bytes into a mined block of the fixture network. */
export const stamped = (bytes: Uint8Array, time: string, height = 200) => {
  const timestamp = along(
    sha256(bytes),
    [opAppend(new Uint8Array(16).fill(3)), opSha256, opAppend(Uint8Array.of(1)), opSha256, opSha256],
    () => [{ attestation: { kind: "bitcoin-regtest-fixture", height } }]
  )
  const [end] = attested(timestamp)
  return {
    ots: toBase64(serializeDetached(detachedOf(timestamp))),
    header: { height, hex: mineHeader(end?.message ?? new Uint8Array(32), Date.parse(time) / 1000) }
  }
}

const little = (value: number): Uint8Array => {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

/** The header of a block over this Merkle root that meets the fixture network's target. */
export const mineHeader = (
  merkleRoot: Uint8Array,
  seconds: number,
  previous: Uint8Array = new Uint8Array(32)
): string => {
  for (let nonce = 0; ; nonce++) {
    const header = concat(
      little(0x20000000),
      previous,
      merkleRoot,
      little(seconds),
      little(0x207fffff),
      little(nonce)
    )
    if ((sha256(sha256(header))[31] ?? 255) < 0x7f) return toHex(header)
  }
}

export const hexes = (path: ReadonlyArray<Uint8Array>): Array<string> => path.map((hash) => toHex(hash))
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** The bundle of leaf `index` of batch `place`, with the log as long as it was when that batch was closed. */
export const bundleOf = (place: number, index: number): Bundle => {
  const batch = batches[place]
  const leaf = batch?.leaves[index]
  if (batch === undefined || leaf === undefined) throw new RangeError("no such leaf")
  const log = logOf(batches.slice(0, place + 1).map(({ entry }) => entry))
  const checkpoint = checkpointOf(log)
  const { header, ots } = stamped(
    utf8(checkpoint),
    new Date(Date.parse(batch.entry.closed_at) + 3_600_000).toISOString()
  )
  const about =
    leaf.kind === "absent"
      ? { absent: { symbol: "HNT", metric: "nodes_online", source: "example-feed", list: absent.text } }
      : { row: rowOf(leaf), readings: readings(leaf.day).map((one) => `${one.as_of}|${one.value}`) }
  return {
    v: "service-bundle-v2",
    ...about,
    leaf: textOf(leafBytes(leaf)),
    batch: {
      entry: textOf(entryBytes(batch.entry)),
      index,
      size: batch.tree.size,
      path: hexes(inclusionProof(batch.tree, index))
    },
    log: { index: place, size: log.size, path: hexes(inclusionProof(log, place)), checkpoint },
    anchor: { network: "bitcoin-regtest-fixture", status: "confirmed", ots, header },
    keys
  }
}

export const rowOf = ({ as_of, metric, source, symbol, unit, value, verify_url }: RowLeaf) => ({
  symbol,
  metric,
  value,
  unit,
  source,
  verify_url,
  as_of
})

export const growth = (first: number): ReadonlyArray<Uint8Array> =>
  consistencyProof(logOf(batches.map(({ entry }) => entry)), first)
