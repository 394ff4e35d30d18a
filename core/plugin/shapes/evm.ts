/** Contracts of an EVM chain, read over JSON-RPC. */
import { Effect } from "effect"
import * as Upstream from "../Upstream.ts"
import { readOnce } from "./evmReads.ts"

export { Quantity, Word } from "./evmAnswers.ts"
export { answerOf, type Read, readOnce, reads, type View, type Views } from "./evmReads.ts"

/**
 * Calls functions of a contract that take nothing and give one unsigned integer, at the newest block of the first of the nodes `urls` that
 * is there, with the chain's own proof where one of them gives it (`reads`). `selectors` are the first four bytes of the functions' hashes.
 * `as_of` is the block's time.
 */
export const uints = Effect.fnUntraced(function* <const Name extends string>(
  urls: ReadonlyArray<string>,
  contract: string,
  selectors: { readonly [K in Name]: `0x${string}` }
) {
  const names = Object.keys(selectors) as Array<Name>
  const { answer, as_of } = yield* readOnce(urls, {
    views: names.map((name) => ({ to: contract, data: selectors[name] }))
  })
  const values = Object.fromEntries(names.map((name, index) => [name, BigInt(answer.body[index] ?? "")]))
  return { answer, values: values as Record<Name, bigint>, as_of }
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
