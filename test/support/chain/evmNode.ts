/** Nodes of an EVM chain that speak JSON-RPC over real tries, and what goes wrong with them. */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { type Request, type Target, Upstream, UpstreamUnreachable } from "../../../core/plugin/Upstream.ts"
import { type EvmChain, proofOf, resultAt } from "../../../runtime/tape/evmChain.ts"

export type EvmFault =
  /** Does not have `eth_getProof`, as many public nodes. */
  | "no proofs"
  /** Does not say beforehand what a call reads. */
  | "no access lists"
  /** Says that calls read nothing. */
  | "empty access lists"
  /** Refuses batches with a proof, and answers others. */
  | "no batches"
  /** Never answers a request for a proof. */
  | "late"
  /** Has no answer to a request for a proof, as one that is larger than is taken. */
  | "too large"
  /** Leaves nodes of the tries out. */
  | "cut"
  /** Gives the block with another number. */
  | "another block"
  /** Gives the proof of another contract. */
  | "other contract"
  /** Changes a byte of each node. */
  | "damaged"
  /** Has another code than the account. */
  | "other code"
  /** Says that every call gives 9. */
  | "another value"
  /** Does not know the block by its hash. */
  | "behind"

interface RpcCall {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

export interface EvmNode {
  readonly chain: EvmChain
  readonly faults?: ReadonlyArray<EvmFault>
}

const error = (code: number, message: string) => ({ error: { code, message } })

const damaged = (node: string): string => `${node.slice(0, -1)}${node.endsWith("0") ? "1" : "0"}`

const nine = `0x${"9".padStart(64, "0")}`

const otherContract = `0x${"77".repeat(20)}`

const proofBy = (
  chain: EvmChain,
  [account, slots]: ReadonlyArray<unknown>,
  has: (fault: EvmFault) => boolean
) => {
  if (has("no proofs")) return error(-32601, "the method eth_getProof does not exist/is not available")
  const proof = proofOf(
    chain,
    has("other contract") ? otherContract : String(account),
    slots as ReadonlyArray<string>
  )
  const change = (nodes: ReadonlyArray<string>): ReadonlyArray<string> => {
    if (has("damaged")) return nodes.map(damaged)
    return has("cut") ? nodes.slice(0, -1) : nodes
  }
  return {
    result: {
      ...proof,
      accountProof: change(proof.accountProof),
      storageProof: proof.storageProof.map((one) => ({ ...one, proof: change(one.proof) }))
    }
  }
}

const replyOf = ({ chain, faults = [] }: EvmNode, { method, params }: RpcCall) => {
  const has = (fault: EvmFault) => faults.includes(fault)
  const at = params.at(-1)
  if (has("behind") && typeof at === "object") return error(-32000, "header not found")
  if (method === "eth_getProof") return proofBy(chain, params, has)
  if (method === "eth_createAccessList" && has("no access lists")) return error(-32601, "Method not found")
  if (method === "eth_createAccessList" && has("empty access lists")) return { result: { accessList: [] } }
  if (method === "eth_call" && has("another value")) return { result: nine }
  if (method === "eth_getCode" && has("other code")) return { result: "0x00" }
  if (method === "eth_getBlockByNumber" && has("another block"))
    return { result: { ...chain.block, number: "0x7" } }
  const result = resultAt(chain, method, params)
  return result === undefined ? error(-32601, "Method not found") : { result }
}

/** What a node answers to the body of a POST; undefined where it never does. */
export const answerOf = (node: EvmNode, body: string): string | undefined => {
  const calls: RpcCall | ReadonlyArray<RpcCall> = JSON.parse(body)
  const { faults = [] } = node
  const wantsProof = body.includes("eth_getProof") || body.includes("eth_createAccessList")
  if (wantsProof && faults.includes("late")) return undefined
  if (wantsProof && faults.includes("no batches"))
    return JSON.stringify({
      jsonrpc: "2.0",
      id: null,
      ...error(-32005, "eth_getProof in batch triggered rate limit")
    })
  const reply = (call: RpcCall) => ({ jsonrpc: "2.0", id: call.id, ...replyOf(node, call) })
  return JSON.stringify("method" in calls ? reply(calls) : calls.map(reply))
}

/** Nodes by their address as an `Upstream`, with the methods that each request calls for. */
export const evmNodesOf = (
  byUrl: Readonly<Record<string, EvmNode>>,
  {
    at = Date.parse("2026-09-05T11:00:00Z"),
    settings = {},
    targets = []
  }: {
    readonly at?: number
    readonly settings?: Readonly<Record<string, string>>
    readonly targets?: ReadonlyArray<Target>
  } = {}
) => {
  const requests: Array<string> = []
  const exchange = (request: Request) =>
    Effect.suspend(() => {
      const node = byUrl[request.url]
      const body = request.body ?? ""
      const calls: RpcCall | ReadonlyArray<RpcCall> = JSON.parse(body)
      const methods = ("method" in calls ? [calls] : calls).map(({ method }) => method.replace("eth_", ""))
      const counts = [...Map.groupBy(methods, (method) => method)].map(
        ([method, { length }]) => `${method} x${length}`
      )
      requests.push(`${new URL(request.url).host} ${counts.join(" + ")}`)
      if (node === undefined)
        return Effect.fail(new UpstreamUnreachable({ request: request.url, detail: "no such node" }))
      if (node.faults?.includes("too large") === true && body.includes("eth_getProof"))
        return Effect.fail(new UpstreamUnreachable({ request: request.url, detail: "too large" }))
      const text = answerOf(node, body)
      if (text === undefined) return Effect.never
      const bytes = new TextEncoder().encode(text)
      return Effect.succeed({
        request,
        at,
        status: 200,
        headers: {},
        sha256: createHash("sha256").update(bytes).digest("hex"),
        body: bytes
      })
    })
  return { requests, layer: Layer.succeed(Upstream, Upstream.of({ now: at, targets, settings, exchange })) }
}
