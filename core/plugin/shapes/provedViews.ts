/** Proofs of what views of contracts give at one block: what is asked for, and what came of it. */
import { Option, Result, type Schema } from "effect"
import { Malformed } from "../../proof/bytes.ts"
import { blobIn, callsAt, type ProvedCalls, type View, type Witness } from "../../proof/chain/evmRead.ts"
import { type Lacking, Lacks } from "../../proof/chain/evmWorld.ts"
import { isArbitrum } from "../../proof/chain/rollups.ts"
import type * as Upstream from "../Upstream.ts"
import { Access, AccountProof, Block, Bytes, Quantity, Word } from "./evmAnswers.ts"

/** What one batch reads. */
export interface Views {
  readonly views: ReadonlyArray<View>
  /** Of what each gives. Default: a word. */
  readonly result?: Schema.Codec<string, string>
}

/** A block of a chain by its hash (EIP-1898), which no reorganisation makes another. */
export const atBlock = (hash: string) => ({ blockHash: hash })

export type BlockName = "latest" | ReturnType<typeof atBlock>

/** Slots of accounts, hex after `0x`; of each account its code is read as well. */
export type Reads = Map<string, Set<string>>

const add = (reads: Reads, account: string, slots: ReadonlyArray<string> = []): void => {
  const of = reads.get(account.toLowerCase()) ?? new Set<string>()
  for (const slot of slots) of.add(slot.toLowerCase())
  reads.set(account.toLowerCase(), of)
}

/** The accounts that are called, of which nothing else is known yet. */
export const readsOf = (views: ReadonlyArray<View>): Reads => {
  const reads: Reads = new Map()
  for (const { to } of views) add(reads, to)
  return reads
}

/** Asks a node what the code of these views reads. */
const accessCalls = (views: ReadonlyArray<View>, block: BlockName) =>
  views.map((view) => ({ method: "eth_createAccessList", params: [view, block], result: Access }))

/** What a node answered to one call of a batch. */
export type Reply = Result.Result<
  string | typeof Access.Type | typeof AccountProof.Type | Block,
  Upstream.UpstreamError
>

/** What they read as a node says: a hint, since what is missing is asked for later. */
export const addAccess = (reads: Reads, replies: ReadonlyArray<Reply>): void => {
  for (const reply of replies.flatMap((one) => Option.toArray(Result.getSuccess(one))))
    if (typeof reply !== "string" && "accessList" in reply)
      for (const { address, storageKeys } of (reply as typeof Access.Type).accessList)
        add(reads, address, storageKeys)
}

/** Calls of one request for what no batch had. */
export const mostAsked = 50

/** Slots of accounts that are asked for in one such request: of each a node gives some kilobytes. */
const mostSlots = 500

type ProofCall = Upstream.Call<typeof AccountProof> | Upstream.Call<typeof Bytes>

const slotsIn = ({ method, params }: ProofCall): number =>
  method === "eth_getProof" && Array.isArray(params[1]) ? params[1].length : 0

/** Calls in the requests that ask for them. */
export const portions = (calls: ReadonlyArray<ProofCall>): ReadonlyArray<ReadonlyArray<ProofCall>> => {
  const all: Array<Array<ProofCall>> = []
  let slots = 0
  for (const call of calls) {
    const last = all.at(-1)
    slots += slotsIn(call)
    if (last === undefined || last.length === mostAsked || slots > mostSlots) {
      all.push([call])
      slots = slotsIn(call)
    } else last.push(call)
  }
  return all
}

/** Asks for the nodes that prove these. */
export const proofCalls = (reads: Reads, hash: string): ReadonlyArray<Upstream.Call<typeof AccountProof>> =>
  [...reads].map(([account, slots]) => ({
    method: "eth_getProof",
    params: [account, [...slots], atBlock(hash)],
    result: AccountProof
  }))

/**
 * Asks for codes, in an order that is the same in each run. Nothing of the answer is of the block: where nothing else is asked for, it has the
 * same bytes in each run, and is stored once.
 */
export const codeCalls = (
  accounts: ReadonlySet<string>,
  hash: string
): ReadonlyArray<Upstream.Call<typeof Bytes>> =>
  [...accounts].sort().map((account) => ({
    method: "eth_getCode",
    params: [account, atBlock(hash)],
    result: Bytes
  }))

/** What pins the newest block: it, its chain, and what the views of the first batch read. */
export const pinCalls = (first: ReadonlyArray<View>) =>
  [
    blockCall,
    { method: "eth_chainId", params: [], result: Quantity },
    ...accessCalls(first, "latest")
  ] as const

export const blockCall = { method: "eth_getBlockByNumber", params: ["latest", false], result: Block }

/** What a batch asks for: its views, their proof, and what the views of the next one read. */
export const batchCalls = (
  { result = Word, views }: Views,
  reads: Reads,
  hash: string,
  after: ReadonlyArray<View>
) => ({
  values: views.map((view) => ({ method: "eth_call", params: [view, atBlock(hash)], result })),
  proof: proofCalls(reads, hash),
  access: accessCalls(after, atBlock(hash))
})

/** The nodes of a proof, or the code, that an answer has; of an access list neither. */
const addReply = (witness: Witness, reply: Result.Result.Success<Reply>): void => {
  if (typeof reply === "string") witness.codes.add(blobIn(reply, "code"))
  else if ("accountProof" in reply) {
    const { accountProof, storageProof } = reply as typeof AccountProof.Type
    // Slots of one account have most of their nodes together.
    for (const node of new Set([...accountProof, ...storageProof.flatMap(({ proof }) => proof)]))
      witness.nodes.add(blobIn(node, "node"))
  }
}

/** Takes in what a node told; gives why it told nothing, where it refused, or gave what no proof can have. */
export const addProof = (witness: Witness, replies: ReadonlyArray<Reply>): string | undefined => {
  let refusal: string | undefined
  for (const reply of replies) {
    if (Result.isFailure(reply)) refusal ??= `serves no proof: ${reply.failure.detail}`
    else {
      try {
        addReply(witness, reply.success)
      } catch (error) {
        if (!(error instanceof Malformed)) throw error
        refusal ??= `gave what is no proof: ${error.message}`
      }
    }
  }
  return refusal
}

/** What the state of the block says of views. */
export type Verdict =
  | { readonly is: "proved" }
  | { readonly is: "lacking"; readonly reads: Reads; readonly codes: ReadonlySet<string> }
  | { readonly is: "unproved"; readonly why: string }
  | { readonly is: "contradicted"; readonly view: View; readonly state: string }

const readOf = (reads: Reads, { account, slot }: Lacking): void =>
  add(reads, `0x${account}`, slot === undefined ? [] : [`0x${slot}`])

/** The state that was told of a block, as one proof reads it, or why it proves nothing. */
export const stateOf = (chain: string, block: Block, witness: Witness): ProvedCalls | string => {
  try {
    return callsAt(witness, { chain, block })
  } catch (error) {
    if (error instanceof Malformed)
      return error.reason === "hash" && isArbitrum(chain)
        ? "headers of Arbitrum do not have their hash by any rule that is known here, so nothing is proved by them"
        : error.message
    throw error
  }
}

/** Executes views over a state, and compares what they give with what a node says that they do. */
export const judged = (
  state: ProvedCalls,
  views: ReadonlyArray<View>,
  words: ReadonlyArray<string>
): Verdict => {
  const reads: Reads = new Map()
  const codes = new Set<string>()
  let why: string | undefined
  for (const [at, view] of views.entries()) {
    try {
      const gives = `0x${state.call(view)}`
      if (gives !== words[at]?.toLowerCase()) return { is: "contradicted", view, state: gives }
    } catch (error) {
      if (error instanceof Lacks) {
        const { account, code } = error.lacking
        if (code === true) codes.add(`0x${account}`)
        else readOf(reads, error.lacking)
      } else if (error instanceof Malformed) why ??= `${view.to} ${view.data.slice(0, 10)}: ${error.message}`
      else throw error
    }
  }
  if (why !== undefined) return { is: "unproved", why }
  return reads.size + codes.size === 0 ? { is: "proved" } : { is: "lacking", reads, codes }
}

/** Reads of several batches together. */
export const together = (all: ReadonlyArray<Reads>): Reads => {
  const reads: Reads = new Map()
  for (const one of all) for (const [account, slots] of one) add(reads, account, [...slots])
  return reads
}

/** How many accounts and slots they are. */
export const sizeOf = (reads: Reads): number =>
  [...reads.values()].reduce((sum, { size }) => sum + 1 + size, 0)
