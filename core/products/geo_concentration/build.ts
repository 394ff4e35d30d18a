/** `geo_concentration`: which countries each network's nodes are in, and how concentrated they are. */
import { Effect } from "effect"
import type { CurrentRow } from "../../readings/read/Current.ts"
import { soldAndViewed } from "../build.ts"
import { ofValues } from "../shared/coverage.ts"
import {
  depinRule,
  herfindahl,
  inputOf,
  leftOut,
  liveRule,
  type Measured,
  networks,
  quotient,
  readings,
  sharesOf
} from "../shared/inputs.ts"
import definition, { type GeoConcentration, type GeoRow } from "./definition.ts"

const prefix = "nodes_country_"

const isPlaced = ({ row }: CurrentRow): boolean => row.metric.startsWith(prefix)

export const geoOf = (network: Measured): GeoRow | undefined => {
  const all = network.confirmed.filter(isPlaced)
  // One reading is the whole map: a country missing from the newest reading has no nodes now.
  const newest = Math.max(...all.map(({ asOf }) => asOf))
  const rows = all.filter(({ asOf }) => asOf === newest)
  if (rows.length === 0) return undefined
  const placed = rows
    .filter(({ row }) => row.metric !== `${prefix}other`)
    .toSorted((a, b) => b.row.value - a.row.value)
  const counts = placed.map(({ row }) => row.value)
  const shares = sharesOf(counts)
  const hhi = herfindahl(counts)
  const countries = placed.map((row, n) => ({
    country: row.row.metric.slice(prefix.length),
    nodes: row.row.value,
    node_share: shares[n] ?? null,
    input: inputOf(row)
  }))
  return {
    symbol: network.symbol,
    n_countries: counts.filter((count) => count > 0).length,
    hhi,
    effective_countries: quotient(10_000, hhi),
    top_country: hhi === null ? null : (countries[0]?.country ?? null),
    top_share: countries[0]?.node_share ?? null,
    n_without_country: rows.find(({ row }) => row.metric === `${prefix}other`)?.row.value ?? null,
    countries
  }
}

export const geoConcentration = Effect.map(readings, (current): GeoConcentration => {
  const { generated_utc, measured } = current
  const rows = networks.flatMap(({ symbol }) => geoOf(measured(symbol)) ?? [])
  return {
    generated_utc,
    ...leftOut(current, isPlaced),
    networks: rows,
    n_unmeasured: networks.length - rows.length,
    missing_fields: rows.length === networks.length ? [] : [`${prefix}<country>`],
    methodology: {
      formula: "node_share = nodes / sum over the countries; hhi = sum of (100 × node_share)²",
      fields: [`${prefix}<ISO 3166-1 alpha-2>`, `${prefix}other`],
      rules: [
        "Uses each network's newest reading; a country missing from it has no nodes.",
        "Nodes without a known country count in n_without_country and in no share.",
        "Countries are as the upstream reports them, mostly by IP address; they are not where the operator is based.",
        depinRule,
        liveRule
      ]
    }
  }
})

export default soldAndViewed(definition, geoConcentration, {
  covers: ofValues(isPlaced),
  holds: ({ networks }) => networks.length > 0
})
