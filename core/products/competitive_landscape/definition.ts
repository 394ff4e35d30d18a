/** `competitive_landscape`: market shares and concentration by category. */
import { Schema } from "effect"
import { Category } from "../../plugin/kinds.ts"
import { described } from "../../wire/data/valueRow.ts"
import { figure, head, Input, natural, share } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

export const Competitor = Schema.Struct({
  symbol: described.symbol,
  market_cap_usd: figure("In US dollars; null where the source does not let it be sold"),
  market_share: share("Share of the category's measured market capitalisation"),
  input: Schema.NullOr(Input).annotate({
    description: "The measured value; null where its source does not let it be sold"
  })
}).annotate({ identifier: "Competitor", description: "One network of a category" })

export const CategoryLandscape = Schema.Struct({
  category: Category.annotate({ description: "What the networks offer" }),
  n_networks: natural("Networks in the category"),
  n_measured: natural("Networks whose market capitalisation is measured"),
  market_cap_usd: figure("Sum over the measured networks, in US dollars"),
  hhi: figure("Herfindahl-Hirschman index over the measured networks: 10,000 means a single network"),
  effective_networks: figure("10,000 / hhi: the number of equal-sized networks with the same index"),
  concentration: Schema.NullOr(Schema.Literals(["high", "moderate", "low"])).annotate({
    description: "high: hhi of 1,800 or more; moderate: 1,000 or more; null if there is no index"
  }),
  networks: Schema.Array(Competitor).annotate({ description: "The measured networks, largest first" }),
  missing_fields: Schema.Array(Schema.String).annotate({
    description:
      "Networks whose market_cap_usd is not measured, which the shares leave out, or is not sold (`left_out`)"
  })
}).annotate({ identifier: "CategoryLandscape", description: "The market of one category" })
export interface CategoryLandscape extends Schema.Schema.Type<typeof CategoryLandscape> {}

export const CompetitiveLandscape = Schema.Struct({
  ...head,
  categories: Schema.Array(CategoryLandscape).annotate({ description: "Categories, sorted by name" })
}).annotate({ identifier: "CompetitiveLandscape", description: "Market shares by category" })
export interface CompetitiveLandscape extends Schema.Schema.Type<typeof CompetitiveLandscape> {}

export default define({
  key: "competitive_landscape",
  title: "Competitive landscape",
  schema: CompetitiveLandscape,
  sale: {
    content: "Category market share with HHI",
    free: "Free: the market caps at /v1/market. Sold: shares and HHI.",
    price: "9.99",
    perQuery: true
  },
  view: {
    path: "/v1/competitive-landscape",
    title: "Market share by category",
    capability: "engines",
    section: "Engines"
  }
})
