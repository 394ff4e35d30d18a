/** The right edge of a Merkle tree: its complete subtrees, from which the tree grows without its earlier leaves. */
import { sha256 } from "@noble/hashes/sha2.js"
import { nodeHash } from "./merkle.ts"

export interface Edge {
  readonly size: number
  /** The roots of the complete subtrees, the largest first: one for each 1 in the binary form of the size. */
  readonly nodes: ReadonlyArray<Uint8Array>
}

export const noEdge: Edge = { size: 0, nodes: [] }

/** The edge with one more leaf hash. */
export const grown = (edge: Edge, leaf: Uint8Array): Edge => {
  const nodes = [...edge.nodes]
  let node = leaf
  for (let size = edge.size; size % 2 === 1; size = Math.floor(size / 2)) {
    const left = nodes.pop()
    if (left === undefined) throw new RangeError(`the edge of ${edge.size} leaves lacks a node`)
    node = nodeHash(left, node)
  }
  return { size: edge.size + 1, nodes: [...nodes, node] }
}

/** The root of the tree. */
export const rootOfEdge = ({ nodes }: Edge): Uint8Array => {
  const last = nodes.at(-1)
  if (last === undefined) return sha256(new Uint8Array())
  return nodes.slice(0, -1).reduceRight((right, left) => nodeHash(left, right), last)
}

/** How many nodes the edge of a tree of this size has. */
export const edgeLength = (size: number): number => size.toString(2).replaceAll("0", "").length
