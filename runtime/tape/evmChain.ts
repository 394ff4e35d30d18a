/** An EVM chain of one block, whose state is made up of contracts, and what a node of it tells. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { concat, fromHex, toHex, utf8 } from "../../core/proof/bytes.ts"
import type { Blobs } from "../../core/proof/chain/blobs.ts"
import type { ToldBlock } from "../../core/proof/chain/evmHeader.ts"
import { bytesOfWord, resultOf } from "../../core/proof/chain/evmMachine.ts"
import { meterOf } from "../../core/proof/chain/evmMeter.ts"
import type { View } from "../../core/proof/chain/evmRead.ts"
import { accountAt, emptyCode, wordAt } from "../../core/proof/chain/evmState.ts"
import { emptyRoot, valueUnder } from "../../core/proof/chain/evmTrie.ts"
import { type World, worldOf } from "../../core/proof/chain/evmWorld.ts"
import { bare } from "../../core/proof/chain/hexes.ts"
import { rlp, unsigned } from "../../core/proof/chain/rlpWriter.ts"
import { patricia } from "./evmTrie.ts"
import type { Trie } from "./substrateTrie.ts"

/** An account with code. */
export interface Contract {
  readonly code: Uint8Array
  /** What is not 0. */
  readonly slots: ReadonlyMap<bigint, bigint>
}

export interface EvmChain {
  readonly id: number
  /** As `eth_getBlockByNumber` tells it. */
  readonly block: ToldBlock & { readonly hash: string; readonly timestamp: string }
  readonly state: Trie
  /** By the account's address, hex. */
  readonly storage: ReadonlyMap<string, Trie>
  readonly codes: ReadonlyMap<string, Uint8Array>
  /** The same state, as code reads it. */
  readonly world: World
}

const hex = (bytes: Uint8Array): string => `0x${toHex(bytes)}`

const quantity = (number: bigint | number): string => `0x${number.toString(16)}`

/** Code that gives for each call the word in the slot that has the hash of the call: so a contract can be made of any answers. */
export const tableCode = fromHex("365f5f37365f20545f5260205ff3")

/** Code that gives these bytes to every call: it copies what stands after it. */
export const constantCode = (bytes: Uint8Array): Uint8Array => {
  const length = bytes.length.toString(16).padStart(4, "0")
  return concat(fromHex(`61${length}61000f60003961${length}6000f3`), bytes)
}

/** Where the code of a table looks for what a call gives. */
export const slotOfCall = (data: string): bigint => BigInt(hex(keccak_256(fromHex(bare(data)))))

const account = (storageRoot: Uint8Array, codeHash: Uint8Array, balance: bigint): Uint8Array =>
  rlp([unsigned(1n), unsigned(balance), storageRoot, codeHash])

/** Accounts of others among which the contracts stand, so that a proof is not of the whole trie. */
const others = Array.from({ length: 300 }, (_, index) => {
  const address = keccak_256(utf8(`somebody ${index}`)).subarray(12)
  return [address, account(emptyRoot, emptyCode, BigInt(index + 1))] as const
})

interface BlockFacts {
  readonly id: number
  readonly number: number
  /** The block's own time, in seconds. */
  readonly seconds: number
}

const blockOver = (stateRoot: Uint8Array, { number, seconds }: BlockFacts): EvmChain["block"] => {
  const members = {
    parentHash: hex(keccak_256(utf8(`${number - 1}`))),
    sha3Uncles: hex(keccak_256(rlp([]))),
    miner: `0x${"00".repeat(20)}`,
    stateRoot: hex(stateRoot),
    transactionsRoot: hex(emptyRoot),
    receiptsRoot: hex(emptyRoot),
    logsBloom: `0x${"00".repeat(256)}`,
    difficulty: "0x0",
    number: quantity(number),
    gasLimit: quantity(30_000_000),
    gasUsed: "0x0",
    timestamp: quantity(seconds),
    extraData: "0x",
    mixHash: `0x${"00".repeat(32)}`,
    nonce: `0x${"00".repeat(8)}`,
    baseFeePerGas: "0x7"
  }
  const isNumber = new Set(["difficulty", "number", "gasLimit", "gasUsed", "timestamp", "baseFeePerGas"])
  const header = rlp(
    Object.entries(members).map(([name, text]) =>
      isNumber.has(name) ? unsigned(BigInt(text)) : fromHex(bare(text))
    )
  )
  return { ...members, hash: hex(keccak_256(header)), transactions: [] }
}

type Named = ReadonlyArray<readonly [hash: string, bytes: Uint8Array]>

const worldIn = (stateRoot: Uint8Array, nodes: Named, codes: Named): World => {
  const of = (all: Named) => {
    const byHash = new Map(all)
    return { get: (hash: Uint8Array) => byHash.get(toHex(hash)) ?? new Uint8Array() }
  }
  return worldOf(stateRoot, of(nodes), of(codes))
}

/** A chain whose newest block has these contracts, by their address, hex. */
export const chainOf = (contracts: ReadonlyMap<string, Contract>, facts: BlockFacts): EvmChain => {
  const storage = new Map(
    [...contracts].map(([address, { slots }]) => [
      address,
      patricia([...slots].map(([slot, word]) => [bytesOfWord(slot), rlp(unsigned(word))] as const))
    ])
  )
  const accounts = [...contracts].map(([address, { code }]) => {
    const root = storage.get(address)?.root ?? emptyRoot
    return [fromHex(address), account(root, keccak_256(code), 0n)] as const
  })
  const state = patricia([...others, ...accounts])
  return {
    id: facts.id,
    block: blockOver(state.root, facts),
    state,
    storage,
    codes: new Map([...contracts].map(([address, { code }]) => [address, code])),
    world: worldIn(
      state.root,
      [state, ...storage.values()].flatMap(({ nodes }) => [...nodes]),
      [...contracts.values()].map(({ code }) => [toHex(keccak_256(code)), code] as const)
    )
  }
}

/** Reads of a trie, in which the nodes on the way are noted. */
const walking = ({ nodes }: Trie) => {
  const way: Array<string> = []
  const blobs: Pick<Blobs, "get"> = {
    get: (hash) => {
      const node = nodes.get(toHex(hash))
      if (node === undefined) throw new Error(`no node ${toHex(hash)}`)
      way.push(hex(node))
      return node
    }
  }
  return { blobs, way }
}

/** The answer to `eth_getProof`. */
export const proofOf = ({ state, storage }: EvmChain, address: string, slots: ReadonlyArray<string>) => {
  const name = bare(address)
  const toAccount = walking(state)
  valueUnder(state.root, fromHex(name), toAccount.blobs)
  const { balance, codeHash, nonce, storageRoot } = accountAt(state.root, fromHex(name), toAccount.blobs)
  return {
    address,
    accountProof: [...new Set(toAccount.way)],
    balance: quantity(balance),
    codeHash: hex(codeHash),
    nonce: quantity(nonce),
    storageHash: hex(storageRoot),
    storageProof: slots.map((key) => {
      const toSlot = walking(storage.get(name) ?? { root: emptyRoot, nodes: new Map() })
      const value = wordAt(storageRoot, fromHex(bare(key)), toSlot.blobs)
      return { key, value: quantity(value), proof: toSlot.way }
    })
  }
}

/** The code of an account, hex after `0x`. */
export const codeOf = ({ codes }: EvmChain, address: string): string =>
  hex(codes.get(bare(address)) ?? new Uint8Array())

/** The result of a call by JSON-RPC that a node of the chain gives; undefined for one that it does not have. */
export const resultAt = (chain: EvmChain, method: string, params: ReadonlyArray<unknown>): unknown => {
  const [first, second] = params
  if (method === "eth_chainId") return quantity(chain.id)
  if (method === "eth_getBlockByNumber") return chain.block
  if (method === "eth_call") return executed(chain, first as View).result
  if (method === "eth_createAccessList")
    return { accessList: executed(chain, first as View).accessList, gasUsed: "0x5208" }
  if (method === "eth_getProof") return proofOf(chain, String(first), second as ReadonlyArray<string>)
  return method === "eth_getCode" ? codeOf(chain, String(first)) : undefined
}

/** What a view gives, and which slots of which accounts its code reads. */
export const executed = ({ block, id, world }: EvmChain, { data, to }: View) => {
  const reads = new Map<string, Set<string>>()
  const slotsOf = (address: Uint8Array): Set<string> => {
    const slots = reads.get(hex(address)) ?? new Set()
    reads.set(hex(address), slots)
    return slots
  }
  const noting: World = {
    account: (address) => {
      slotsOf(address)
      return world.account(address)
    },
    code: (address) => {
      slotsOf(address)
      return world.code(address)
    },
    slot: (address, slot) => {
      slotsOf(address).add(hex(slot))
      return world.slot(address, slot)
    }
  }
  const result = resultOf(
    {
      world: noting,
      meter: meterOf(),
      chain: BigInt(id),
      number: BigInt(String(block["number"])),
      seconds: BigInt(block.timestamp)
    },
    fromHex(bare(to)),
    fromHex(bare(data))
  )
  return {
    result: `0x${result}`,
    accessList: [...reads].map(([address, slots]) => ({ address, storageKeys: [...slots] }))
  }
}
