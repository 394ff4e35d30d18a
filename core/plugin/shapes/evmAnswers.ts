/** What nodes of EVM chains answer over JSON-RPC. */
import { Schema } from "effect"
import * as Upstream from "../Upstream.ts"

/** What a node says of a contract that it does not know, as one that is behind. */
const unknownHere = "0x: the node knows no such function at this address"

/** What a function of 32 bytes gives. */
export const Word = Schema.String.check(
  Schema.makeFilter((text) => text !== "0x" || unknownHere, {}, true),
  Schema.isPattern(/^0x[0-9a-fA-F]{64}$/)
)

/** A number of a block or of a receipt. */
export const Quantity = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{1,16}$/))

/** Whether one node did not know a contract or a block, which another may know: for `firstOf`. */
export const isUnknownHere = (error: Upstream.UpstreamError): boolean =>
  (error._tag === "UpstreamChanged" && error.detail.includes(unknownHere)) || isUnknownBlock(error)

/** Whether a node did not know a block by its hash: one behind the same address may. */
export const isUnknownBlock = (error: Upstream.UpstreamError): boolean =>
  error._tag === "UpstreamRefused" &&
  /header not found|unknown block|block not found|header for hash|hash .* not found/i.test(error.detail)

/** Bytes as `0x…`. */
export const Bytes = Schema.String.check(Schema.isPattern(/^0x([0-9a-fA-F]{2})*$/))

/** A slot, or a hash. */
const Bytes32 = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{64}$/))

/** A block with all of its members, which make up its header. */
export const Block = Schema.StructWithRest(
  Schema.Struct({ hash: Bytes32, number: Upstream.maybe(Quantity), timestamp: Quantity }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

export type Block = typeof Block.Type

/** What a call reads (EIP-2930): the account that is called is among them only where slots of it are. */
export const Access = Schema.Struct({
  accessList: Schema.Array(Schema.Struct({ address: Bytes, storageKeys: Schema.Array(Bytes32) }))
})

const Nodes = Schema.Array(Bytes)

/** EIP-1186. What else the node says there, the nodes say better. */
export const AccountProof = Schema.Struct({
  accountProof: Nodes,
  storageProof: Schema.Array(Schema.Struct({ proof: Nodes }))
})
