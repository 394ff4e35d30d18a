/**
 * What the state of a block has, by the chain's own proof. The block is pinned by its hash, so that the proof of any node counts: the
 * one that is read is asked first, and then the others of the run.
 */
import { Effect, Option, Schema } from "effect"
import { Malformed } from "../../proof/bytes.ts"
import { provedState } from "../../proof/chain/readProof.ts"
import { runtimeKey } from "../../proof/chain/substrateKeys.ts"
import * as Upstream from "../Upstream.ts"
import { Alternatives } from "./gateways.ts"

/** Bytes as `0x…`. */
export const Hex = Schema.String.check(Schema.isPattern(/^0x([0-9a-fA-F]{2})*$/))

const Header = Schema.Struct({
  parentHash: Hex,
  number: Schema.String,
  stateRoot: Hex,
  extrinsicsRoot: Hex,
  digest: Schema.Struct({ logs: Schema.Array(Hex) })
})

const Proof = Schema.Struct({ at: Hex, proof: Schema.Array(Hex) })

/** Read with the others: it says what their bytes mean. */
export const lastRuntimeUpgrade = `0x${runtimeKey}`

/** A missing proof must not cost the run its time. */
const patience = "15 seconds"

/** Values by their key, in lower case; null where the state has none. */
export type Values = ReadonlyMap<string, Uint8Array | null>

export interface Proved {
  /** The answer that proves every value; absent where no node proves all of them. */
  readonly answer?: Upstream.Answer<unknown>
  /** Those that are proved, some where not all are. */
  readonly values: Values
  /** Why not all are proved. Absent also where a recording has no such answer. */
  readonly unproved?: string
}

/** What is asked for a proof: the first block, which names the chain, the header of this one, and the nodes. */
export const proofCalls = (keys: ReadonlyArray<string>, block: string) =>
  [
    { method: "chain_getBlockHash", params: [0], result: Hex },
    { method: "chain_getHeader", params: [block], result: Header },
    { method: "state_getReadProof", params: [withRuntime(keys), block], result: Proof }
  ] as const

/** The keys of a proof that is asked for these. */
const withRuntime = (keys: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set([...keys, lastRuntimeUpgrade])
]

const isOfBatch = (error: Upstream.UpstreamError): boolean =>
  error._tag === "UpstreamRefused" && /\bbatch/i.test(`${error.detail} ${error.said ?? ""}`)

/** The header and the nodes, in one batch, or one after another where the host refuses batches. */
const request = Effect.fnUntraced(function* (url: string, keys: ReadonlyArray<string>, block: string) {
  const calls = proofCalls(keys, block)
  const batch = yield* Effect.result(Upstream.rpc(url, calls))
  if (batch._tag === "Success") {
    const [, header, { proof }] = batch.success.body
    return { answer: batch.success, header, proof }
  }
  if (!isOfBatch(batch.failure)) return yield* batch.failure
  const [genesis, ofBlock, ofState] = calls
  const answer = yield* Upstream.rpc(url, [ofState])
  const { body } = yield* Upstream.rpc(url, [ofBlock])
  yield* Upstream.rpc(url, [genesis])
  return { answer, header: body[0], proof: answer.body[0].proof }
})

/** The values that nodes of a trie prove; throws `Malformed` where they are no proof of this block. */
const valuesIn = (
  block: string,
  header: typeof Header.Type,
  nodes: ReadonlyArray<string>,
  keys: ReadonlyArray<string>
): Values => {
  const state = provedState({ hash: block, header, nodes })
  const values = new Map<string, Uint8Array | null>()
  for (const key of keys) {
    try {
      values.set(key.toLowerCase(), state.valueAt(key) ?? null)
    } catch (error) {
      if (!(error instanceof Malformed && error.reason === "missing")) throw error
    }
  }
  return values
}

const reasonOf = (error: Upstream.UpstreamError): string | undefined =>
  error._tag === "UpstreamUnreachable" && error.detail === Upstream.notRecorded
    ? undefined
    : `serves no proof: ${error.detail}`

/** What one node proves. */
const provedBy = Effect.fnUntraced(function* (url: string, keys: ReadonlyArray<string>, block: string) {
  const outcome = yield* Effect.result(Effect.timeoutOption(request(url, keys, block), patience))
  if (outcome._tag === "Failure") return { values: new Map(), reason: reasonOf(outcome.failure) }
  if (Option.isNone(outcome.success)) return { values: new Map(), reason: `gave no proof within ${patience}` }
  const { answer, header, proof } = outcome.success.value
  const all = withRuntime(keys)
  try {
    const values = valuesIn(block, header, proof, all)
    return values.size === all.length
      ? { values, answer }
      : { values, reason: `gave a proof that lacks ${all.length - values.size} of ${all.length} keys` }
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    return { values: new Map(), reason: `gave a proof that does not hold: ${error.message}` }
  }
})

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

/** What the state of a block has under these keys, as far as a node proves it. Never fails: a value may be read without a proof. */
export const provedAt = Effect.fnUntraced(function* (
  url: string,
  keys: ReadonlyArray<string>,
  block: string
) {
  const others = (yield* Alternatives).filter((other) => other !== url)
  const values = new Map<string, Uint8Array | null>()
  const reasons: Array<string> = []
  for (const node of [url, ...others]) {
    const one: {
      readonly answer?: Upstream.Answer<unknown>
      readonly values: Values
      readonly reason?: string | undefined
    } = yield* provedBy(node, keys, block)
    if (one.answer !== undefined) return { answer: one.answer, values: one.values } satisfies Proved
    for (const [key, value] of one.values) values.set(key, value)
    if (one.reason !== undefined) reasons.push(`${hostOf(node)} ${one.reason}`)
  }
  return {
    values,
    ...(reasons.length === 0 ? {} : { unproved: reasons.join("; ").slice(0, 300) })
  } satisfies Proved
})
