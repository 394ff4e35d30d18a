/** Who signed a block of CometBFT, as a node tells it: the commit of a height, and all validators of it. */
import { Effect, Option, Schema } from "effect"
import { ToldHeader, validatorsCall } from "../../core/plugin/shapes/provedCosmos.ts"
import { Malformed, toHex } from "../../core/proof/bytes.ts"
import type { ToldValidator } from "../../core/proof/chain/cosmosHeader.ts"
import { readTold } from "../../core/proof/chain/cosmosRead.ts"
import { commitEvidence } from "../../core/proof/finality/commitRead.ts"
import type { ChainNode, SignedBlock } from "../../core/publications/looks/ChainNodes.ts"
import { call, demandChain, silent } from "./chainCall.ts"

const Commit = Schema.Struct({
  signed_header: Schema.Struct({
    header: ToldHeader,
    commit: Schema.Struct({
      height: Schema.String,
      round: Schema.Natural,
      block_id: Schema.Struct({
        hash: Schema.String,
        parts: Schema.Struct({ total: Schema.Natural, hash: Schema.String })
      }),
      signatures: Schema.Array(
        Schema.Struct({
          block_id_flag: Schema.Int,
          validator_address: Schema.String,
          timestamp: Schema.String,
          signature: Schema.NullOr(Schema.String)
        })
      )
    })
  })
})

/** Pages of validators, of 100 each: a commit has at most 300. */
const mostPages = 3

/** All validators of a height, who sign its commit. */
const validatorsAt = Effect.fnUntraced(function* (node: ChainNode, number: number, count: number) {
  const all: Array<ToldValidator> = []
  for (let page = 1; page <= mostPages && all.length < count; page++) {
    const { method, params, result } = validatorsCall(number, page)
    all.push(...(yield* call(node, method, params, result)).validators)
  }
  return all
})

/** As the port has it. */
export const cometFinality = Effect.fnUntraced(function* (node: ChainNode, number: number) {
  const { signed_header } = yield* call(node, "commit", { height: String(number) }, Commit)
  const { commit, header } = signed_header
  yield* demandChain(`cosmos:${header.chain_id}` === node.chain)
  const validators = yield* validatorsAt(node, number, commit.signatures.length)
  return yield* Effect.try({
    try: () => {
      const read = readTold(header)
      return Option.some<SignedBlock>({
        block: { number: read.number, hash: toHex(read.header.hash), header: toHex(read.bytes) },
        evidence: commitEvidence(commit, validators)
      })
    },
    catch: (error) => {
      if (error instanceof Malformed) return silent(`it gave a commit that cannot be read: ${error.message}`)
      throw error
    }
  })
})
