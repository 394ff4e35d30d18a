interface Place {
  readonly path: string
  readonly name: string
}

/** Where the list of networks is. */
export const networksPath = "/networks"

/** The main places of the explorer. */
export const places: ReadonlyArray<Place> = [
  { path: "/", name: "Today" },
  { path: "/changes", name: "Yesterday" },
  { path: networksPath, name: "Networks" },
  { path: "/world", name: "World" },
  { path: "/verify", name: "Verify" }
]

/** The other places, which "More" leads to, at the end of each page. */
export const morePlaces: ReadonlyArray<Place> = [
  { path: "/measures", name: "Measures" },
  { path: "/map", name: "Map" },
  { path: "/compare", name: "Compare" },
  { path: "/watchlist", name: "Watchlist" },
  { path: "/brief", name: "Brief" },
  { path: "/status", name: "Status" },
  { path: "/products", name: "Products" },
  { path: "/account", name: "Account" },
  { path: "/log", name: "Log" },
  { path: "/docs", name: "API" }
]

/** The path of the main place that a page belongs to; a page without a path, such as a refusal, belongs to none. */
export const placeOf = (path: string): string | undefined => {
  const [, first] = path.split(/[/?]/)
  return first === "network" || first === "category"
    ? networksPath
    : first === undefined
      ? undefined
      : `/${first}`
}

/** Links below every page. */
export const more: ReadonlyArray<Place> = [
  { path: "/about", name: "About and contact" },
  { path: "/trust", name: "Who vouches for what" },
  { path: "/method", name: "Method" },
  { path: "/corrections", name: "Corrections" },
  { path: "/sources", name: "Sources and rights" },
  { path: "/coverage", name: "What the counts mean" },
  { path: "/institutions", name: "For institutions" },
  { path: "/changelog", name: "Changelog" },
  { path: "/llms.txt", name: "llms.txt" },
  { path: "/openapi.json", name: "OpenAPI" },
  { path: "/v1", name: "JSON index" },
  { path: "/.well-known/service-signing-key.json", name: "Public keys" },
  { path: "/terms", name: "Terms" },
  { path: "/privacy", name: "Privacy" }
]
