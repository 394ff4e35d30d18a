/** `geo_concentration`: which countries each network's nodes are in, and how concentrated they are. */
import { Schema } from "effect"
import { described } from "../../wire/data/valueRow.ts"
import { figure, head, Input, natural, share, textField } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

export const CountryShare = Schema.Struct({
  country: textField(
    "ISO 3166-1 alpha-2 code, or `other` for unrecognised names and nodes without a country"
  ),
  nodes: Schema.Finite.annotate({ description: "Nodes in the country" }),
  node_share: share("Share of the network's nodes with a country"),
  input: Input
}).annotate({ identifier: "CountryShare", description: "One country" })

export const GeoRow = Schema.Struct({
  symbol: described.symbol,
  n_countries: natural("Countries with a node"),
  hhi: figure("Herfindahl-Hirschman index over the countries: 10,000 means a single country"),
  effective_countries: figure("10,000 / hhi"),
  top_country: Schema.NullOr(textField("The country with the most nodes")).annotate({
    description: "The country with the most nodes; null if no country has any"
  }),
  top_share: share("Share of the top country"),
  n_without_country: figure("Nodes the upstream does not place in a known country; null if it reports none"),
  countries: Schema.Array(CountryShare).annotate({ description: "Countries, most nodes first" })
}).annotate({ identifier: "GeoRow", description: "Geographic distribution of one network" })
export interface GeoRow extends Schema.Schema.Type<typeof GeoRow> {}

export const GeoConcentration = Schema.Struct({
  ...head,
  networks: Schema.Array(GeoRow).annotate({
    description: "Networks whose upstream reports countries, sorted by symbol"
  }),
  n_unmeasured: natural("Networks in the catalog for which no upstream reports countries"),
  missing_fields: Schema.Array(Schema.String).annotate({
    description: "Metrics those networks lack"
  })
}).annotate({ identifier: "GeoConcentration", description: "Geographic distribution" })
export interface GeoConcentration extends Schema.Schema.Type<typeof GeoConcentration> {}

export default define({
  key: "geo_concentration",
  title: "Geo concentration",
  schema: GeoConcentration,
  sale: {
    content: "Geographic distribution and concentration",
    free: "Free: each count at /v1/network/{symbol}. Sold: all networks, and their concentration.",
    price: "4.99",
    perQuery: true
  },
  view: {
    path: "/v1/geo-concentration",
    title: "Geographic distribution",
    capability: "engines",
    section: "Engines"
  }
})
