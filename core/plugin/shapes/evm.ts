/** Contracts of an EVM chain, read over JSON-RPC. */
import { Effect, Schema } from "effect"
import * as Upstream from "../Upstream.ts"
import { firstOf } from "./gateways.ts"

/** What a node says of a contract that it does not know, as one that is behind. */
const unknownHere = "0x: the node knows no such function at this address"

/** What a function of 32 bytes gives. */
export const Word = Schema.String.check(
  Schema.makeFilter((text) => text !== "0x" || unknownHere, {}, true),
  Schema.isPattern(/^0x[0-9a-fA-F]{64}$/)
)

/** Whether one node did not know a contract, which another may know: for `firstOf`. Where none does, the contract has changed. */
export const isUnknownHere = (error: Upstream.UpstreamError): boolean =>
  error._tag === "UpstreamChanged" && error.detail.includes(unknownHere)

/** A number of a block or of a receipt. */
export const Quantity = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{1,16}$/))

/**
 * Calls functions of a contract that take nothing and give one unsigned integer, together with the newest block, in
 * one batch, at the first of the nodes `urls` that is there (`firstOf` of gateways.ts). `selectors` are the first four bytes
 * of the functions' hashes. `as_of` is the block's time.
 */
export const uints = Effect.fnUntraced(function* <const Name extends string>(
  urls: ReadonlyArray<string>,
  contract: string,
  selectors: { readonly [K in Name]: `0x${string}` }
) {
  const names = Object.keys(selectors) as Array<Name>
  const calls = names.map((name) => ({
    method: "eth_call",
    params: [{ to: contract, data: selectors[name] }, "latest"],
    result: Word
  }))
  const block = {
    method: "eth_getBlockByNumber",
    params: ["latest", false],
    result: Schema.Struct({ timestamp: Quantity })
  }
  const answer = yield* firstOf(urls, (url) => Upstream.rpc(url, [block, ...calls]), isUnknownHere)
  const [{ timestamp }, ...words] = answer.body
  const values = Object.fromEntries(names.map((name, index) => [name, BigInt(words[index] ?? "")]))
  return { answer, values: values as Record<Name, bigint>, as_of: Number(timestamp) * 1000 }
})

/**
 * Like `uints`, as one answer: an object of what each function gives, as decimal text, and of the block's `timestamp` in seconds.
 * `{name}` in an address is a setting.
 */
export const contract = Effect.fnUntraced(function* (
  urls: ReadonlyArray<string>,
  address: string,
  selectors: Readonly<Record<string, `0x${string}`>>
) {
  const nodes = yield* Effect.forEach(urls, Upstream.filled)
  const { answer, as_of, values } = yield* uints(nodes, address, selectors)
  const numbers = Object.entries(values).map(([name, value]) => [name, String(value)] as const)
  return { ...answer, body: { ...Object.fromEntries(numbers), timestamp: as_of / 1000 } }
})
