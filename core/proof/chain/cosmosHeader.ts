/** Headers and validators of CometBFT as nodes tell them, and as they are hashed. */
import { concat, fromBase64, fromHex, Malformed, utf8 } from "../bytes.ts"
import { demand } from "../check.ts"
import { bytes, message, number, prefixed } from "./protoWriter.ts"

/** Hashes of a header, in the order in which they are hashed. */
const hashNames = [
  "last_commit_hash",
  "data_hash",
  "validators_hash",
  "next_validators_hash",
  "consensus_hash",
  "app_hash",
  "last_results_hash",
  "evidence_hash",
  "proposer_address"
] as const

/** A header as `commit` of a node tells it: numbers in decimal digits, bytes in hex. */
export interface ToldCometHeader extends Readonly<Record<(typeof hashNames)[number], string>> {
  readonly version: { readonly block: string; readonly app?: string }
  readonly chain_id: string
  readonly height: string
  readonly time: string
  readonly last_block_id: {
    readonly hash: string
    readonly parts: { readonly total: number; readonly hash: string }
  }
}

/** A validator as `validators` of a node tells it. */
export interface ToldValidator {
  readonly pub_key: { readonly type: string; readonly value: string }
  readonly voting_power: string
}

const whole = (text: string): bigint => {
  demand(/^(0|[1-9]\d{0,18})$/.test(text), "not a whole number")
  return BigInt(text)
}

const hexOf = (text: string): Uint8Array => fromHex(text.toLowerCase())

const timeForm = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?Z$/

/** A time as it is hashed and signed: seconds, and nanoseconds beside them. Throws `Malformed`. */
export const encodeTime = (time: string): Uint8Array => {
  const [, seconds, fraction = ""] = timeForm.exec(time) ?? []
  const at = Date.parse(`${seconds}Z`)
  if (seconds === undefined || Number.isNaN(at)) throw new Malformed("not a time")
  return concat(number(1, BigInt(at / 1000)), number(2, BigInt(fraction.padEnd(9, "0"))))
}

const blockId = ({ hash, parts }: ToldCometHeader["last_block_id"]): Uint8Array => {
  demand(Number.isSafeInteger(parts.total) && parts.total >= 0, "a block has parts")
  return concat(
    bytes(1, hexOf(hash)),
    message(2, concat(number(1, BigInt(parts.total)), bytes(2, hexOf(parts.hash))))
  )
}

/** The members of a header, each as it is hashed. Throws `Malformed`. */
export const headerMembers = (header: ToldCometHeader): ReadonlyArray<Uint8Array> => [
  concat(number(1, whole(header.version.block)), number(2, whole(header.version.app ?? "0"))),
  bytes(1, utf8(header.chain_id)),
  number(1, whole(header.height)),
  encodeTime(header.time),
  blockId(header.last_block_id),
  ...hashNames.map((name) => bytes(1, hexOf(header[name])))
]

/** The bytes of a header, as a proof has them. Throws `Malformed`. */
export const encodeCometHeader = (header: ToldCometHeader): Uint8Array =>
  concat(...headerMembers(header).map(prefixed))

/** The number of a kind of key in the message of a public key. */
const keyFields: Readonly<Record<string, number>> = {
  "tendermint/PubKeyEd25519": 1,
  "tendermint/PubKeySecp256k1": 2
}

/** A validator as the header hashes it. Throws `Malformed`. */
export const encodeValidator = ({ pub_key, voting_power }: ToldValidator): Uint8Array => {
  const field = keyFields[pub_key.type]
  if (field === undefined) throw new Malformed(`a validator has a key of another kind: ${pub_key.type}`)
  return concat(message(1, message(field, fromBase64(pub_key.value))), number(2, whole(voting_power)))
}
