/** Contracts of an EVM chain, read over JSON-RPC. */
import { Effect } from "effect"
import * as Upstream from "../Upstream.ts"
import { answerOf, readOnce } from "./evmReads.ts"

export { Quantity, Word } from "./evmAnswers.ts"
export {
  answerOf,
  besideViews,
  type Read,
  readOnce,
  reads,
  type View,
  type Views
} from "./evmReads.ts"

type Selectors<Name extends string> = { readonly [K in Name]: `0x${string}` }

/** What functions of a contract give that take nothing, in the order of their names. */
const functions = <Name extends string>(
  urls: ReadonlyArray<string>,
  contract: string,
  selectors: Selectors<Name>
) => {
  const names = Object.keys(selectors) as Array<Name>
  const views = names.map((name) => ({ to: contract, data: selectors[name] }))
  return Effect.map(readOnce(urls, { views }), (read) => ({
    read,
    values: names.map((name, at) => [name, BigInt(read.answer.body[at] ?? "")] as const)
  }))
}

/**
 * Calls functions of a contract that take nothing and give one unsigned integer, at the newest block of the first of the nodes `urls` that
 * is there, with the chain's own proof where one of them gives it (`reads`). `selectors` are the first four bytes of the functions' hashes.
 * `as_of` is the block's time.
 */
export const uints = Effect.fnUntraced(function* <const Name extends string>(
  urls: ReadonlyArray<string>,
  contract: string,
  selectors: Selectors<Name>
) {
  const { read, values } = yield* functions(urls, contract, selectors)
  return {
    answer: read.answer,
    values: Object.fromEntries(values) as Record<Name, bigint>,
    as_of: read.as_of
  }
})

/**
 * Like `uints`, as one answer: an object of what each function gives, as decimal text, and of the block's `timestamp` in seconds.
 * `{name}` in an address is a setting.
 */
export const contract = Effect.fnUntraced(function* (
  urls: ReadonlyArray<string>,
  address: string,
  selectors: Selectors<string>
) {
  const nodes = yield* Effect.forEach(urls, Upstream.filled)
  const { read, values } = yield* functions(nodes, address, selectors)
  return {
    ...read.answer,
    body: {
      ...Object.fromEntries(values.map(([name, value]) => [name, String(value)])),
      timestamp: read.as_of / 1000
    },
    addresses: Object.fromEntries(values.map(([name], at) => [name, answerOf(read, at).read_url]))
  }
})
