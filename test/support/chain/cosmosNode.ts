/** Nodes of Cosmos chains that speak JSON-RPC over real stores, and what goes wrong with them. Written from the documentation of CometBFT's RPC. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { type Request, UpstreamUnreachable } from "../../../core/plugin/Upstream.ts"
import { fromBase64, toBase64, utf8 } from "../../../core/proof/bytes.ts"
import type { CosmosChain } from "../../../runtime/tape/cosmosChain.ts"

export type Fault =
  /** Answers queries without a proof, as nodes behind some proxies. */
  | "no proofs"
  /** Never answers. */
  | "late"
  /** Cuts the proof of the store. */
  | "cut"
  /** Gives the header of another height. */
  | "another block"
  /** Leaves a validator out. */
  | "another set"
  /** Says another value beside the proof. */
  | "another value"
  /** Knows no block that is as new as its state. */
  | "behind"

interface RpcCall {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

const error = (code: number, message: string, data: string) => ({ error: { code, message, data } })

const queryOf = ({ query }: CosmosChain, fault: Fault | undefined) => {
  const { response } = query
  if (fault === "no proofs") {
    const { proofOps: _, ...bare } = response
    return { response: { ...bare, proofOps: null } }
  }
  if (fault === "another value") return { response: { ...response, value: toBase64(utf8("1")) } }
  if (fault !== "cut") return query
  const [first, ...rest] = response.proofOps.ops
  const cut =
    first === undefined ? [] : [{ ...first, data: toBase64(fromBase64(first.data).subarray(0, 60)) }]
  return { response: { ...response, proofOps: { ops: [...cut, ...rest] } } }
}

/** What a node of the chain answers to a call. */
export const resultOf = (chain: CosmosChain, { method, params }: Omit<RpcCall, "id">, fault?: Fault) => {
  if (method === "abci_query") return { result: queryOf(chain, fault) }
  if (method === "commit") {
    if (fault === "behind")
      return error(
        -32603,
        "Internal error",
        "height must be less than or equal to the current blockchain height"
      )
    const { header } = chain
    return {
      result: {
        ...chain.commit,
        signed_header: {
          ...chain.commit.signed_header,
          header: fault === "another block" ? { ...header, height: "7" } : header
        }
      }
    }
  }
  if (method === "validators") {
    const result = chain.validators(Number(params[1] ?? 1), Number(params[2] ?? 30))
    return {
      result: fault === "another set" ? { ...result, validators: result.validators.slice(1) } : result
    }
  }
  return error(-32601, "Method not found", method)
}

export interface NodeOptions {
  readonly chain: CosmosChain
  readonly fault?: Fault
}

/** What other addresses answer to a GET: JSON by address, such as those of gateways. */
export type Gateways = Readonly<Record<string, unknown>>

/** What a node answers to the body of a POST. */
export const answerOf = ({ chain, fault }: NodeOptions, body: string): string => {
  const call: RpcCall = JSON.parse(body)
  return JSON.stringify({ jsonrpc: "2.0", id: call.id, ...resultOf(chain, call, fault) })
}

/** Nodes by their address as an `Upstream`, with the methods that were asked for. */
export const cosmosNodes = (
  byUrl: Readonly<Record<string, NodeOptions>>,
  gateways: Gateways = {},
  at = Date.parse("2026-09-05T11:00:00Z")
) => {
  const requests: Array<string> = []
  const answer = (request: Request): string | undefined => {
    const node = byUrl[request.url]
    return node === undefined ? JSON.stringify(gateways[request.url]) : answerOf(node, request.body ?? "")
  }
  const exchange = (request: Request) =>
    Effect.suspend(() => {
      const node = byUrl[request.url]
      const method = node === undefined ? "GET" : String(JSON.parse(request.body ?? "{}").method)
      requests.push(`${new URL(request.url).host} ${method}`)
      if (node?.fault === "late") return Effect.never
      const reply = answer(request)
      if (reply === undefined)
        return Effect.fail(new UpstreamUnreachable({ request: request.url, detail: "no such host" }))
      const body = utf8(reply)
      return Effect.succeed({
        request,
        status: 200,
        headers: { "content-type": "application/json", date: new Date(at).toUTCString() },
        body,
        sha256: createHash("sha256").update(body).digest("hex"),
        at
      })
    })
  return { requests, exchange, at }
}
