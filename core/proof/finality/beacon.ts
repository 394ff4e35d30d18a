/** Beacon chains whose sync committees are read, and what is signed on them. */
import { concat, fromHex, Malformed } from "../bytes.ts"
import { exactly } from "../chain/hexes.ts"
import * as s from "../shape.ts"
import { chunk, pair, rootOver, uint64 } from "./ssz.ts"

/** A header of the beacon chain, its roots in hex. */
export interface BeaconHeader {
  readonly slot: number
  readonly proposer_index: number
  readonly parent_root: string
  readonly state_root: string
  readonly body_root: string
}

export const beaconHeader = s.nested<BeaconHeader>("a header of the beacon chain", {
  slot: s.count,
  proposer_index: s.count,
  parent_root: s.hash,
  state_root: s.hash,
  body_root: s.hash
})

/** Where things stand in the trees of a fork: generalized indices. */
interface Fork {
  /** Its first epoch. */
  readonly epoch: number
  /** Signed with each message, hex. */
  readonly version: string
  /** Of the sync committee, of that of the next period, and of the root of the final block, in the state. */
  readonly committee: number
  readonly next: number
  readonly finalized: number
  /** Of the hash of the execution block in the body. */
  readonly execution: number
}

export interface Beacon {
  /** Hex. */
  readonly genesisValidatorsRoot: string
  readonly forks: ReadonlyArray<Fork>
}

/** By the CAIP-2 name of the chain of execution. Capella, Deneb, Electra and Fulu: before Capella there is no execution block below a light client's header. */
export const beacons: ReadonlyMap<string, Beacon> = new Map([
  [
    "eip155:1",
    {
      genesisValidatorsRoot: "4b363db94e286120d76eb905340fdd4e54bfe9f06bf33ff6cf5ad27f511bfe95",
      forks: [
        { epoch: 194048, version: "03000000", committee: 54, next: 55, finalized: 105, execution: 412 },
        { epoch: 269568, version: "04000000", committee: 54, next: 55, finalized: 105, execution: 812 },
        { epoch: 364032, version: "05000000", committee: 86, next: 87, finalized: 169, execution: 812 },
        { epoch: 411392, version: "06000000", committee: 86, next: 87, finalized: 169, execution: 812 }
      ]
    }
  ]
])

const slotsOfEpoch = 32

/** Slots for which a committee signs. */
export const slotsOfPeriod = 8192

/** The fork of a slot. Throws `Malformed` for one before those that are read. */
export const forkAt = ({ forks }: Beacon, slot: number): Fork => {
  const fork = forks.findLast(({ epoch }) => epoch * slotsOfEpoch <= slot)
  if (fork === undefined) throw new Malformed(`slot ${slot} is before the forks that are read`)
  return fork
}

export const headerRoot = ({
  body_root,
  parent_root,
  proposer_index,
  slot,
  state_root
}: BeaconHeader): Uint8Array =>
  rootOver(
    [
      uint64(slot),
      uint64(proposer_index),
      ...[parent_root, state_root, body_root].map((text) => exactly("a root", text, 32))
    ],
    8
  )

/** What a committee signs of a header of the beacon chain, by the fork of the slot before its signature. */
export const signingRoot = (beacon: Beacon, header: BeaconHeader, signatureSlot: number): Uint8Array => {
  const { version } = forkAt(beacon, Math.max(signatureSlot, 1) - 1)
  const fork = pair(chunk(fromHex(version)), fromHex(beacon.genesisValidatorsRoot))
  return pair(headerRoot(header), concat(fromHex("07000000"), fork.subarray(0, 28)))
}
