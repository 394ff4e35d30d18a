/** The main places of the explorer: a new one is a line here. */
export const places: ReadonlyArray<{ readonly path: string; readonly name: string }> = [
  { path: "/", name: "Networks" },
  { path: "/compare", name: "Compare" },
  { path: "/watchlist", name: "Watchlist" },
  { path: "/world", name: "World" },
  { path: "/brief", name: "Brief" },
  { path: "/status", name: "Status" },
  { path: "/products", name: "Products" },
  { path: "/account", name: "Account" },
  { path: "/log", name: "Log" },
  { path: "/verify", name: "Verify" },
  { path: "/docs", name: "API" }
]

/** The path of the main place that a page belongs to; a page without a path, such as a refusal, belongs to none. */
export const placeOf = (path: string): string | undefined => {
  const [, first] = path.split(/[/?]/)
  return first === "network" || first === "category" ? "/" : first === undefined ? undefined : `/${first}`
}

/** Links below every page. */
export const more: ReadonlyArray<{ readonly path: string; readonly name: string }> = [
  { path: "/about", name: "About and contact" },
  { path: "/trust", name: "Who vouches for what" },
  { path: "/method", name: "Method" },
  { path: "/changes", name: "What changed" },
  { path: "/corrections", name: "Corrections" },
  { path: "/sources", name: "Sources and rights" },
  { path: "/coverage", name: "What the counts mean" },
  { path: "/institutions", name: "For institutions" },
  { path: "/docs", name: "API documentation" },
  { path: "/changelog", name: "Changelog" },
  { path: "/llms.txt", name: "llms.txt" },
  { path: "/openapi.json", name: "OpenAPI" },
  { path: "/v1", name: "JSON index" },
  { path: "/.well-known/service-signing-key.json", name: "Public keys" },
  { path: "/terms", name: "Terms" },
  { path: "/privacy", name: "Privacy" }
]
