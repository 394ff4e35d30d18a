/** Verifies a timestamp against given block headers. */
import { equalBytes, Malformed, toHex } from "../bytes.ts"
import { type BitcoinNetwork, type BlockHeader, notMined, parseHeader } from "./bitcoin.ts"
import { attested, type Timestamp } from "./timestamp.ts"

export interface Block {
  readonly height: number
  readonly header: BlockHeader
}

/** What a timestamp proves. */
export type TimestampVerdict =
  | { readonly status: "verified"; readonly block: Block; readonly detail: string }
  /** It names blocks whose headers were not given, so it is neither proved nor refuted. */
  | { readonly status: "unchecked"; readonly heights: ReadonlyArray<number>; readonly detail: string }
  /** No block contains it yet; calendars promise that one will. */
  | { readonly status: "pending"; readonly uris: ReadonlyArray<string>; readonly detail: string }
  /** It ends in attestations of notaries that this verifier does not know, so it says nothing about them. */
  | { readonly status: "unknown"; readonly detail: string }
  | { readonly status: "failed"; readonly detail: string }

/** Heights of the network's blocks that a timestamp names; verification needs their headers. */
export const heightsOf = (timestamp: Timestamp, network: BitcoinNetwork): ReadonlyArray<number> => [
  ...new Set(
    attested(timestamp).flatMap(({ attestation }) =>
      attestation.kind === network ? [attestation.height] : []
    )
  )
]

/**
 * Checks every attestation of the network whose block header is given (160 hex digits, by height). One valid attestation is
 * enough, and the earliest block counts. Fails if none is valid and some block has a different Merkle root.
 */
export const verifyTimestamp = (
  timestamp: Timestamp,
  headers: ReadonlyMap<number, string>,
  network: BitcoinNetwork = "bitcoin"
): TimestampVerdict => {
  const uris: Array<string> = []
  const heights: Array<number> = []
  const blocks: Array<Block> = []
  const broken: Array<string> = []
  let others = 0
  for (const { attestation, message } of attested(timestamp)) {
    if (attestation.kind === "pending") uris.push(attestation.uri)
    else if (attestation.kind !== network) others++
    else {
      const hex = headers.get(attestation.height)
      if (hex === undefined) {
        heights.push(attestation.height)
        continue
      }
      const block = checkBlock(attestation.height, hex, message, network)
      if (typeof block === "string") broken.push(block)
      else blocks.push(block)
    }
  }
  const [block] = blocks.sort((a, b) => a.height - b.height)
  if (block !== undefined) {
    const time = new Date(block.header.time * 1000).toISOString()
    return {
      status: "verified",
      block,
      detail: `existed by ${time} (+- 2 h): Merkle root of ${network} block ${block.height}, ${block.header.hash}`
    }
  }
  if (broken.length > 0) return { status: "failed", detail: broken.join("; ") }
  if (heights.length > 0) {
    return { status: "unchecked", heights, detail: `no header given for block ${heights.join(", ")}` }
  }
  if (uris.length > 0) {
    const calendars = [...new Set(uris)]
    return { status: "pending", uris: calendars, detail: `still pending at ${calendars.join(", ")}` }
  }
  return others > 0
    ? {
        status: "unknown",
        detail: `only notaries that this verifier does not know attest it (${others}); it knows calendars and ${network}`
      }
    : { status: "failed", detail: "the timestamp has no attestation" }
}

const checkBlock = (
  height: number,
  hex: string,
  message: Uint8Array,
  network: BitcoinNetwork
): Block | string => {
  try {
    const header = parseHeader(hex)
    const lack = notMined(header, height, network)
    if (lack !== undefined) return `the header of block ${height} is not valid: ${lack}`
    if (!equalBytes(header.merkleRoot, message)) {
      return `block ${height} has the Merkle root ${toHex(header.merkleRoot)}, but the proof leads to ${toHex(message)}`
    }
    return { height, header }
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    return `the header of block ${height} cannot be read: ${error.message}`
  }
}
