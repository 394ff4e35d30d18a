/** Values that a second source contradicts: both are served, and each names the other. */
import { Effect } from "effect"
import type { Manifest } from "../../plugin/Manifest.ts"
import type { SecondValue } from "../../wire/data/disagreement.ts"
import { Feeds } from "../Feeds.ts"
import { type Compared, contradictions, type Pair, pairsOf } from "../secondSources.ts"
import type { CurrentRow } from "./Current.ts"

const comparedOf = ({ asOf, plugin, row, simulated }: CurrentRow): Compared => ({
  symbol: row.symbol,
  metric: row.metric,
  source: row.source,
  value: row.value,
  plugin,
  asOf,
  simulated
})

const secondOf = ({ row }: CurrentRow, { tolerance }: Pair): SecondValue => ({
  source: row.source,
  metric: row.metric,
  value: row.value,
  ...(row.value_text === undefined ? {} : { value_text: row.value_text }),
  as_of: row.as_of,
  tolerance
})

const paired = new WeakMap<ReadonlyArray<Manifest>, ReadonlyArray<Pair>>()

/** The pairs of a service's manifests, which do not change while it runs. */
const pairsIn = (manifests: ReadonlyArray<Manifest>): ReadonlyArray<Pair> => {
  const before = paired.get(manifests)
  if (before !== undefined) return before
  const pairs = pairsOf(manifests)
  paired.set(manifests, pairs)
  return pairs
}

/** What contradicts each of the rows, which are all of a network; nothing for most. */
export const disagreements = Effect.fnUntraced(function* (rows: ReadonlyArray<CurrentRow>) {
  const { manifests } = yield* Feeds
  const pairs = pairsIn(manifests)
  const seconds = new Map<CurrentRow, SecondValue>()
  if (!rows.some(({ plugin }) => pairs.some((pair) => pair.plugin === plugin))) return seconds
  for (const { pair, row, second } of contradictions(pairs, rows, comparedOf)) {
    if (!seconds.has(row)) seconds.set(row, secondOf(second, pair))
    if (!seconds.has(second)) seconds.set(second, secondOf(row, pair))
  }
  return seconds
})

/** The member that a row has where something contradicts it. */
export const disagreeing = (
  seconds: ReadonlyMap<CurrentRow, SecondValue>,
  row: CurrentRow
): { readonly disagrees_with?: SecondValue } => {
  const second = seconds.get(row)
  return second === undefined ? {} : { disagrees_with: second }
}
