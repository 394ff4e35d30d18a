/** What a run read of Cosmos chains with their proofs: the header, one key of a store, the validators. */
import { Option, Schema } from "effect"
import { ToldHeader } from "../../../plugin/shapes/provedCosmos.ts"
import { fromHex, toHex } from "../../../proof/bytes.ts"
import {
  type CometHeader,
  cosmosProof,
  readTold,
  storeClaim,
  validatorsClaim
} from "../../../proof/chain/cosmosRead.ts"
import type { NumberRead } from "../../../proof/chainEvidence.ts"
import { isNumberOf, numberIn } from "../../../proof/checkChainEvidence.ts"
import type { RowLeaf } from "../../../proof/leaf.ts"
import type { Called } from "../rpcCalls.ts"
import { type ChainRead, orNothing, type Proved, provedOf } from "./read.ts"

const CommitResult = Schema.Struct({ signed_header: Schema.Struct({ header: ToldHeader }) })
const headerIn = Schema.decodeUnknownOption(CommitResult)
const QueryResult = Schema.Struct({
  response: Schema.Struct({
    height: Schema.String,
    key: Schema.NullOr(Schema.String),
    value: Schema.NullOr(Schema.String),
    proofOps: Schema.Struct({
      ops: Schema.Array(Schema.Struct({ type: Schema.String, data: Schema.String }))
    })
  })
})
const queryIn = Schema.decodeUnknownOption(QueryResult)
const queryParams = Schema.decodeUnknownOption(
  Schema.TupleWithRest(Schema.Tuple([Schema.String, Schema.String]), [Schema.Unknown])
)
const ValidatorsResult = Schema.Struct({
  validators: Schema.Array(
    Schema.Struct({
      pub_key: Schema.Struct({ type: Schema.String, value: Schema.String }),
      voting_power: Schema.String
    })
  )
})
const validatorsIn = Schema.decodeUnknownOption(ValidatorsResult)

const Call = Schema.Struct({ method: Schema.Literals(["abci_query", "validators"]), params: Schema.Unknown })
const callIn = Schema.decodeUnknownOption(Schema.fromJsonString(Call))

/** What was asked for at the address of a value; undefined where it was something else. */
const askedAt = (address: string): typeof Call.Type | undefined => {
  const [, fragment = ""] = address.split("#", 2)
  try {
    return Option.getOrUndefined(callIn(decodeURIComponent(fragment)))
  } catch {
    return undefined
  }
}

/** The module and the key, hex, that a query asked for. */
const keyOf = (params: unknown): readonly [store: string, key: string] | undefined => {
  const named = queryParams(params)
  if (Option.isNone(named)) return undefined
  const [path, key] = named.value
  const store = /^\/store\/([^/]+)\/key$/.exec(path)?.[1]
  return store === undefined ? undefined : [store, key.toLowerCase()]
}

const balanceReads: ReadonlyArray<NumberRead> = Array.from({ length: 25 }, (_, decimals) => decimals).flatMap(
  (decimals) => [
    { as: "digits", decimals },
    { as: "coin", decimals }
  ]
)

/** The proof of a balance in what a query told under a header. */
const balance = (
  header: CometHeader,
  [store, key]: readonly [store: string, key: string],
  response: (typeof QueryResult.Type)["response"],
  leaf: RowLeaf
): Proved | undefined =>
  orNothing(() => {
    const claim = storeClaim(header, store, fromHex(key), response)
    const value = claim.value === null ? null : fromHex(claim.value)
    const form = balanceReads.find((one) => {
      const number = numberIn(one, value)
      return number !== undefined && isNumberOf(number, leaf)
    })
    if (form === undefined) return undefined
    const proof = cosmosProof(header, [claim], leaf.simulated === true)
    return provedOf({ proof, key, ...form }, proof, leaf)
  })

/** The calls of the node that told a header, as far as they are under it. */
const readOf = (commit: Called, calls: ReadonlyArray<Called>): ReadonlyArray<ChainRead> => {
  const result = headerIn(commit.result)
  if (commit.method !== "commit" || Option.isNone(result)) return []
  const header = orNothing(() => readTold(result.value.signed_header.header))
  if (header === undefined) return []
  const beside = calls.filter(({ url }) => url === commit.url)
  const queries = beside.flatMap(({ method, params, result }) => {
    const key = method === "abci_query" ? keyOf(params) : undefined
    const response = Option.getOrUndefined(queryIn(result))?.response
    return key === undefined || response?.height !== String(header.number - 1) ? [] : [{ key, response }]
  })
  const validators = beside.flatMap(({ method, params, result }) =>
    method === "validators" && Array.isArray(params) && params[0] === String(header.number)
      ? (Option.getOrUndefined(validatorsIn(result))?.validators ?? [])
      : []
  )
  const ofValidators = (leaf: RowLeaf): Proved | undefined =>
    orNothing(() => {
      const claim = validatorsClaim(header, validators)
      const proof = cosmosProof(header, [claim], leaf.simulated === true)
      return provedOf({ proof, key: "", as: "digits", decimals: 0 }, proof, leaf)
    })
  return [
    {
      block: { chain: header.chain, number: header.number, hash: toHex(header.header.hash) },
      prove: (address, leaf) => {
        const call = askedAt(address)
        if (call?.method === "validators") return ofValidators(leaf)
        const [store, key] = (call === undefined ? undefined : keyOf(call.params)) ?? []
        const query = queries.find((one) => one.key[0] === store && one.key[1] === key)
        return query === undefined ? undefined : balance(header, query.key, query.response, leaf)
      }
    }
  ]
}

/** The proofs among the calls of a run. */
export const cosmosReads = (calls: ReadonlyArray<Called>): ReadonlyArray<ChainRead> =>
  calls.flatMap((call) => readOf(call, calls))
