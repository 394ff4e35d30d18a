/** What a reader of the feed asks for, and what its access shows of it. */
import { Effect } from "effect"
import { Category } from "../../plugin/kinds.ts"
import { compare } from "../../plugin/Value.ts"
import type { Access } from "../../readings/read/Access.ts"
import { listing } from "../../readings/read/listing.ts"
import { networkSample } from "../../readings/read/networks.ts"
import { knownSymbol } from "../../readings/read/parameters.ts"
import { EventKind } from "../../wire/events/event.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import type { EventFilter } from "../EventFeed.ts"

export interface EventParams {
  /** Symbols, comma-separated. */
  readonly symbol?: string | undefined
  readonly category?: string | undefined
  /** Kinds, comma-separated. */
  readonly kind?: string | undefined
}

/** Networks that one reader may name. */
export const mostSymbols = 50

const listIn = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "")
  )
]

/** The values that are not among the literals, as a problem. */
const among = <A extends string>(
  field: string,
  values: ReadonlyArray<string>,
  literals: ReadonlyArray<A>
) => {
  const valid = values.flatMap((text) => literals.filter((one) => one === text))
  const wrong = values.find((text) => !literals.some((one) => one === text))
  return wrong === undefined && valid.length > 0
    ? Effect.succeed(valid)
    : Effect.fail(
        new BadParameter({
          field,
          message: `${field}: ${JSON.stringify((wrong ?? "").slice(0, 40))} is not valid. Valid values: ${literals.join(", ")}.`,
          valid_values: [...literals]
        })
      )
}

/** The filter without what the access hides. Fails with `BadParameter` and `UnknownSymbol`. */
export const filterOf = Effect.fnUntraced(function* ({ category, kind, symbol }: EventParams) {
  const named = symbol === undefined ? undefined : listIn(symbol)
  if (named !== undefined && (named.length === 0 || named.length > mostSymbols)) {
    const valid = `1 to ${mostSymbols} symbols, comma-separated`
    return yield* new BadParameter({ field: "symbol", message: `symbol must be ${valid}.`, valid })
  }
  const symbols =
    named === undefined ? undefined : yield* Effect.forEach(named, (one) => knownSymbol("symbol", one))
  const [inCategory] = category === undefined ? [] : yield* among("category", [category], Category.literals)
  const kinds = kind === undefined ? undefined : yield* among("kind", listIn(kind), EventKind.literals)
  return {
    ...(kinds === undefined ? {} : { kinds: new Set(kinds) }),
    ...(symbols === undefined ? {} : { symbols: new Set(symbols) }),
    ...(inCategory === undefined ? {} : { category: inCategory })
  } satisfies EventFilter
})

/** The networks whose values a feed over all networks shows without a subscription. It rotates as lists do. */
export const sampleOfNetworks = Effect.gen(function* () {
  const list = yield* listing
  const drawn = yield* networkSample(list)
  return new Set(drawn([...list.bySymbol.keys()].toSorted(compare)))
})

/** True if such a reader sees the sample: networks that are asked for by name are shown in full. */
export const isSampled = ({ symbols }: EventFilter, { breadth }: Access): boolean =>
  breadth === "sample" && symbols === undefined
