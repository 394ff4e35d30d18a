/** What of a network is measured: its own telemetry, only figures of its market, or nothing. */
import type { TelemetryTier } from "../../wire/data/networks.ts"
import type { CurrentRow } from "./Current.ts"
import { isLive, type Listing } from "./listing.ts"

export const isFirstParty = ({ tier }: CurrentRow): boolean => tier === "supply_telemetry"

/** Only live series count: a network whose last telemetry is a week old has none. */
export const liveRowsOf = (symbol: string, { at, bySymbol }: Listing): ReadonlyArray<CurrentRow> =>
  (bySymbol.get(symbol) ?? []).filter(isLive(at))

export const telemetryTierOf = (symbol: string, list: Listing): TelemetryTier => {
  const live = liveRowsOf(symbol, list)
  if (live.length === 0) return "catalog_only"
  return live.some(isFirstParty) ? "first_party" : "market_only"
}

/** Place of each kind in a list: what is measured first, what is only listed last. */
export const rankOfTier: Readonly<Record<TelemetryTier, number>> = {
  first_party: 0,
  market_only: 1,
  catalog_only: 2
}
