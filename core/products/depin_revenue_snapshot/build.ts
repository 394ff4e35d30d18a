/** `depin_revenue_snapshot`: what every network earned and paid out, with its evidence, and its fees and locked value. */
import { Effect } from "effect"
import { referenceSymbols } from "../../catalog/Catalog.ts"
import { isFlowName } from "../../plugin/flows.ts"
import { isoTime } from "../../plugin/Value.ts"
import type { CurrentRow } from "../../readings/read/Current.ts"
import { coverages, earnedFigures, earnedRow } from "../../readings/read/earned.ts"
import { listing } from "../../readings/read/listing.ts"
import { figuresOf } from "../../readings/read/metricColumns.ts"
import { rightsBySource } from "../../readings/read/rights.ts"
import { sold } from "../build.ts"
import { about, ofValuesAlone } from "../shared/coverage.ts"
import { leftOut, readings } from "../shared/inputs.ts"
import definition, { type RevenueSnapshot } from "./definition.ts"

const fields = ["fees_24h_usd", "fees_7d_usd", "fees_30d_usd", "tvl_usd", "staking_tvl_usd"] as const
const figures = figuresOf(fields)

/** What of the values the product delivers. */
const isDelivered = ({ row: { metric } }: Pick<CurrentRow, "row">): boolean =>
  isFlowName(metric) || fields.some((field) => field === metric)

export const revenueSnapshot = Effect.gen(function* () {
  const list = yield* listing
  const rightsOf = yield* rightsBySource
  const flows = yield* earnedFigures()
  const networks = figures(list).map(({ provenance, row, symbol }) => {
    // A zero that nobody counted is no figure that is sold.
    const value = (field: (typeof fields)[number]) => {
      const measured = row(field)
      return measured === undefined || measured.by_definition === true ? null : measured.value
    }
    return {
      symbol,
      fees_24h_usd: value("fees_24h_usd"),
      fees_7d_usd: value("fees_7d_usd"),
      fees_30d_usd: value("fees_30d_usd"),
      tvl_usd: value("tvl_usd"),
      staking_tvl_usd: value("staking_tvl_usd"),
      missing_fields: fields.filter((field) => value(field) === null),
      ...provenance
    }
  })
  const totals = Object.fromEntries(
    fields.map((field) => {
      const measured = networks
        .filter(({ symbol, unconfirmed }) => !referenceSymbols.has(symbol) && unconfirmed !== true)
        .flatMap((row) => row[field] ?? [])
      const sum = measured.reduce((total, value) => total + value, 0)
      return [
        field,
        { usd: measured.length === 0 || !Number.isFinite(sum) ? null : sum, n_networks: measured.length }
      ]
    })
  )
  return {
    generated_utc: isoTime(list.at),
    ...leftOut(yield* readings, isDelivered, about.all),
    earned: flows.flatMap((figure) => (figure.flow === undefined ? [] : [earnedRow(figure, rightsOf)])),
    coverage: coverages(flows),
    networks,
    totals,
    methodology: {
      formula: "totals[f].usd = sum of f over the networks where f is measured",
      fields,
      rules: [
        "`earned` has what users paid and suppliers received, of several sources the one on the highest rung of evidence, with its rights in the row; what a counter grew by on closed days names the counter in derived_from. Coverage is of the same closed days alone.",
        "The same rows as /v1/revenue. A 0 that was counted is 0; one that a method states and nobody counted is null here, and so are figures that are not measured: both are listed in missing_fields.",
        "Totals are of DePIN networks: networks of the category reference are listed, but not counted.",
        "With several sources, the catalog's primary is used, else the newest."
      ]
    }
  } satisfies RevenueSnapshot
})

export default {
  sale: sold(definition, () => revenueSnapshot, {
    covers: ofValuesAlone(isDelivered, about.all),
    holds: ({ earned, networks }) => networks.length > 0 || earned.length > 0
  })
}
