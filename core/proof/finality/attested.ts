/** What a sync committee signs: a block of the beacon chain whose state has a final one. */
import { fromHex } from "../bytes.ts"
import { exactly } from "../chain/hexes.ts"
import { demand } from "../check.ts"
import * as s from "../shape.ts"
import {
  type Beacon,
  type BeaconHeader,
  beaconHeader,
  forkAt,
  headerRoot,
  signingRoot,
  slotsOfPeriod
} from "./beacon.ts"
import { demandSignature, keyOf } from "./bls.ts"
import { chunk, demandBranch, pair, rootOver } from "./ssz.ts"

/** Of a committee. */
export const members = 512

export interface Attested {
  /** What the committee signed. */
  readonly attested: BeaconHeader
  readonly finalized: BeaconHeader
  /** From the root of the final block to the attested state. */
  readonly finality_branch: ReadonlyArray<string>
  /** Who signed: a bit of each key, hex. */
  readonly bits: string
  readonly signature: string
  readonly signature_slot: number
}

export const attestedMembers = {
  attested: beaconHeader,
  finalized: beaconHeader,
  finality_branch: s.listOf(s.hash),
  bits: s.text,
  signature: s.text,
  signature_slot: s.count
} satisfies s.Shape<Attested>

/** Who may sign in a period. */
export interface Committee {
  readonly period: number
  /** 48 bytes each. */
  readonly keys: ReadonlyArray<Uint8Array>
  /** Their sum. */
  readonly aggregate: Uint8Array
}

export const periodOf = (slot: number): number => Math.floor(slot / slotsOfPeriod)

const keyRoot = (key: Uint8Array): Uint8Array => pair(key.subarray(0, 32), chunk(key.subarray(32)))

/** The root by which states name a committee. */
export const committeeRoot = ({ aggregate, keys }: Omit<Committee, "period">): Uint8Array =>
  pair(rootOver(keys.map(keyRoot), members), keyRoot(aggregate))

const demandSlots = ({ attested, finalized, signature_slot }: Attested, { period }: Committee): void => {
  demand(
    periodOf(signature_slot) === period,
    "the signature is of the period of another committee",
    "contradiction"
  )
  demand(
    signature_slot > attested.slot && attested.slot >= finalized.slot,
    "the slots are out of order",
    "contradiction"
  )
}

/** How many of a committee signed. Throws `Malformed` unless two thirds did, and what they signed has the final block. */
export const demandAttested = (statement: Attested, committee: Committee, beacon: Beacon): number => {
  const { attested, finality_branch, finalized, signature, signature_slot } = statement
  const { aggregate, keys } = committee
  demandSlots(statement, committee)
  const bits = exactly("the bits of who signed", statement.bits, members / 8)
  const absent = keys.filter((_, at) => (((bits[at >> 3] ?? 0) >> (at & 7)) & 1) === 0)
  const signers = members - absent.length
  demand(signers * 3 >= members * 2, `${signers} of ${members} signed, and two thirds must`, "missing")
  demandBranch(
    "the final block",
    headerRoot(finalized),
    finality_branch,
    forkAt(beacon, attested.slot).finalized,
    fromHex(attested.state_root)
  )
  demandSignature(
    // The sum of all is in the state, too: what few did not sign is sooner taken away than what many signed is added.
    absent.length * 2 < members
      ? keyOf([aggregate], absent)
      : keyOf(
          keys.filter((key) => !absent.includes(key)),
          []
        ),
    signingRoot(beacon, attested, signature_slot),
    exactly("a signature", signature, 96)
  )
  return signers
}
