/** Nodes and codes of a proof, by their hash. They stand in the order of the hash, each once, and each is needed: so a proof has one form. */
import { Malformed, toHex } from "../bytes.ts"
import { demand } from "../check.ts"
import { bounds } from "./bounds.ts"
import { bytesOf } from "./hexes.ts"

export interface Blobs {
  /** The blob with this hash. Throws `Malformed` where the proof has none. */
  readonly get: (hash: Uint8Array) => Uint8Array
  /** Throws `Malformed` if a blob led to nothing. */
  readonly demandAllUsed: () => void
}

type What = "node" | "code"

/** Blobs by their hash, and which of them were read. */
const lookup = (what: What, byHash: ReadonlyMap<string, Uint8Array>) => {
  const used = new Set<string>()
  let steps = 0
  const get = (sought: Uint8Array): Uint8Array => {
    const name = toHex(sought)
    const bytes = byHash.get(name)
    if (bytes === undefined) throw new Malformed(`the proof lacks the ${what} ${name}`, "missing")
    if (++steps > bounds.steps)
      throw new Malformed(`the claims must be proved by reading ${bounds.steps} ${what}s at most`)
    used.add(name)
    return bytes
  }
  return { get, used }
}

/** Reads a list of blobs, at most so many. Throws `Malformed`. */
export const blobsOf = (
  what: What,
  texts: ReadonlyArray<string>,
  hash: (bytes: Uint8Array) => Uint8Array,
  most: number
): Blobs => {
  demand(texts.length <= most, `a proof must have at most ${most} ${what}s`)
  demand(
    texts.reduce((sum, { length }) => sum + length, 0) <= bounds.bytes * 2,
    `the ${what}s must have at most ${bounds.bytes} bytes together`
  )
  const byHash = new Map<string, Uint8Array>()
  let last = ""
  for (const text of texts) {
    const bytes = bytesOf(`a ${what}`, text, bounds.node)
    const name = toHex(hash(bytes))
    demand(name > last, `the ${what}s must be in the order of their hash, each once`)
    last = name
    byHash.set(name, bytes)
  }
  const { get, used } = lookup(what, byHash)
  return {
    get,
    demandAllUsed: () =>
      demand(used.size === byHash.size, `${byHash.size - used.size} of the ${what}s are of no use`)
  }
}

/** Nodes as somebody tells them: in any order, some of no use. */
export interface Gathered {
  readonly get: Blobs["get"]
  /** Those that were read so far, hex, as a proof has them. */
  readonly used: () => ReadonlyArray<string>
}

const usedOf = (byHash: ReadonlyMap<string, Uint8Array>, used: ReadonlySet<string>): ReadonlyArray<string> =>
  [...used].sort().map((name) => toHex(byHash.get(name) ?? new Uint8Array()))

/** Puts nodes by their hash. Throws `Malformed` where they are more than a proof may have. */
export const gather = (
  nodes: ReadonlyArray<Uint8Array>,
  hash: (bytes: Uint8Array) => Uint8Array,
  what: What = "node"
): Gathered => {
  const count = what === "node" ? bounds.nodes : bounds.codes
  demand(nodes.length <= count, `a proof must have at most ${count} ${what}s`)
  demand(
    nodes.reduce((sum, { length }) => sum + length, 0) <= bounds.bytes &&
      nodes.every(({ length }) => length <= bounds.node),
    `the ${what}s must have at most ${bounds.node} bytes each and ${bounds.bytes} together`
  )
  const byHash = new Map(nodes.map((node) => [toHex(hash(node)), node]))
  const { get, used } = lookup(what, byHash)
  return { get, used: () => usedOf(byHash, used) }
}

/** Blobs that are told a few at a time: those of many proofs. */
export interface Gathering {
  /** Takes one in. Throws `Malformed` where a proof could not have it, or they are more than are taken in. */
  readonly add: (bytes: Uint8Array) => void
  /** Those that are there, as one proof reads them. */
  readonly now: () => Gathered
}

/** Bytes that are taken in for one block: a run has so many proofs. */
const mostGathered = 8 * bounds.bytes

export const gathering = (hash: (bytes: Uint8Array) => Uint8Array, what: What): Gathering => {
  const byHash = new Map<string, Uint8Array>()
  let bytesOfAll = 0
  return {
    add: (bytes) => {
      demand(bytes.length <= bounds.node, `a ${what} must have at most ${bounds.node} bytes`)
      const name = toHex(hash(bytes))
      if (byHash.has(name)) return
      bytesOfAll += bytes.length
      demand(bytesOfAll <= mostGathered, `the ${what}s of a block must have at most ${mostGathered} bytes`)
      byHash.set(name, bytes)
    },
    now: () => {
      const { get, used } = lookup(what, byHash)
      return { get, used: () => usedOf(byHash, used) }
    }
  }
}
