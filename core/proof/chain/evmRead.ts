/** What a node of an EVM chain tells of a block's state: the block, nodes of the tries (`eth_getProof`) and codes (`eth_getCode`). */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { toHex } from "../bytes.ts"
import { type Gathered, type Gathering, gather, gathering } from "./blobs.ts"
import { bounds } from "./bounds.ts"
import { encodeHeader, readHeader, type ToldBlock } from "./evmHeader.ts"
import { chainNumber, resultOf } from "./evmMachine.ts"
import { meterOf } from "./evmMeter.ts"
import { type World, worldOf } from "./evmWorld.ts"
import { bare, bytesOf, exactly } from "./hexes.ts"

/** A call that reads. Hex after `0x`, as nodes are asked. */
export interface View {
  readonly to: string
  readonly data: string
}

/** Nodes and codes are hex after `0x`, in any order, and some may be of no use. */
export interface ToldState {
  /** CAIP-2. */
  readonly chain: string
  readonly block: ToldBlock
  readonly nodes: Iterable<string>
  readonly codes: Iterable<string>
}

/** What nodes told of a block's state so far, more than one proof has. */
export interface Witness {
  readonly nodes: Gathering
  readonly codes: Gathering
}

export const witness = (): Witness => ({
  nodes: gathering(keccak_256, "node"),
  codes: gathering(keccak_256, "code")
})

/** Bytes of a node or a code, which is hex after `0x`. Throws `Malformed`. */
export const blobIn = (text: string, what: "node" | "code"): Uint8Array =>
  bytesOf(`a ${what}`, bare(text), bounds.node)

/** The state of a block, as far as a node proved it. Its calls may together do what those of one proof may. */
export interface ProvedCalls {
  readonly header: Uint8Array
  /** Hex. */
  readonly hash: string
  readonly number: number
  /** The block's own time, epoch milliseconds. */
  readonly time: number
  /** What a view gives, hex. Throws `Malformed`: `Lacks` where a node has to be asked for more. */
  readonly call: (view: View) => string
  /** The accounts whose code a view reads, which is what it executes, each with the hash of it, hex. Throws as `call` does. */
  readonly executes: (view: View) => ReadonlyArray<readonly [account: string, codeHash: string]>
  /** Keccak-256 of an account's code, hex. */
  readonly codeHash: (account: string) => string
  /** Nodes and codes that were read so far, as a proof has them. */
  readonly used: () => { readonly nodes: ReadonlyArray<string>; readonly codes: ReadonlyArray<string> }
}

const accountIn = (text: string): Uint8Array => exactly("an account", bare(text), 20)

/** Reads what a node told. Throws `Malformed` where its block does not have its hash. */
export const provedCalls = ({ codes, nodes, ...of }: ToldState): ProvedCalls => {
  const blobs = (texts: Iterable<string>, what: "node" | "code") =>
    gather(
      [...new Set(texts)].map((text) => blobIn(text, what)),
      keccak_256,
      what
    )
  return callsOver({ ...of, nodes: blobs(nodes, "node"), codes: blobs(codes, "code") })
}

/** The same of what nodes told so far, as one proof reads it. */
export const callsAt = ({ codes, nodes }: Witness, of: Pick<ToldState, "block" | "chain">): ProvedCalls =>
  callsOver({ ...of, nodes: nodes.now(), codes: codes.now() })

interface GatheredState extends Pick<ToldState, "block" | "chain"> {
  readonly nodes: Gathered
  readonly codes: Gathered
}

const callsOver = ({ block, chain, codes: ofCodes, nodes: ofNodes }: GatheredState): ProvedCalls => {
  const header = encodeHeader(block)
  const { hash, number, stateRoot, time = 0n } = readHeader(header)
  const world = worldOf(stateRoot, ofNodes, ofCodes)
  const meter = meterOf()
  const resultIn = (over: World, { data, to }: View): string =>
    resultOf(
      { chain: chainNumber(chain), number, seconds: time / 1000n, world: over, meter },
      accountIn(to),
      bytesOf("the data of a call", bare(data), bounds.key)
    )
  const codeHash = (account: Uint8Array): string => toHex(world.account(account).codeHash)
  return {
    header,
    hash: toHex(hash),
    number: Number(number),
    time: Number(time),
    call: (view) => resultIn(world, view),
    executes: (view) => {
      const codes = new Map<string, string>()
      const code = (account: Uint8Array): Uint8Array => {
        codes.set(toHex(account), codeHash(account))
        return world.code(account)
      }
      resultIn({ ...world, code }, view)
      return [...codes]
    },
    codeHash: (account) => codeHash(accountIn(account)),
    used: () => ({ nodes: ofNodes.used(), codes: ofCodes.used() })
  }
}
