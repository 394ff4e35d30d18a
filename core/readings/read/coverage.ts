/** How much of the catalog is measured: the one definition of each count. It runs in a browser too. */
import { kindOf } from "../../catalog/kindOf.ts"
import type { SymbolRow } from "../../wire/data/symbols.ts"

/** Entries of the catalog, each in exactly one of `ownTelemetry`, `marketOnly`, `listed`, `subnets` and `reference`. */
export interface Coverage {
  /** Infrastructure networks whose own telemetry has a value of the last 7 days. */
  readonly ownTelemetry: number
  /** Infrastructure networks with market, fee, holder or developer figures alone. */
  readonly marketOnly: number
  /** Infrastructure networks without any value of the last 7 days. */
  readonly listed: number
  /** The three together. */
  readonly networks: number
  readonly subnets: number
  /** Of the subnets, those with telemetry. */
  readonly subnetsMeasured: number
  readonly reference: number
  /** Of the reference chains, those with telemetry. */
  readonly referenceMeasured: number
  /** Everything with telemetry: networks, subnets and reference chains. */
  readonly measured: number
  /** Networks, subnets and reference chains. */
  readonly catalog: number
  /** A symbol, a metric and a source with a value of the last 7 days each. */
  readonly series: number
}

export const coverageOf = (rows: ReadonlyArray<SymbolRow>): Coverage => {
  const { network = [], reference = [], subnet = [] } = Object.groupBy(rows, kindOf)
  const of = (some: ReadonlyArray<SymbolRow>, tier: SymbolRow["telemetry_tier"]) =>
    some.filter(({ telemetry_tier }) => telemetry_tier === tier).length
  return {
    ownTelemetry: of(network, "first_party"),
    marketOnly: of(network, "market_only"),
    listed: of(network, "catalog_only"),
    networks: network.length,
    subnets: subnet.length,
    subnetsMeasured: of(subnet, "first_party"),
    reference: reference.length,
    referenceMeasured: of(reference, "first_party"),
    measured: of(rows, "first_party"),
    catalog: rows.length,
    series: rows.reduce((sum, { live_series }) => sum + live_series, 0)
  }
}
