/** Completion of prompt arguments and resource URIs, for clients that offer values while a person types. */
import { Effect } from "effect"
import { networks } from "../core/catalog/Catalog.ts"
import { toNumber } from "../core/credits/Money.ts"
import { oneShot, packs } from "../core/credits/pricing.ts"
import { attestations } from "../core/log/record/attestations.ts"
import { Category } from "../core/plugin/kinds.ts"
import { productKeys, productOf } from "../core/products/index.ts"
import { Feeds } from "../core/readings/Feeds.ts"
import { network } from "../core/readings/read/network.ts"

const symbols = Effect.succeed(networks.map(({ symbol }) => symbol).toSorted())

/** The metrics of the network if it is known, otherwise all. */
const metrics = Effect.fnUntraced(function* (symbol: string | undefined) {
  const { manifests } = yield* Feeds
  const all = manifests.flatMap(({ metrics }) => Object.keys(metrics)).toSorted()
  if (symbol === undefined) return all
  return yield* network(symbol).pipe(
    Effect.map((rows) => rows.map(({ metric }) => metric).toSorted()),
    Effect.catchTag("UnknownSymbol", () => Effect.succeed(all))
  )
})

/** The protocol allows at most this many values in an answer. */
const most = 100

/** The closed days, newest first. */
const days = Effect.map(Effect.orDie(attestations({ limit: most })), ({ attestations }) =>
  attestations.map(({ day }) => day)
)

const budgets = Effect.succeed([oneShot, ...packs].map((amount) => String(toNumber(amount))))
const onSale = Effect.succeed(productKeys.filter((key) => productOf(key).withdrawn === undefined).toSorted())

/** What an argument can be, best first. Arguments that take anything are absent. */
const offered = (name: string, symbol: string | undefined) => {
  switch (name) {
    case "symbol":
    case "other_symbol":
      return symbols
    case "metric":
      return metrics(symbol)
    case "date":
    case "since":
      return days
    case "days":
      return Effect.succeed(["7", "30", "90", "365"])
    case "category":
      return Effect.succeed<ReadonlyArray<string>>(Category.literals)
    case "product_key":
      return onSale
    case "budget_usd":
      return budgets
    default:
      return Effect.succeed<ReadonlyArray<string>>([])
  }
}

export const completionOf = Effect.fnUntraced(function* (
  argument: { readonly name: string; readonly value: string },
  symbol: string | undefined
) {
  const all = yield* offered(argument.name, symbol)
  const typed = argument.value.toLowerCase()
  const matching = [...new Set(all)].filter((value) => value.toLowerCase().startsWith(typed))
  return { values: matching.slice(0, most), total: matching.length, hasMore: matching.length > most }
})
