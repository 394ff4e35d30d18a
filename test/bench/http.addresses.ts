/** What the table of `http.ts` asks for. */

export interface Address {
  readonly path: string
  /** The status that is expected; 200 without it. */
  readonly status?: number
}

/** Ready answers, signed. `day` is a closed day, `YYYY-MM-DD`. */
export const ready = (day: string): ReadonlyArray<Address> => [
  { path: "/try" },
  { path: "/v1/supply?network=FIL" },
  { path: "/v1/supply" },
  { path: "/v1/networks" },
  { path: "/v1/network/FIL" },
  { path: "/v1/market" },
  { path: "/v1/revenue" },
  { path: "/v1/world" },
  { path: "/v1/provenance" },
  { path: "/v1/data-dictionary" },
  { path: "/v1/history?network=FIL&metric=active_storage_providers&days=30" },
  { path: "/v1/history?network=FIL" },
  { path: `/v1/attest?symbol=FIL&metric=active_storage_providers&date=${day.replaceAll("-", "")}` },
  { path: "/v1/attestations" },
  { path: "/v1/revisions" },
  { path: "/v1/derivation" },
  { path: "/v1/brief" },
  { path: "/v1/log/checkpoint" },
  { path: `/v1/log/batches/${day}/leaves` },
  { path: "/x402" },
  { path: "/v1/credits/pricing" },
  { path: "/v1/uptime" },
  { path: "/openapi.json" },
  { path: "/v1/incidents" },
  { path: `/v1/log/batches/${day}/absent` },
  { path: "/.well-known/service-signing-key.json" },
  { path: "/v1/network/NOPE", status: 404 }
]

/** The explorer's pages, made at most once in ten seconds each. */
export const pages = (day: string): ReadonlyArray<Address> => [
  { path: "/" },
  { path: "/networks" },
  { path: "/network/FIL" },
  { path: "/network/FIL/active_storage_providers" },
  { path: "/network/FIL/active_storage_providers/chart.svg" },
  { path: "/compare?a=FIL&b=STORJ" },
  { path: "/log" },
  { path: `/log/${day}` },
  { path: "/verify" },
  { path: "/status" },
  { path: "/products" },
  { path: "/docs" }
]

/** The styles, scripts and fonts that a page names; their names change with their content. */
export const assetsIn = (page: string): ReadonlyArray<Address> =>
  [...new Set([...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path))].map(
    (path) => ({ path })
  )

/** Refusals that state no datum, unsigned. */
export const refused: ReadonlyArray<Address> = [
  { path: "/nothing", status: 404 },
  { path: "/v1/credits/purchase", status: 405 }
]
