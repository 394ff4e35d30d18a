/** What chains of one kind have in common: how a header commits to their state, and what can be claimed of it. */
import * as s from "../shape.ts"
import type { Blobs } from "./blobs.ts"
import type { Meter } from "./evmMeter.ts"

export interface Header {
  readonly hash: Uint8Array
  readonly number: bigint
  readonly stateRoot: Uint8Array
  /** The name that the header has for its chain, as CAIP-2; of most chains it has none. */
  readonly chain?: string
  /** When the block was made by its own word, in milliseconds, where the header says it. */
  readonly time?: bigint
  /** Of chains whose header commits to the validators of its block. */
  readonly validatorsHash?: Uint8Array
}

/** The state that a header commits to, as far as a proof has it. */
export interface State {
  readonly header: Header
  readonly nodes: Blobs
  readonly codes: Blobs
  /** CAIP-2, as the proof names it. */
  readonly chain: string
  /** Of all claims together. */
  readonly meter: Meter
}

/** What a proof says that was read. */
export interface Claim {
  /** Null where the state has no entry. */
  readonly value: string | null
  /** What the state says in its place. Throws `Malformed` where the proof says neither this nor that. */
  readonly stated: (state: State) => string | null
}

export interface ClaimKind {
  readonly kind: string
  /** Throws `Malformed` for other members than the kind has. */
  readonly read: (claim: unknown) => Claim
}

/** `shape` is of all members. `read` gives what the state says of a claim whose members have that shape. */
export const claimKind = <A extends { readonly kind: string; readonly value: string | null }>(
  kind: A["kind"],
  shape: s.Shape<A>,
  stated: (claim: A, state: State) => string | null
): ClaimKind => ({
  kind,
  read: (value) => {
    const claim = s.readShape<A>(`a claim ${kind}`, value, shape)
    return { value: claim.value, stated: (state) => stated(claim, state) }
  }
})

export interface Family {
  /** Of CAIP-2: what stands before the colon in the name of a chain. */
  readonly namespace: string
  /** The whole name of a chain. */
  readonly chain: RegExp
  /** Of nodes and codes. */
  readonly hash: (bytes: Uint8Array) => Uint8Array
  /** Throws `Malformed`. */
  readonly readHeader: (bytes: Uint8Array) => Header
  readonly claims: ReadonlyArray<ClaimKind>
}
