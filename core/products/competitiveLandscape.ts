/** `competitive_landscape`: shares of each category's market and how concentrated it is (spec 2.10). */
import { Effect, Schema } from "effect"
import { Category } from "../catalog/Catalog.ts"
import { described } from "../data/read/valueRow.ts"
import {
  figure,
  head,
  herfindahl,
  Input,
  inputOf,
  liveRule,
  natural,
  networks,
  quotient,
  readings,
  share,
  sharesOf
} from "./inputs.ts"

const metric = "market_cap_usd"

/** Index from which a market counts so: the bounds of the US merger guidelines of 2023. */
const concentrated = [
  ["high", 1800],
  ["moderate", 1000],
  ["low", 0]
] as const

export const Competitor = Schema.Struct({
  symbol: described.symbol,
  market_cap_usd: Schema.Finite.annotate({ description: "In US dollars" }),
  market_share: share("Share of the category's measured market"),
  input: Input
}).annotate({ identifier: "Competitor", description: "One network of a category" })

export const CategoryLandscape = Schema.Struct({
  category: Category.annotate({ description: "What the networks offer" }),
  n_networks: natural("Networks of the category"),
  n_measured: natural("Those whose market capitalisation is measured"),
  market_cap_usd: figure("Sum over the measured networks, in US dollars"),
  hhi: figure("Herfindahl-Hirschman index over the measured networks: 10,000 is one network alone"),
  effective_networks: figure("10,000 / hhi: how many networks of equal size would give the same index"),
  concentration: Schema.NullOr(Schema.Literals(["high", "moderate", "low"])).annotate({
    description: "high from an index of 1,800, moderate from 1,000; null where there is no index"
  }),
  networks: Schema.Array(Competitor).annotate({ description: "The measured networks, largest first" }),
  missing_fields: Schema.Array(Schema.String).annotate({
    description: "Networks whose market_cap_usd is not measured: the shares are of those that are"
  })
}).annotate({ identifier: "CategoryLandscape", description: "The market of one category" })
export interface CategoryLandscape extends Schema.Schema.Type<typeof CategoryLandscape> {}

export const CompetitiveLandscape = Schema.Struct({
  ...head,
  categories: Schema.Array(CategoryLandscape).annotate({ description: "Categories, sorted by name" })
}).annotate({ identifier: "CompetitiveLandscape", description: "Market shares by category" })
export interface CompetitiveLandscape extends Schema.Schema.Type<typeof CompetitiveLandscape> {}

export const competitiveLandscape = Effect.map(
  readings,
  ({ generated_utc, measured }): CompetitiveLandscape => ({
    generated_utc,
    categories: Category.literals.map((category) => {
      const members = networks.filter((network) => network.category === category)
      const rows = members
        .flatMap(({ symbol }) => measured(symbol).of(metric) ?? [])
        .filter(({ row }) => row.value >= 0)
        .toSorted((a, b) => b.row.value - a.row.value)
      const caps = rows.map(({ row }) => row.value)
      const hhi = herfindahl(caps)
      const sum = caps.reduce((total, cap) => total + cap, 0)
      const shares = sharesOf(caps)
      const found = new Set(rows.map(({ row }) => row.symbol))
      return {
        category,
        n_networks: members.length,
        n_measured: rows.length,
        market_cap_usd: rows.length === 0 || !Number.isFinite(sum) ? null : sum,
        hhi,
        effective_networks: quotient(10_000, hhi),
        concentration: hhi === null ? null : (concentrated.find(([, least]) => hhi >= least)?.[0] ?? null),
        networks: rows.map((row, n) => ({
          symbol: row.row.symbol,
          market_cap_usd: row.row.value,
          market_share: shares[n] ?? null,
          input: inputOf(row)
        })),
        missing_fields: members
          .filter(({ symbol }) => !found.has(symbol))
          .map(({ symbol }) => `${symbol}.${metric}`)
      }
    }),
    methodology: {
      formula: "market_share = market_cap_usd / sum over the category; hhi = sum of (100 × market_share)²",
      fields: [metric],
      rules: [
        "Shares are of the networks whose market capitalisation is measured; the others are named in missing_fields.",
        "concentration: high from 1,800, moderate from 1,000 (the bounds of the US merger guidelines of 2023).",
        liveRule
      ]
    }
  })
)
