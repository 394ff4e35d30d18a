/** Completion of prompt arguments and resource URIs, for clients that offer values while a person types. */
import { Effect } from "effect"
import { networks } from "../core/catalog/Catalog.ts"
import { Feeds } from "../core/data/Feeds.ts"
import { network } from "../core/data/read/network.ts"
import { productKeys } from "../core/wire/products/keys.ts"

const symbols = networks.map(({ symbol }) => symbol)

/** The metrics of the network if it is known, otherwise all. */
const metrics = Effect.fnUntraced(function* (symbol: string | undefined) {
  const { manifests } = yield* Feeds
  const all = manifests.flatMap(({ metrics }) => Object.keys(metrics))
  if (symbol === undefined) return all
  return yield* network(symbol).pipe(
    Effect.map((rows) => rows.map(({ metric }) => metric)),
    Effect.catchTag("UnknownSymbol", () => Effect.succeed(all))
  )
})

/** The protocol allows at most this many values in an answer. */
const most = 100

export const completionOf = Effect.fnUntraced(function* (
  argument: { readonly name: string; readonly value: string },
  symbol: string | undefined
) {
  const all =
    argument.name === "symbol"
      ? symbols
      : argument.name === "metric"
        ? yield* metrics(symbol)
        : argument.name === "product_key"
          ? productKeys
          : []
  const typed = argument.value.toLowerCase()
  const found = [...new Set(all)].filter((value) => value.toLowerCase().startsWith(typed)).sort()
  return { values: found.slice(0, most), total: found.length, hasMore: found.length > most }
})
