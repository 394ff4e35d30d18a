/** The columns of the list of networks. */
import type { OverviewField } from "../../../core/readings/read/overview.ts"

/** Sets of columns, by the word that the address has for them. */
export const columnSets = {
  supply: {
    title: "Supply",
    fields: ["price_usd", "market_cap_usd", "fees_30d_usd"]
  },
  market: {
    title: "Market",
    fields: [
      "price_usd",
      "price_change_24h_pct",
      "price_change_7d_pct",
      "market_cap_usd",
      "fully_diluted_valuation_usd",
      "volume_24h_usd"
    ]
  },
  fees: {
    title: "Fees",
    fields: ["fees_24h_usd", "fees_7d_usd", "fees_30d_usd", "tvl_usd", "market_cap_usd"]
  },
  development: {
    title: "Development",
    fields: ["dev_stars", "dev_forks", "dev_open_issues", "dev_days_since_push", "market_cap_usd"]
  },
  data: { title: "Data", fields: [] }
} as const satisfies Readonly<
  Record<string, { readonly title: string; readonly fields: ReadonlyArray<OverviewField> }>
>
export type ColumnSet = keyof typeof columnSets
export const columnSetNames = Object.keys(columnSets) as ReadonlyArray<ColumnSet>

/** What stands above the column of a field. */
export const fieldHeads: Readonly<Record<OverviewField, string>> = {
  price_usd: "Price",
  market_cap_usd: "Market cap",
  fully_diluted_valuation_usd: "Fully diluted",
  volume_24h_usd: "Volume 24 h",
  price_change_24h_pct: "Price, 24 h",
  price_change_7d_pct: "Price, 7 d",
  fees_24h_usd: "Fees 24 h",
  fees_7d_usd: "Fees 7 d",
  fees_30d_usd: "Fees 30 d",
  tvl_usd: "Value locked",
  dev_stars: "Stars",
  dev_forks: "Forks",
  dev_open_issues: "Open issues",
  dev_days_since_push: "Days since push"
}

/** What the rows can be ordered by, beside the fields. */
const ownSorts = ["name", "change", "week", "age", "series"] as const
export type Sort = (typeof ownSorts)[number] | OverviewField
export const sorts: ReadonlyArray<Sort> = [
  ...ownSorts,
  ...(Object.keys(fieldHeads) as ReadonlyArray<OverviewField>)
]

/** The kinds of entries that the list has apart, by the word that the address has for them. */
export const kindFilters = ["network", "subnet", "reference", "all"] as const
export type KindFilter = (typeof kindFilters)[number]
