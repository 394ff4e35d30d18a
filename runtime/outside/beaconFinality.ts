/** Who signed a block of Ethereum: the sync committee, by the beacon chain's API of the operator whose node is asked for the rest. */
import { Effect, Option, Schema } from "effect"
import { Malformed, toHex } from "../../core/proof/bytes.ts"
import { encodeHeader, type ToldBlock } from "../../core/proof/chain/evmHeader.ts"
import { periodOf } from "../../core/proof/finality/attested.ts"
import { slotsOfPeriod } from "../../core/proof/finality/beacon.ts"
import { finalBlockOf, historyQuestion } from "../../core/proof/finality/historyRead.ts"
import { nextIn, syncEvidence } from "../../core/proof/finality/syncRead.ts"
import type { ChainNode, SignedBlock } from "../../core/publications/looks/ChainNodes.ts"
import { call, demandChain, get, getFirst, silent } from "./chainCall.ts"

const Text = Schema.String
const Branch = Schema.Array(Text)

const BeaconHeader = Schema.Struct({
  slot: Text,
  proposer_index: Text,
  parent_root: Text,
  state_root: Text,
  body_root: Text
})

const Committee = Schema.Struct({ pubkeys: Schema.Array(Text), aggregate_pubkey: Text })

const attested = {
  attested_header: Schema.Struct({ beacon: BeaconHeader }),
  finality_branch: Branch,
  sync_aggregate: Schema.Struct({ sync_committee_bits: Text, sync_committee_signature: Text }),
  signature_slot: Schema.String.check(Schema.isPattern(/^\d{1,12}$/))
}

const Update = Schema.Struct({
  ...attested,
  finalized_header: Schema.Struct({
    beacon: BeaconHeader,
    execution: Schema.Record(Text, Text),
    execution_branch: Branch
  })
})

const Period = Schema.Struct({
  ...attested,
  finalized_header: Schema.Struct({ beacon: BeaconHeader }),
  next_sync_committee: Committee,
  next_sync_committee_branch: Branch
})

const Bootstrap = Schema.Struct({
  header: Schema.Struct({ beacon: BeaconHeader }),
  current_sync_committee: Committee,
  current_sync_committee_branch: Branch
})

const Root = Schema.Struct({ root: Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{64}$/)) })

const Quantity = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{1,16}$/))
const Block = Schema.Record(Text, Schema.Unknown)
const State = Schema.Struct({
  accountProof: Branch,
  storageProof: Schema.Array(Schema.Struct({ proof: Branch }))
})

const path = "/eth/v1/beacon"

/** Slots of a period that are asked for a block with its committee: where one has none, the next epoch's first may. */
const tried = [0, 32, 64, 96]

/** The committee of the period of a slot, with one of the first blocks of that period, so that all of its days name the same. */
const bootstrapOf = Effect.fnUntraced(function* (beacon: string, slot: number) {
  const first = periodOf(slot) * slotsOfPeriod
  const roots = tried.map((after) => get(beacon, `${path}/headers/${first + after}`, Root))
  const { root } = yield* Effect.firstSuccessOf(roots)
  return yield* get(beacon, `${path}/light_client/bootstrap/${root}`, Bootstrap)
})

/** Who is in the committee after that of a slot, as far as the node has that signed. It leads to later documents, and this one does without. */
const nextOf = (beacon: string, slot: number) =>
  getFirst(beacon, `${path}/light_client/updates?start_period=${periodOf(slot)}&count=1`, Period).pipe(
    Effect.orElseSucceed(Option.none)
  )

const hexOf = (number: number): string => `0x${number.toString(16)}`

/** What the final block keeps of an earlier one. */
const historyAt = Effect.fnUntraced(function* (node: ChainNode, final: number, earlier: number) {
  const { account, slot } = historyQuestion(earlier)
  const state = yield* call(node, "eth_getProof", [account, [slot], hexOf(final)], State)
  return [...state.accountProof, ...state.storageProof.flatMap(({ proof }) => proof)]
})

const bareHash = (block: ToldBlock): string => String(block["hash"]).replace(/^0x/, "")

/** As the port has it; none where the operator's line names no beacon API. */
export const beaconFinality = Effect.fnUntraced(function* (node: ChainNode, number: number) {
  const { beacon } = node
  if (beacon === undefined) return Option.none<SignedBlock>()
  yield* demandChain(node.chain === `eip155:${BigInt(yield* call(node, "eth_chainId", [], Quantity))}`)
  const update = yield* get(beacon, `${path}/light_client/finality_update`, Update)
  const bootstrap = yield* bootstrapOf(beacon, Number(update.signature_slot))
  const period = yield* nextOf(beacon, Number(update.signature_slot))
  const final = Number(update.finalized_header.execution["block_number"])
  if (!(final >= number))
    return yield* silent(`block ${number} is not final: the newest that is has number ${final}`)
  const block = yield* call(node, "eth_getBlockByNumber", [hexOf(number), false], Block)
  const later =
    final === number
      ? undefined
      : {
          block: yield* call(node, "eth_getBlockByNumber", [hexOf(final), false], Block),
          nodes: yield* historyAt(node, final, number)
        }
  return yield* Effect.try({
    try: () => {
      const header = encodeHeader(block)
      const hash = bareHash(block)
      const next = Option.isNone(period) ? undefined : nextIn(period.value)
      const evidence = { ...syncEvidence(bootstrap, update), ...(next === undefined ? {} : { next }) }
      return Option.some<SignedBlock>({
        block: { number, hash, header: toHex(header) },
        evidence:
          later === undefined
            ? evidence
            : { ...evidence, final: finalBlockOf(later.block, later.nodes, { number, hash }) }
      })
    },
    catch: (error) => {
      if (error instanceof Malformed) return silent(`it gave something that cannot be read: ${error.message}`)
      throw error
    }
  })
})
