/** `depin_health_profile`: what is measured of one network, and what is not (spec 2.10). */
import { Context, Effect, Schema } from "effect"
import { bySymbol, Category } from "../catalog/Catalog.ts"
import { hour } from "../data/read/freshness.ts"
import { knownSymbol } from "../data/read/parameters.ts"
import { described } from "../data/read/valueRow.ts"
import { canonical } from "../proof/canonical.ts"
import { devVelocityOf } from "./devVelocity.ts"
import { dilutionOf } from "./dilutionRisk.ts"
import {
  figure,
  head,
  heuristicRule,
  inputOf,
  inputs,
  liveRule,
  mean,
  missing,
  natural,
  readings,
  share
} from "./inputs.ts"
import { nodeQualityOf } from "./nodeQuality.ts"

/** The network whose profile is sold (spec 2.10: one fixed network). */
export const ProfiledNetwork = Context.Reference<string>("core/products/ProfiledNetwork", {
  defaultValue: () => "FIL"
})

export const HealthProfile = Schema.Struct({
  ...head,
  symbol: described.symbol,
  name: Schema.NullOr(Schema.String).annotate({ description: "Name in the catalog; null for a sector" }),
  category: Schema.NullOr(Category).annotate({ description: "What it offers; null for a sector" }),
  live_series: natural("Series with a value younger than 7 days"),
  telemetry_series: natural("Those that are the network's own telemetry"),
  fresh_share: share(
    "Share of the live series whose value is younger than 26 hours; null where there are none"
  ),
  active_ratio: share("Active nodes over all nodes; null where either is not measured"),
  fdv_to_market_cap: figure("Fully diluted valuation over market capitalisation"),
  price_change_30d_pct: figure("Change of the price over 30 days, in percent"),
  fees_30d_usd: figure("Protocol fees of 30 days, in US dollars"),
  tvl_usd: figure("Value locked, in US dollars"),
  holders_count: figure("Addresses that hold the token"),
  days_since_push: figure("Days since the newest push to its repositories"),
  health_score: figure("0 to 100 after the methodology; null where an input is not measured"),
  missing_fields: missing,
  evidence_json: Schema.String.annotate({
    contentMediaType: "application/json",
    description: "The inputs again as one RFC 8785 text, for keeping and hashing"
  }),
  inputs
}).annotate({ identifier: "HealthProfile", description: "The health of one network" })
export interface HealthProfile extends Schema.Schema.Type<typeof HealthProfile> {}

const single = ["price_change_30d_pct", "fees_30d_usd", "tvl_usd", "holders_count"] as const

/** Fails with `UnknownSymbol`. */
export const healthProfile = Effect.fn("healthProfile")(function* (wanted: string) {
  const symbol = yield* knownSymbol("symbol", wanted)
  const { at, generated_utc, measured } = yield* readings
  const network = measured(symbol)
  const known = bySymbol.get(symbol)
  const nodes = nodeQualityOf(network)
  const dilution = dilutionOf(network)
  const dev = devVelocityOf(network)
  const value = (metric: string) => network.of(metric)?.row.value ?? null
  const figures = {
    fresh_share: mean(network.rows.map(({ asOf }) => Number(at - asOf < 26 * hour))),
    active_ratio: nodes?.active_ratio ?? null,
    fdv_to_market_cap: dilution?.fdv_to_market_cap ?? null,
    price_change_30d_pct: value("price_change_30d_pct"),
    fees_30d_usd: value("fees_30d_usd"),
    tvl_usd: value("tvl_usd"),
    holders_count: value("holders_count"),
    days_since_push: dev?.days_since_push ?? null
  }
  const { days_since_push: days, fdv_to_market_cap: fdv, fresh_share: fresh } = figures
  const used = [
    ...(nodes?.inputs ?? []),
    ...(dilution?.inputs ?? []),
    ...(dev?.inputs ?? []),
    ...single.flatMap((metric) => {
      const row = network.of(metric)
      return row === undefined ? [] : [inputOf(row)]
    })
  ]
  return {
    generated_utc,
    symbol,
    name: known?.name ?? null,
    category: known?.category ?? null,
    live_series: network.rows.length,
    telemetry_series: network.rows.filter(({ tier }) => tier === "supply_telemetry").length,
    ...figures,
    health_score:
      fresh === null || fdv === null || days === null
        ? null
        : 100 * (0.4 * fresh + 0.3 * Math.min(1, Math.max(0, 1 / fdv)) + 0.3 * Math.max(0, 1 - days / 90)),
    missing_fields: Object.entries(figures).flatMap(([name, figure]) => (figure === null ? [name] : [])),
    evidence_json: canonical(used),
    inputs: used,
    methodology: {
      formula:
        "health_score = 100 × (0.4 fresh_share + 0.3 min(1, 1 / fdv_to_market_cap) + 0.3 max(0, 1 - days_since_push / 90))",
      fields: [
        ...new Set([
          ...used.map(({ metric }) => metric),
          ...single,
          "fully_diluted_valuation_usd",
          "market_cap_usd",
          "dev_days_since_push"
        ])
      ],
      rules: [
        "The score is null where any of its three inputs is; missing_fields names what is not measured.",
        "active_ratio stands beside the score and not in it: many networks count their nodes in one way alone.",
        liveRule,
        heuristicRule
      ]
    }
  } satisfies HealthProfile
})
