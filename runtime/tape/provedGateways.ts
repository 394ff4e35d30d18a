/**
 * Proofs of what a recording has of a Cosmos chain by its gateway: the demo tells of a chain whose stores and validators are exactly
 * those. No such chain exists, and its documents say that they are simulated.
 */
import { createHash } from "node:crypto"
import { Option, Schema } from "effect"
import { headerCall, stakeCall, validatorsCall } from "../../core/plugin/shapes/provedCosmos.ts"
import { type Call, type Exchange, rpcRequest } from "../../core/plugin/Upstream.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { utf8 } from "../../core/proof/bytes.ts"
import { cosmosChain } from "./cosmosChain.ts"

/** The chain that the demo proves, as the plugin cosmos-staking reads it: one is enough to see how it works. */
const demo = {
  id: "regen-1",
  denom: "uregen",
  rpc: "https://regen-rpc.publicnode.com/",
  staking: "https://regen-rest.publicnode.com/cosmos/staking/v1beta1"
} as const

/** Milliseconds from block to block. */
const blockTime = 6000

const perPage = 100

const decoder = new TextDecoder()

const Pool = Schema.Struct({ pool: Schema.Struct({ bonded_tokens: Schema.String }) })
const poolIn = Schema.decodeUnknownOption(Schema.fromJsonString(Pool))
const List = Schema.Struct({ pagination: Schema.Struct({ total: Schema.String }) })
const listIn = Schema.decodeUnknownOption(Schema.fromJsonString(List))

/** An exchange in which a node gives a result. */
const answer = (
  read: Exchange,
  url: string,
  call: Pick<Call<never>, "method" | "params">,
  result: unknown
): Exchange => {
  const body = utf8(JSON.stringify({ jsonrpc: "2.0", id: 1, result }))
  const sha256 = createHash("sha256").update(body).digest("hex")
  return { ...read, request: rpcRequest(url, [call]), status: 200, body, sha256 }
}

/** The exchanges with those in which a node of that chain proves what its gateway says; the same where the recording has none of it. */
export const withGateways = (exchanges: ReadonlyArray<Exchange>, now: number): ReadonlyArray<Exchange> => {
  const { denom, id, rpc, staking } = demo
  const pool = exchanges.find(({ request }) => request.url === `${staking}/pool`)
  const list = exchanges.find(({ request }) => request.url.startsWith(`${staking}/validators?`))
  if (pool === undefined || list === undefined) return exchanges
  const staked = Option.getOrUndefined(poolIn(decoder.decode(pool.body)))
  const listed = Option.getOrUndefined(listIn(decoder.decode(list.body)))
  if (staked === undefined || listed === undefined) return exchanges
  const height = Math.floor(now / blockTime)
  const validators = Number(listed.pagination.total)
  const proved = cosmosChain({
    id,
    height,
    time: isoTime(Date.parse(pool.headers["date"] ?? "") || now),
    validators,
    stake: { denom, amount: staked.pool.bonded_tokens }
  })
  const pages = Array.from({ length: Math.max(1, Math.ceil(validators / perPage)) }, (_, index) => index + 1)
  return [
    ...exchanges,
    answer(pool, rpc, stakeCall(denom), proved.query),
    answer(pool, rpc, headerCall(height + 1), proved.commit),
    ...pages.map((page) =>
      answer(pool, rpc, validatorsCall(height + 1, page), proved.validators(page, perPage))
    )
  ]
}
