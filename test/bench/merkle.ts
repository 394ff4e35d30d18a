/**
 * Batch of 1 million leaves: root and all inclusion proofs against one bare loop that hashes the same leaf
 * bytes and as many 65-byte nodes with the same function. Run alone: `npx node test/bench/merkle.ts`.
 */
import { hash } from "node:crypto"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8 } from "../../core/proof/bytes.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { buildTree, hashLeaves, inclusionProof, root, type Sha256 } from "../../core/proof/merkle.ts"

const count = 1_000_000

export interface Result {
  readonly what: string
  readonly value: number
  readonly unit: string
  readonly peer: number
  readonly ratio: number
  readonly aim: string
}

// A leaf of ordinary length; only a thousand are kept apart, so that memory holds the tree and not the texts.
const leaves = Array.from({ length: 1000 }, (_, index) =>
  utf8(
    canonical({
      as_of: "2026-09-04T11:00:00Z",
      day: "2026-09-04",
      kind: "reading",
      metric: "active_storage_providers",
      n_observations: 24,
      readings_sha256: "0".repeat(64),
      recorded_at: "2026-09-04T11:00:04Z",
      source: "filecoin-chain",
      symbol: `SYMBOL${index}`,
      unit: "count",
      v: "service-leaf-v2",
      value: index * 1.5,
      verify_url: "https://upstream.example/api/v1/providers",
      version: 1
    })
  )
)
const entries = Array.from({ length: count }, (_, index) => leaves[index % leaves.length] ?? new Uint8Array())

const seconds = (work: () => void): number => {
  const start = performance.now()
  work()
  return (performance.now() - start) / 1000
}

const bare = (sha: Sha256) => {
  // Inputs with their prefix byte already in place: nothing but the hash is timed.
  const prefixed = leaves.map((leaf) => {
    const bytes = new Uint8Array(leaf.length + 1)
    bytes.set(leaf, 1)
    return bytes
  })
  const node = new Uint8Array(65).fill(1)
  let last = 0
  return {
    time: seconds(() => {
      for (let index = 0; index < count; index++) {
        last ^= sha(prefixed[index % prefixed.length] ?? node)[0] ?? 0
      }
      for (let index = 1; index < count; index++) last ^= sha(node)[0] ?? 0
    }),
    last
  }
}

const plumbline = (sha: Sha256) => {
  let hashes = 0
  return {
    time: seconds(() => {
      const tree = buildTree(hashLeaves(entries, sha), sha)
      root(tree, sha)
      for (let index = 0; index < count; index++) hashes += inclusionProof(tree, index).length
    }),
    hashes
  }
}

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

export const run = async (): Promise<Array<Result>> => {
  const functions: ReadonlyArray<readonly [string, Sha256]> = [
    ["@noble/hashes", sha256],
    ["node:crypto", (bytes) => hash("sha256", bytes, "buffer")]
  ]
  return functions.map(([name, sha]) => {
    const pairs = [1, 2, 3].map(() => ({ peer: bare(sha).time, value: plumbline(sha).time }))
    const value = median(pairs.map((pair) => pair.value))
    const peer = median(pairs.map((pair) => pair.peer))
    return {
      what: `root and all proofs of 1 million leaves (${name})`,
      value,
      unit: "s",
      peer,
      ratio: value / peer,
      aim: "at most 2 times bare hashing"
    }
  })
}

if (import.meta.main) console.table(await run())
