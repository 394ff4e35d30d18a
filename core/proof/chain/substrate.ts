/** Substrate chains: what `state_getReadProof` proves under the state root of a header. */
import { toHex } from "../bytes.ts"
import * as s from "../shape.ts"
import { bounds } from "./bounds.ts"
import { claimKind, type Family } from "./family.ts"
import { bytesOf } from "./hexes.ts"
import { readHeader } from "./substrateHeader.ts"
import { blake2b256, valueAt } from "./substrateTrie.ts"

/** A value of storage, or that there is none under its key. */
interface StorageClaim {
  readonly kind: "substrate-storage"
  /** Bytes, hex. */
  readonly key: string
  /** Bytes as the state has them, hex. */
  readonly value: string | null
}

const storage = claimKind<StorageClaim>(
  "substrate-storage",
  { kind: s.oneOf("substrate-storage"), key: s.text, value: s.textOrNull },
  ({ key }, { header, nodes }) => {
    const value = valueAt(header.stateRoot, bytesOf("a key", key, bounds.key), nodes)
    return value === undefined ? null : toHex(value)
  }
)

export const substrate: Family = {
  namespace: "polkadot",
  chain: /^polkadot:[0-9a-f]{32}$/,
  hash: blake2b256,
  readHeader,
  claims: [storage]
}
