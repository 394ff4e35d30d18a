/** `dilution_risk_map`: fully diluted valuation over market capitalisation, in five classes. */
import { Effect } from "effect"
import { soldAndViewed } from "../build.ts"
import { ofDerived } from "../shared/coverage.ts"
import {
  depinRule,
  heuristicRule,
  leftOut,
  liveRule,
  type Measured,
  networks,
  quotient,
  readings,
  take
} from "../shared/inputs.ts"
import definition, { DilutionClass, type DilutionRisk, type DilutionRow } from "./definition.ts"

/** Lowest ratio of each class, inclusive. */
export const bounds: ReadonlyArray<readonly [DilutionClass, number]> = [
  ["EXTREME", 10],
  ["HIGH", 4],
  ["ELEVATED", 2],
  ["LOW", 1.25],
  ["MINIMAL", 0.99]
]

const fields = ["fully_diluted_valuation_usd", "market_cap_usd"] as const

/** The class of a ratio; null below every bound. */
export const classOf = (ratio: number): DilutionClass | null =>
  bounds.find(([, least]) => ratio >= least)?.[0] ?? null

export const dilutionOf = (network: Measured): DilutionRow | undefined => {
  const { inputs, missing_fields, value } = take(network, fields)
  // Neither of the two can be told from their ratio.
  const [fdv, cap] = fields.map((field) => network.behind(field)?.row.value ?? null)
  if (fdv === undefined || cap === undefined || (fdv === null && cap === null)) return undefined
  const ratio = quotient(fdv, cap)
  const dilution_class = ratio === null ? null : classOf(ratio)
  const note =
    cap === 0
      ? "The market capitalisation is 0, so the ratio is undefined."
      : ratio !== null && dilution_class === null
        ? "The fully diluted valuation is below the market capitalisation: the inputs disagree, so no class is given."
        : undefined
  return {
    symbol: network.symbol,
    fdv_to_market_cap: ratio,
    dilution_class,
    fully_diluted_valuation_usd: value("fully_diluted_valuation_usd"),
    market_cap_usd: value("market_cap_usd"),
    ...(note === undefined ? {} : { note }),
    missing_fields,
    inputs
  }
}

export const dilutionRisk = Effect.map(readings, (current): DilutionRisk => {
  const { generated_utc, measured } = current
  const rows = networks.flatMap(({ symbol }) => dilutionOf(measured(symbol)) ?? [])
  return {
    generated_utc,
    ...leftOut(current, fields),
    class_bounds: Object.fromEntries(bounds),
    class_counts: Object.fromEntries(
      DilutionClass.literals.map((name) => [
        name,
        rows.filter(({ dilution_class }) => dilution_class === name).length
      ])
    ),
    networks: rows,
    methodology: {
      formula: "fdv_to_market_cap = fully_diluted_valuation_usd / market_cap_usd",
      fields,
      rules: [
        `A class covers ratios at or above its bound: ${bounds.map(([name, least]) => `${name} ${least}`).join(", ")}.`,
        depinRule,
        liveRule,
        heuristicRule
      ]
    }
  }
})

export default soldAndViewed(definition, dilutionRisk, {
  covers: ofDerived(["fully_diluted_valuation_usd", "market_cap_usd"]),
  holds: ({ networks }) => networks.length > 0
})
