/** The bootstrap and the finality update of a light client, as nodes of the beacon chain tell them, as evidence. */
import { concat, fromHex, Malformed, toHex } from "../bytes.ts"
import { bare } from "../chain/hexes.ts"
import { demand } from "../check.ts"
import { type Attested, committeeRoot } from "./attested.ts"
import type { BeaconHeader } from "./beacon.ts"
import { isOfOnePeriod, type NextCommittee } from "./nextCommittee.ts"
import { chunk, pair, rootOver, uint64 } from "./ssz.ts"
import { type SyncEvidence, syncKind } from "./syncCommittee.ts"

/** A header as nodes tell it: numbers in decimal digits, roots in hex after `0x`. */
interface ToldBeaconHeader {
  readonly slot: string
  readonly proposer_index: string
  readonly parent_root: string
  readonly state_root: string
  readonly body_root: string
}

interface ToldLightHeader {
  readonly beacon: ToldBeaconHeader
  /** The header of the execution payload. */
  readonly execution: Readonly<Record<string, string>>
  readonly execution_branch: ReadonlyArray<string>
}

interface ToldCommittee {
  readonly pubkeys: ReadonlyArray<string>
  readonly aggregate_pubkey: string
}

/** `/eth/v1/beacon/light_client/bootstrap/{root}` */
export interface ToldBootstrap {
  readonly header: Pick<ToldLightHeader, "beacon">
  readonly current_sync_committee: ToldCommittee
  readonly current_sync_committee_branch: ReadonlyArray<string>
}

interface ToldAttested {
  readonly attested_header: Pick<ToldLightHeader, "beacon">
  readonly finalized_header: Pick<ToldLightHeader, "beacon">
  readonly finality_branch: ReadonlyArray<string>
  readonly sync_aggregate: { readonly sync_committee_bits: string; readonly sync_committee_signature: string }
  readonly signature_slot: string
}

/** `/eth/v1/beacon/light_client/finality_update` */
export interface ToldUpdate extends ToldAttested {
  readonly finalized_header: ToldLightHeader
}

/** One of `/eth/v1/beacon/light_client/updates` */
export interface ToldPeriod extends ToldAttested {
  readonly next_sync_committee: ToldCommittee
  readonly next_sync_committee_branch: ReadonlyArray<string>
}

const whole = (text: string): number => {
  demand(/^(0|[1-9]\d{0,14})$/.test(text), "not a whole number")
  return Number(text)
}

const headerOf = ({
  body_root,
  parent_root,
  proposer_index,
  slot,
  state_root
}: ToldBeaconHeader): BeaconHeader => ({
  slot: whole(slot),
  proposer_index: whole(proposer_index),
  parent_root: bare(parent_root),
  state_root: bare(state_root),
  body_root: bare(body_root)
})

/** A number of 256 bits as a chunk. */
const uint256 = (text: string): Uint8Array => {
  demand(/^(0|[1-9]\d{0,77})$/.test(text), "not a whole number")
  return fromHex(BigInt(text).toString(16).padStart(64, "0"), 32).reverse()
}

/** The members of the header of an execution payload, each as its root, in their order. */
const payloadChunks = (payload: ToldLightHeader["execution"]): ReadonlyArray<Uint8Array> => {
  const text = (name: string): string => {
    const value = payload[name]
    if (value === undefined) throw new Malformed(`the execution payload has no ${name}`)
    return value
  }
  const bytes = (name: string) => fromHex(bare(text(name)))
  const number = (name: string) => uint64(whole(text(name)))
  const bloom = bytes("logs_bloom")
  const extra = bytes("extra_data")
  demand(bloom.length === 256 && extra.length <= 32, "the execution payload has another form")
  return [
    bytes("parent_hash"),
    chunk(bytes("fee_recipient")),
    bytes("state_root"),
    bytes("receipts_root"),
    rootOver(
      Array.from({ length: 8 }, (_, at) => bloom.subarray(at * 32, at * 32 + 32)),
      8
    ),
    bytes("prev_randao"),
    ...["block_number", "gas_limit", "gas_used", "timestamp"].map(number),
    pair(chunk(extra), uint64(extra.length)),
    uint256(text("base_fee_per_gas")),
    bytes("block_hash"),
    bytes("transactions_root"),
    bytes("withdrawals_root"),
    ...(payload["blob_gas_used"] === undefined ? [] : ["blob_gas_used", "excess_blob_gas"].map(number))
  ]
}

/** The place of the block's hash among them. */
const hashPlace = 12

/** From one of the chunks to the root over them. */
const branchFrom = (chunks: ReadonlyArray<Uint8Array>, place: number): ReadonlyArray<string> => {
  const width = chunks.length > 16 ? 32 : 16
  const empty = new Uint8Array(32)
  let layer = Array.from({ length: width }, (_, at) => chunks[at] ?? empty)
  const branch: Array<string> = []
  for (let at = place; layer.length > 1; at >>= 1) {
    branch.push(toHex(layer[at ^ 1] ?? empty))
    layer = Array.from({ length: layer.length / 2 }, (_, of) =>
      pair(layer[of * 2] ?? empty, layer[of * 2 + 1] ?? empty)
    )
  }
  return branch
}

/** The hash of an execution block, and the branch from it to the root of its payload. Throws `Malformed`. */
export const payloadBranch = (
  payload: ToldLightHeader["execution"]
): { readonly hash: string; readonly branch: ReadonlyArray<string> } => {
  const chunks = payloadChunks(payload)
  return { hash: toHex(chunks[hashPlace] ?? new Uint8Array()), branch: branchFrom(chunks, hashPlace) }
}

const keysIn = ({ aggregate_pubkey, pubkeys }: ToldCommittee) => ({
  keys: pubkeys.map((key) => fromHex(bare(key), 48)),
  aggregate: fromHex(bare(aggregate_pubkey), 48)
})

const attestedIn = (update: ToldAttested): Attested => ({
  attested: headerOf(update.attested_header.beacon),
  finalized: headerOf(update.finalized_header.beacon),
  finality_branch: update.finality_branch.map(bare),
  bits: bare(update.sync_aggregate.sync_committee_bits),
  signature: bare(update.sync_aggregate.sync_committee_signature),
  signature_slot: whole(update.signature_slot)
})

/** The committee of the next period, as a node tells it of this one; undefined where it has nothing final of this one. Throws `Malformed`. */
export const nextIn = (update: ToldPeriod): NextCommittee | undefined => {
  const attested = attestedIn(update)
  return isOfOnePeriod(attested)
    ? {
        ...attested,
        committee: toHex(committeeRoot(keysIn(update.next_sync_committee))),
        branch: update.next_sync_committee_branch.map(bare)
      }
    : undefined
}

/** The evidence of the two. Throws `Malformed` where they are none; that it holds `demandFinal` says. */
export const syncEvidence = (bootstrap: ToldBootstrap, update: ToldUpdate): SyncEvidence => {
  const { execution, execution_branch } = update.finalized_header
  const { branch, hash } = payloadBranch(execution)
  const { aggregate, keys } = keysIn(bootstrap.current_sync_committee)
  return {
    kind: syncKind,
    header: headerOf(bootstrap.header.beacon),
    committee: {
      keys: toHex(concat(...keys)),
      aggregate: toHex(aggregate),
      branch: bootstrap.current_sync_committee_branch.map(bare)
    },
    ...attestedIn(update),
    execution: { hash, branch: [...branch, ...execution_branch.map(bare)] }
  }
}
