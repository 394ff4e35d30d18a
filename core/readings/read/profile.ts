/** What a page about one network shows beside its values: who it is, and how each of its series is read. */
import { Duration, Effect } from "effect"
import { bySymbol, type Network } from "../../catalog/Catalog.ts"
import type { Role, Tier } from "../../plugin/kinds.ts"
import type { Terms } from "../../plugin/Manifest.ts"
import { headlineOf, metricNamed, roleOf } from "../../plugin/Manifest.ts"
import { methodOf } from "../../plugin/methods.ts"
import type { DayAgreement } from "../../wire/data/agreement.ts"
import type { SecondValue } from "../../wire/data/disagreement.ts"
import type { ValueRow } from "../../wire/data/valueRow.ts"
import type { WholeValue } from "../../wire/data/whole.ts"
import { Feeds } from "../Feeds.ts"
import { agreementLately } from "./agreementCounts.ts"
import { disagreements } from "./disagreements.ts"
import { listing } from "./listing.ts"
import { notCovered } from "./networks.ts"
import { knownSymbol } from "./parameters.ts"
import { pickSource } from "./pickSource.ts"
import { isRowCounted, valueRow } from "./valueRow.ts"
import { exceededWholes, exceeding } from "./wholes.ts"

/** How a metric of a network is read. `row` is the latest value of the source that answers for the metric. */
export interface ReadMetric {
  readonly metric: string
  readonly tier: Tier
  readonly role: Role
  /** One sentence of the manifest; absent for a series whose plugin is gone. */
  readonly meaning?: string
  readonly plugin: string
  readonly title?: string
  readonly cadenceSeconds?: number
  /** The URL that the collector read. */
  readonly readUrl: string
  /** What its upstream allows; absent where the plugin is gone. */
  readonly terms?: Terms
  /** Whose method it follows, where that is an aggregator's. */
  readonly method: string | undefined
  readonly row: ValueRow
  /** What a second source says that contradicts it. */
  readonly second?: SecondValue
  /** The figure that it is a part of, where it is more than that. */
  readonly exceeds?: WholeValue
  /** By how many other operators it was seen on the newest compared day; absent where nobody observes the service. */
  readonly agreement?: DayAgreement
  /** Other sources of the same metric. */
  readonly others: ReadonlyArray<ValueRow>
}

export interface Profile {
  readonly symbol: string
  /** Undefined for a symbol of a physical-world sector. */
  readonly network: Network | undefined
  readonly headline: string | undefined
  /** The metric that would be the headline if its feed were confirmed. */
  readonly unconfirmedHeadline: string | undefined
  /** By name. */
  readonly metrics: ReadonlyArray<ReadMetric>
  /** Why no first-party feed covers the network; undefined if one does. */
  readonly notCovered: string | undefined
  readonly stamped: boolean
}

/** Fails with `UnknownSymbol`. */
export const profile = Effect.fn("Data.profile")(function* (named: string) {
  const symbol = yield* knownSymbol("symbol", named)
  const { manifests } = yield* Feeds
  const list = yield* listing
  const rows = list.bySymbol.get(symbol) ?? []
  const seconds = yield* disagreements(rows)
  const exceeded = exceededWholes(rows)
  const agreementOf = yield* agreementLately
  const metrics = [...Map.groupBy(rows, ({ row }) => row.metric)].flatMap(
    ([metric, of]): Array<ReadMetric> => {
      const candidates = of.map((row) => ({ source: row.row.source, asOf: row.asOf, row }))
      const chosen = pickSource(symbol, metric, candidates)?.row
      if (chosen === undefined) return []
      const second = seconds.get(chosen)
      const manifest = manifests.find(({ id }) => id === chosen.plugin)
      const declared = manifest === undefined ? undefined : metricNamed(manifest.metrics, metric)
      return [
        {
          metric,
          tier: chosen.tier,
          role: declared === undefined ? "measure" : roleOf(declared),
          ...(declared === undefined ? {} : { meaning: declared.meaning }),
          plugin: chosen.plugin,
          ...(manifest === undefined
            ? {}
            : { title: manifest.title, cadenceSeconds: Duration.toSeconds(manifest.every) }),
          readUrl: chosen.readUrl,
          ...(manifest?.terms === undefined ? {} : { terms: manifest.terms }),
          method: manifest === undefined ? undefined : methodOf(manifest, chosen.row.source),
          row: valueRow(chosen),
          ...(second === undefined ? {} : { second }),
          ...exceeding(exceeded, chosen),
          ...agreementOf(chosen.series),
          others: of.filter((row) => row !== chosen).map(valueRow)
        }
      ]
    }
  )
  const headlineIn = (some: ReadonlyArray<ReadMetric>) =>
    headlineOf(
      manifests,
      symbol,
      some.map(({ metric }) => metric)
    )
  const headline = headlineIn(metrics.filter(({ row }) => isRowCounted(row)))
  const best = headlineIn(metrics)
  const networkProfile: Profile = {
    symbol,
    network: bySymbol.get(symbol),
    headline,
    unconfirmedHeadline: best === headline ? undefined : best,
    metrics,
    notCovered: (yield* notCovered(list.bySymbol))[symbol],
    stamped: list.stamped.has(symbol)
  }
  return networkProfile
})
