/** `competitive_landscape`: market shares and concentration by category. */
import { Effect } from "effect"
import type { CurrentRow } from "../../readings/read/Current.ts"
import { soldAndViewed } from "../build.ts"
import { ofDerived } from "../shared/coverage.ts"
import {
  categories,
  depinRule,
  herfindahl,
  inputOf,
  leftOut,
  liveRule,
  networks,
  quotient,
  readings,
  sharesOf
} from "../shared/inputs.ts"
import definition, { type CompetitiveLandscape } from "./definition.ts"

const metric = "market_cap_usd"

/** Lowest index of each class, from the US merger guidelines of 2023. */
const concentrated = [
  ["high", 1800],
  ["moderate", 1000],
  ["low", 0]
] as const

export const competitiveLandscape = Effect.map(readings, (current): CompetitiveLandscape => {
  const { generated_utc, measured } = current
  return {
    generated_utc,
    ...leftOut(current, [metric]),
    categories: categories.map((category) => {
      const members = networks.filter((network) => network.category === category)
      const rows = members
        .flatMap(({ symbol }) => measured(symbol).behind(metric) ?? [])
        .filter(({ row }) => row.value >= 0)
        .toSorted((a, b) => b.row.value - a.row.value)
      const caps = rows.map(({ row }) => row.value)
      const hhi = herfindahl(caps)
      const sum = caps.reduce((total, cap) => total + cap, 0)
      const shares = sharesOf(caps)
      const isSold = ({ row }: CurrentRow) => measured(row.symbol).of(metric)?.row.source === row.source
      const measuredSymbols = new Set(rows.map(({ row }) => row.symbol))
      return {
        category,
        n_networks: members.length,
        n_measured: rows.length,
        market_cap_usd: rows.length === 0 || !rows.every(isSold) || !Number.isFinite(sum) ? null : sum,
        hhi,
        effective_networks: quotient(10_000, hhi),
        concentration: hhi === null ? null : (concentrated.find(([, least]) => hhi >= least)?.[0] ?? null),
        networks: rows.map((row, n) => ({
          symbol: row.row.symbol,
          market_cap_usd: isSold(row) ? row.row.value : null,
          market_share: shares[n] ?? null,
          input: isSold(row) ? inputOf(row) : null
        })),
        missing_fields: members
          .filter(({ symbol }) => !measuredSymbols.has(symbol) || measured(symbol).of(metric) === undefined)
          .map(({ symbol }) => `${symbol}.${metric}`)
      }
    }),
    methodology: {
      formula: "market_share = market_cap_usd / sum over the category; hhi = sum of (100 × market_share)²",
      fields: [metric],
      rules: [
        "Shares cover only networks whose market capitalisation is measured; missing_fields lists the others.",
        "A share is of all measured capitalisations. Where a source does not let its own be sold, it is null with its input, and so is the sum.",
        "concentration: high at 1,800 or more, moderate at 1,000 or more (the thresholds of the US merger guidelines of 2023).",
        depinRule,
        liveRule
      ]
    }
  }
})

export default soldAndViewed(definition, competitiveLandscape, {
  covers: ofDerived(["market_cap_usd"]),
  holds: ({ categories }) => categories.some(({ n_measured }) => n_measured > 0)
})
