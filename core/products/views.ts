/**
 * The gated views, by the last part of their path: the capability each requires and how it is built. HTTP and MCP both
 * use this list, so neither can grant access that the other denies.
 */
import { Effect } from "effect"
import { asKnownAt } from "../data/read/asKnownAt.ts"
import type { Capability } from "../wire/credits/tiers.ts"
import { BadParameter } from "../wire/problems/request.ts"
import { refusedKnownAt } from "../wire/products/pointInTime.ts"
import { type ViewPath, viewTitles } from "../wire/products/views.ts"
import { competitiveLandscape } from "./competitiveLandscape.ts"
import { compare, dailyChanges, dailyCorrelations } from "./crossNetwork.ts"
import { devVelocity } from "./devVelocity.ts"
import { digest } from "./digest.ts"
import { dilutionRisk } from "./dilutionRisk.ts"
import { divergence } from "./divergence.ts"
import { geoConcentration } from "./geoConcentration.ts"
import { gpuSupplyDemand } from "./gpuSupplyDemand.ts"
import { healthProfile } from "./healthProfile.ts"
import { cryptoIndicators } from "./indicators.ts"
import { intelBundle } from "./intelBundle.ts"
import { leadLag } from "./leadLag.ts"
import { marketRegime } from "./marketRegime.ts"
import { nodeQuality } from "./nodeQuality.ts"
import { sectorHealth } from "./sectorHealth.ts"
import { signalLedger } from "./signalLedger.ts"

/** The parameters of a view. */
export interface Asked {
  readonly metric?: string | undefined
  readonly symbol?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  readonly as_known_at?: string | undefined
}

/** Subject of the view; `limit` and `cursor` apply to paged views. */
export type Takes = "metric" | "symbol"

export interface View<A, E, R> {
  readonly capability: Capability
  readonly rest: `/v1/${string}`
  readonly content: string
  /** The view's parameter. */
  readonly takes?: Takes
  /** True if the view has pages; otherwise it is one document. */
  readonly pages?: true
  readonly make: (asked: Asked) => Effect.Effect<A, E, R>
}

const ofNow = <A, E, R>(
  capability: Capability,
  path: ViewPath,
  make: View<A, E, R>["make"],
  takes?: Takes
): View<A, E, R> => ({
  capability,
  rest: path,
  content: viewTitles[path],
  make,
  ...(takes === undefined ? {} : { takes })
})

/** The same, as known at the time that is asked for. */
const view = <A extends object, E, R>(
  capability: Capability,
  path: ViewPath,
  make: View<A, E, R>["make"],
  takes?: Takes
) => ofNow(capability, path, (asked) => asKnownAt(asked.as_known_at, make(asked)), takes)

const signals = Effect.fnUntraced(function* ({ as_known_at, ...asked }: Asked) {
  const refused = as_known_at === undefined ? undefined : refusedKnownAt("signal_ledger")
  return refused === undefined ? yield* signalLedger(asked) : yield* refused
})

const profile = Effect.fnUntraced(function* ({ symbol }: Asked) {
  if (symbol !== undefined) return yield* healthProfile(symbol)
  const message = "symbol is required: a symbol from /v1/networks, e.g. FIL."
  return yield* new BadParameter({ field: "symbol", message })
})

export const views = {
  compare: view("cross_network", "/v1/compare", ({ metric }) => compare(metric), "metric"),
  digest: view("cross_network", "/v1/digest", () => digest),
  changes: view("cross_network", "/v1/changes", () => dailyChanges),
  correlations: view("cross_network", "/v1/correlations", () => dailyCorrelations),
  "lead-lag": view("engines", "/v1/lead-lag", () => leadLag),
  indicators: view("engines", "/v1/indicators", () => cryptoIndicators),
  "node-quality": view("engines", "/v1/node-quality", () => nodeQuality),
  divergence: view("divergence", "/v1/divergence", () => divergence),
  "dilution-risk": view("engines", "/v1/dilution-risk", () => dilutionRisk),
  "gpu-supply-demand": view("engines", "/v1/gpu-supply-demand", () => gpuSupplyDemand),
  "sector-health": view("engines", "/v1/sector-health", () => sectorHealth),
  "geo-concentration": view("engines", "/v1/geo-concentration", () => geoConcentration),
  "dev-velocity": view("engines", "/v1/dev-velocity", () => devVelocity),
  "competitive-landscape": view("engines", "/v1/competitive-landscape", () => competitiveLandscape),
  "market-regime": view("engines", "/v1/market-regime", () => marketRegime),
  signals: {
    ...ofNow("engines", "/v1/signals", signals),
    pages: true as const
  },
  intel: view("engines", "/v1/intel", () => intelBundle),
  "health-profile": {
    ...view("engines", "/v1/health-profile", profile, "symbol"),
    rest: "/v1/health-profile/{symbol}" as const
  }
}
