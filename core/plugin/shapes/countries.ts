/** Nodes by country: the family of metrics `nodes_country_*`, and the readings of an upstream's own words. */
import type { Decimal } from "../Decimal.ts"
import type { Reading } from "../Plugin.ts"
import { type Numeric, Unreadable } from "../Unreadable.ts"
import countriesJson from "./countries.json" with { type: "json" }
import { sum } from "./fields.ts"
import { mayDropToZero } from "./metric.ts"

/** ISO 3166-1 alpha-2 codes to English names, lower case and without marks: today's, and those still in use. */
const names: Readonly<Record<string, ReadonlyArray<string>>> = countriesJson

const byName = new Map(
  Object.entries(names).flatMap(([code, all]) => all.map((name) => [name, code] as const))
)

/** Codes that upstreams write although ISO 3166-1 does not list them. */
const spelled: Readonly<Record<string, string>> = { UK: "GB", EL: "GR" }

const plain = (name: string): string =>
  name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("&", " and ")
    .replace(/[^a-z]+/g, " ")
    .trim()
    .replace(/^the /, "")
    .replace(/\bst\b/, "saint")

/** The code of a country that an upstream gives as a code or in English; `other` for anything else. */
export const countryOf = (word: string | null | undefined): string => {
  const code = word?.trim().toUpperCase() ?? ""
  const name = spelled[code] ?? code
  return Object.hasOwn(names, name) ? name : (byName.get(plain(word ?? "")) ?? "other")
}

/** The family, for a manifest: of whom the map is. */
export const countryMetrics = (whom: string) => ({
  "nodes_country_*": {
    ...mayDropToZero(
      "count",
      `${whom}, by country: the name ends in the ISO 3166-1 alpha-2 code, or in other where the country is unknown.`,
      // More nodes than people live in most countries.
      { role: "breakdown", max: 1e9 }
    ),
    of: [...Object.keys(names), "other"]
  }
})

/**
 * Readings of a map, one entry for a node or a count of nodes. A country without an entry is absent. A map with a part
 * that was not measured gives nothing, for the shares of all others would be wrong; nor does one that names no country
 * that is known: then the upstream's words have changed. One with a part that cannot be read is refused for it, country by country.
 */
export const byCountry = (
  entries: Iterable<readonly [country: string | null | undefined, nodes: Numeric | null | undefined]>
): { readonly [K in `nodes_country_${string}`]: Reading } => {
  const counts = new Map<string, number | Decimal>()
  let odd: Unreadable | undefined
  for (const [country, nodes] of entries) {
    if (nodes === null || nodes === undefined) return {}
    const code = countryOf(country)
    if (nodes instanceof Unreadable) odd ??= nodes
    counts.set(code, nodes instanceof Unreadable ? 0 : (sum([counts.get(code) ?? 0, nodes]) ?? 0))
  }
  return odd === undefined && [...counts.keys()].every((code) => code === "other")
    ? {}
    : Object.fromEntries([...counts].map(([code, nodes]) => [`nodes_country_${code}`, odd ?? nodes]))
}
