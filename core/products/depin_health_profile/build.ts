/** `depin_health_profile`: what is measured about one network, and what is not. */
import { Context, Effect } from "effect"
import { bySymbol } from "../../catalog/Catalog.ts"
import { hour } from "../../plugin/time.ts"
import { canonical } from "../../proof/canonical.ts"
import { knownSymbol } from "../../readings/read/parameters.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { sold, type ViewParams, viewed } from "../build.ts"
import { devVelocityOf } from "../dev_velocity/build.ts"
import { dilutionOf } from "../dilution_risk_map/build.ts"
import { nodeQualityOf } from "../node_quality_score/build.ts"
import { ofValues } from "../shared/coverage.ts"
import { heuristicRule, inputOf, leftOut, liveRule, mean, readings } from "../shared/inputs.ts"
import definition, { type HealthProfile } from "./definition.ts"

/** The network of the purchased profile. */
export const ProfiledNetwork = Context.Reference<string>("core/products/ProfiledNetwork", {
  defaultValue: () => "FIL"
})

const single = ["price_change_30d_pct", "fees_30d_usd", "tvl_usd", "holders_count"] as const

/** Fails with `UnknownSymbol`. */
export const healthProfile = Effect.fn("Products.healthProfile")(function* (input: string) {
  const symbol = yield* knownSymbol("symbol", input)
  const current = yield* readings
  const { at, generated_utc, measured } = current
  const network = measured(symbol)
  const catalogEntry = bySymbol.get(symbol)
  const nodes = nodeQualityOf(network)
  const dilution = dilutionOf(network)
  const dev = devVelocityOf(network)
  const value = (metric: string) => network.of(metric)?.row.value ?? null
  const figures = {
    fresh_share: mean(network.confirmed.map(({ asOf }) => Number(at - asOf < 26 * hour))),
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
    ...leftOut(current, () => true, [symbol]),
    symbol,
    name: catalogEntry?.name ?? null,
    category: catalogEntry?.category ?? null,
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
        "The score is null if any of its three inputs is null; missing_fields lists what is not measured.",
        "active_ratio is not part of the score, because many networks publish only one node count.",
        liveRule,
        heuristicRule
      ]
    }
  } satisfies HealthProfile
})

const symbolOf = Effect.fnUntraced(function* ({ symbol }: ViewParams) {
  if (symbol !== undefined) return yield* knownSymbol("symbol", symbol)
  const message = "symbol is required: a symbol from /v1/networks, e.g. FIL."
  return yield* new BadParameter({ field: "symbol", message })
})

export default {
  sale: sold(definition, () => Effect.flatMap(ProfiledNetwork, healthProfile), {
    covers: Effect.flatMap(ProfiledNetwork, (symbol) => ofValues(() => true, new Set([symbol]))),
    holds: ({ live_series }) => live_series > 0
  }),
  view: viewed(definition, (params) => Effect.flatMap(symbolOf(params), healthProfile), symbolOf)
}
