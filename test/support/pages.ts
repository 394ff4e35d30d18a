/** Addresses of every kind of page, over the days of `explorerDays.ts`: a new kind is a line here. */

/** Pages that are about figures. */
export const figurePages = [
  "/",
  "/map",
  "/measure/storage-providers",
  "/measure/earned",
  "/measures",
  "/networks",
  "/networks?q=providers",
  "/networks?columns=market",
  "/networks?columns=data",
  "/network/FIL",
  "/network/FIL/active_storage_providers",
  "/category/storage",
  "/compare?a=FIL&b=SC&by=value",
  "/compare?a=FIL&b=SC&by=value&as_known_at=2026-09-02",
  "/world",
  "/status",
  "/products",
  "/log",
  "/log/2026-09-03",
  "/coverage",
  "/changes",
  "/sources"
] as const

/** Pages of words, forms and lists. */
export const otherPages = [
  "/network/2BLOX",
  // Without an edition.
  "/brief",
  "/compare",
  "/products/depin_networks",
  "/account",
  "/paid",
  "/watchlist",
  "/log/incidents",
  "/log/revisions",
  "/verify",
  "/trust",
  "/anomalies",
  "/corrections",
  "/about",
  "/method",
  "/institutions",
  "/privacy",
  "/terms",
  "/nothing"
] as const

/** Pages for programmers, who know names of programs. */
export const programmersPages = [
  "/changelog",
  "/docs",
  "/docs/recipes",
  "/docs/test-mode",
  "/docs/history",
  "/docs/account",
  "/problems/bad-parameter"
] as const
