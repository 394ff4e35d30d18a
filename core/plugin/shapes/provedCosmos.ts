/**
 * What is staked on a Cosmos chain and how many validators sign its blocks, by the chain's own proofs, over the RPC of its nodes: the balance of
 * the module that holds what is bonded is one key of the bank's store, and the header commits to the validators. The state of height H is
 * under the header of H + 1. The gateways of a chain (LCD) give no proof.
 */
import { Effect, Option, Schema } from "effect"
import { equalBytes, fromHex, Malformed, toHex } from "../../proof/bytes.ts"
import { coinAmount, digits } from "../../proof/chain/cosmosNumbers.ts"
import {
  balanceKey,
  type CometHeader,
  moduleAccount,
  readTold,
  storeClaim,
  toldValue,
  validatorsClaim
} from "../../proof/chain/cosmosRead.ts"
import { contradicted } from "../notes.ts"
import * as Upstream from "../Upstream.ts"

/** A chain whose state is asked for. */
interface StakingChain {
  /** The chain's own name for itself, which stands in each header. */
  readonly id: string
  /** Addresses of RPC by different operators. */
  readonly rpc: ReadonlyArray<string>
  /** The denomination that is bonded; without it the stake is not read. */
  readonly denom?: string | undefined
}

const Text = Schema.String

const Query = Schema.Struct({
  response: Schema.Struct({
    code: Schema.optionalKey(Schema.Int),
    log: Schema.optionalKey(Text),
    height: Text,
    key: Schema.NullOr(Text),
    value: Schema.NullOr(Text),
    proofOps: Schema.optionalKey(
      Schema.NullOr(Schema.Struct({ ops: Schema.Array(Schema.Struct({ type: Text, data: Text })) }))
    )
  })
})

/** The header as `commit` tells it. */
export const ToldHeader = Schema.Struct({
  version: Schema.Struct({ block: Text, app: Schema.optionalKey(Text) }),
  chain_id: Text,
  height: Text,
  time: Text,
  last_block_id: Schema.Struct({ hash: Text, parts: Schema.Struct({ total: Schema.Int, hash: Text }) }),
  last_commit_hash: Text,
  data_hash: Text,
  validators_hash: Text,
  next_validators_hash: Text,
  consensus_hash: Text,
  app_hash: Text,
  last_results_hash: Text,
  evidence_hash: Text,
  proposer_address: Text
})

const Commit = Schema.Struct({ signed_header: Schema.Struct({ header: ToldHeader }) })

const Validators = Schema.Struct({
  block_height: Text,
  validators: Schema.Array(
    Schema.Struct({ pub_key: Schema.Struct({ type: Text, value: Text }), voting_power: Text })
  ),
  total: Text
})

/** Validators of a page, as many as nodes give. */
const pageSize = 100
const mostPages = 20

/** A missing proof must not cost the run its time. */
const patience = "15 seconds"

/** The store and the module account that hold what is bonded. */
export const bondedKey = (denom: string): Uint8Array => balanceKey(moduleAccount("bonded_tokens_pool"), denom)

/** What is asked of a node for what is bonded, at the newest state that has a header. */
export const stakeCall = (denom: string) => ({
  method: "abci_query",
  params: ["/store/bank/key", toHex(bondedKey(denom)), "0", true],
  result: Query
})

/** What is asked for the header of a height, or for the newest. */
export const headerCall = (height: number | undefined) => ({
  method: "commit",
  params: height === undefined ? [] : [String(height)],
  result: Commit
})

/** What is asked for a page of the validators of a height. */
export const validatorsCall = (height: number, page: number) => ({
  method: "validators",
  params: [String(height), String(page), String(pageSize)],
  result: Validators
})

const ask = <S extends Schema.ConstraintDecoder<unknown>>(
  url: string,
  {
    method,
    params,
    result
  }: { readonly method: string; readonly params: ReadonlyArray<unknown>; readonly result: S }
) => Upstream.call(url, method, params, result)

/** One thing that a chain proves, with the answer that has it. */
export interface Proved<A> {
  readonly answer: Upstream.Answer<unknown>
  readonly value: A
  /** When the header was made, epoch milliseconds. */
  readonly time: number
  /** The address that asks for the same at the newest height. */
  readonly read_url: string
}

/** What one node proves, and why not all. */
interface OfNode {
  readonly stake?: Proved<bigint>
  readonly validators?: Proved<number>
  readonly reasons: ReadonlyArray<string>
}

interface ProvedStaking extends Omit<OfNode, "reasons"> {
  /** Why not all is proved. Absent also where a recording has no such answer. */
  readonly unproved?: string
}

/** The address of the validators of the newest height. */
const newestValidators = (url: string): string =>
  Upstream.addressOf(Upstream.post(url, { jsonrpc: "2.0", id: 1, method: "validators", params: [] }))

/** All validators of a height. */
const validatorsAt = Effect.fnUntraced(function* (url: string, height: number) {
  const first = yield* ask(url, validatorsCall(height, 1))
  const all = [...first.body.validators]
  for (let page = 2; page <= mostPages && all.length < Number(first.body.total); page++)
    all.push(...(yield* ask(url, validatorsCall(height, page))).body.validators)
  return { answer: first, all }
})

/** A recording has the proofs of all nodes that were asked, or of none. */
const isNotRecorded = (error: Upstream.UpstreamError): boolean =>
  error._tag === "UpstreamUnreachable" && error.detail === Upstream.notRecorded

/** The result of reading what a node told, or why it is no proof. */
const attempt = <A>(work: () => A): { readonly value: A } | { readonly reason: string } => {
  try {
    return { value: work() }
  } catch (error) {
    if (error instanceof Malformed) return { reason: `gave a proof that does not hold: ${error.message}` }
    throw error
  }
}

const inWords = (value: Uint8Array | undefined): string =>
  value === undefined ? "nothing" : `0x${toHex(value)}`

const isSame = (one: Uint8Array | undefined, other: Uint8Array | undefined): boolean =>
  one === undefined || other === undefined ? one === other : equalBytes(one, other)

/** The header of a height, or the newest; a failure where it is of another chain. */
const headerAt = Effect.fnUntraced(function* (url: string, { id }: StakingChain, height: number | undefined) {
  const { body } = yield* ask(url, headerCall(height))
  return attempt(() => {
    const header = readTold(body.signed_header.header)
    if (header.chain !== `cosmos:${id}`) throw new Malformed(`the header is of ${header.chain}`, "origin")
    if (height !== undefined && header.number !== height)
      throw new Malformed(`the header is of height ${header.number}, not ${height}`, "contradiction")
    return header
  })
})

/** What is bonded, by the state under a header. Fails where the proof holds and the node itself says something else. */
const stakeUnder = Effect.fnUntraced(function* (
  header: CometHeader,
  answer: Upstream.Answer<typeof Query.Type>,
  denom: string
) {
  const reported = answer.body.response
  const claim = attempt(() => storeClaim(header, "bank", bondedKey(denom), reported))
  if ("reason" in claim) return claim
  const value = claim.value.value === null ? undefined : fromHex(claim.value.value)
  const own = attempt(() => toldValue(reported))
  if ("reason" in own || !isSame(own.value, value))
    return yield* new Upstream.UpstreamChanged({
      request: `POST ${answer.url} abci_query`,
      path: "bank",
      detail: `${contradicted}the node says ${"reason" in own ? "no bytes" : inWords(own.value)}, and the state under block ${header.number} has ${inWords(value)}, as its proof shows`
    })
  const amount = value === undefined ? undefined : (digits(value) ?? coinAmount(value))
  return amount === undefined
    ? { reason: "gave a proof of something that is no balance" }
    : { value: { answer, value: amount, time: header.time, read_url: answer.read_url } }
})

/** What one node proves of a chain. */
const provedBy = Effect.fnUntraced(function* (url: string, chain: StakingChain) {
  const { denom } = chain
  const query = denom === undefined ? undefined : yield* ask(url, stakeCall(denom))
  const { code = 0, height = "0", log = "" } = query?.body.response ?? {}
  if (query !== undefined && (code !== 0 || !/^[1-9]\d{0,14}$/.test(height)))
    return {
      reasons: [`serves no proof: ${log === "" ? `a state of height ${height}` : log}`]
    } satisfies OfNode
  const header = yield* headerAt(url, chain, query === undefined ? undefined : Number(height) + 1)
  if ("reason" in header) return { reasons: [header.reason] } satisfies OfNode
  const stake =
    query === undefined || denom === undefined ? undefined : yield* stakeUnder(header.value, query, denom)
  const reported = yield* validatorsAt(url, header.value.number)
  const validators = attempt(() => validatorsClaim(header.value, reported.all))
  return {
    ...(stake !== undefined && "value" in stake ? { stake: stake.value } : {}),
    ...("value" in validators
      ? {
          validators: {
            answer: reported.answer,
            value: reported.all.length,
            time: header.value.time,
            read_url: newestValidators(url)
          }
        }
      : {}),
    reasons: [stake, validators].flatMap((one) => (one !== undefined && "reason" in one ? [one.reason] : []))
  } satisfies OfNode
})

const isContradiction = (error: Upstream.UpstreamError): boolean =>
  error._tag === "UpstreamChanged" && error.detail.startsWith(contradicted)

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

/**
 * What the chain's own proofs say of its stake and validators, from the first node that proves all that is asked for. A missing proof is
 * no failure; a proof that holds beside another word of the node itself is `UpstreamChanged`.
 */
export const provedStaking = Effect.fnUntraced(function* (chain: StakingChain) {
  const reasons: Array<string> = []
  let best: ProvedStaking = {}
  for (const url of chain.rpc) {
    const outcome = yield* Effect.result(Effect.timeoutOption(provedBy(url, chain), patience))
    if (outcome._tag === "Failure" && isContradiction(outcome.failure)) return yield* outcome.failure
    if (outcome._tag === "Failure" && isNotRecorded(outcome.failure)) break
    const one: OfNode =
      outcome._tag === "Failure"
        ? { reasons: [`serves no proof: ${outcome.failure.detail}`] }
        : Option.getOrElse(outcome.success, () => ({ reasons: [`gave no proof within ${patience}`] }))
    const { reasons: why, ...proved } = one
    best = { ...proved, ...best }
    if (best.validators !== undefined && (chain.denom === undefined || best.stake !== undefined)) return best
    reasons.push(...why.map((reason) => `${hostOf(url)} ${reason}`))
  }
  return reasons.length === 0 ? best : { ...best, unproved: reasons.join("; ").slice(0, 300) }
})
