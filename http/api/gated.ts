/**
 * Views, engines and exports that require a subscription tier. Below that tier each returns a 402 that names the tier;
 * credits never unlock them.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  KeyUnknown,
  NoTable,
  ScopeMissing,
  TierTooLow,
  ViewUnavailable
} from "../../core/wire/problems/accounts.ts"
import { BadParameter, UnknownSymbol } from "../../core/wire/problems/request.ts"
import { CompetitiveLandscape } from "../../core/wire/products/competitiveLandscape.ts"
import { Changes, Compare, Correlations, Digest } from "../../core/wire/products/crossNetwork.ts"
import { DevVelocity } from "../../core/wire/products/devVelocity.ts"
import { DilutionRisk } from "../../core/wire/products/dilutionRisk.ts"
import { DivergenceView } from "../../core/wire/products/divergence.ts"
import { GeoConcentration } from "../../core/wire/products/geoConcentration.ts"
import { GpuSupplyDemand } from "../../core/wire/products/gpuSupplyDemand.ts"
import { HealthProfile } from "../../core/wire/products/healthProfile.ts"
import { CryptoIndicators } from "../../core/wire/products/indicators.ts"
import { IntelBundle } from "../../core/wire/products/intelBundle.ts"
import { LeadLag } from "../../core/wire/products/leadLag.ts"
import { MarketRegime } from "../../core/wire/products/marketRegime.ts"
import { NodeQuality } from "../../core/wire/products/nodeQuality.ts"
import { takesKnownAt } from "../../core/wire/products/pointInTime.ts"
import { SectorHealth } from "../../core/wire/products/sectorHealth.ts"
import { SignalLedger } from "../../core/wire/products/signalLedger.ts"
import { type ViewPath, viewTitles } from "../../core/wire/products/views.ts"
import { ByTier, DependsOn } from "./Contract.ts"
import { symbol, text, wholeNumber } from "./parameters.ts"

/**
 * Views are made of nearly everything, with ages as of now: they are made at most once a second for each tier. As known at
 * an earlier time they stay as they are, while the readings are kept.
 */
const dated: DependsOn = ({ query: { as_known_at } }) =>
  as_known_at === undefined
    ? ["symbols", "reads", "runs", "incidents", "log", "anchors", "feeds", "second"]
    : ["retention"]

const knownAt = { as_known_at: text(takesKnownAt) }

/** Tiered views accept a key. Without one they return 402, as for a lower tier, rather than 401. */
const withKey = [{ apiKey: [] }]

const view = <const Name extends string, const Path extends ViewPath, Success extends Schema.Top>(
  name: Name,
  path: Path,
  success: Success,
  tier = "Design Partner"
) =>
  HttpApiEndpoint.get(name, path, {
    query: knownAt,
    success,
    error: [ScopeMissing, TierTooLow, ViewUnavailable, BadParameter]
  })
    .annotate(DependsOn, dated)
    .annotate(ByTier, true)
    .annotateMerge(
      OpenApi.annotations({
        summary: viewTitles[path],
        description: `Requires the ${tier} tier or higher.`,
        override: { security: withKey }
      })
    )

export const Gated = HttpApiGroup.make("gated")
  .add(
    HttpApiEndpoint.get("compare", "/v1/compare", {
      query: { metric: text("a metric of /v1/data-dictionary"), ...knownAt },
      success: Compare,
      error: [ScopeMissing, TierTooLow, ViewUnavailable, BadParameter]
    })
      .annotate(DependsOn, dated)
      .annotate(ByTier, true)
      .annotateMerge(
        OpenApi.annotations({
          summary: viewTitles["/v1/compare"],
          description: "Requires the Design Partner tier or higher.",
          override: { security: withKey }
        })
      ),
    view("leadLag", "/v1/lead-lag", LeadLag),
    view("indicators", "/v1/indicators", CryptoIndicators),
    view("digest", "/v1/digest", Digest),
    view("changes", "/v1/changes", Changes),
    view("correlations", "/v1/correlations", Correlations),
    view("nodeQuality", "/v1/node-quality", NodeQuality),
    view("divergence", "/v1/divergence", DivergenceView, "Institutional"),
    view("dilutionRisk", "/v1/dilution-risk", DilutionRisk),
    view("gpuSupplyDemand", "/v1/gpu-supply-demand", GpuSupplyDemand),
    view("sectorHealth", "/v1/sector-health", SectorHealth),
    view("geoConcentration", "/v1/geo-concentration", GeoConcentration),
    view("devVelocity", "/v1/dev-velocity", DevVelocity),
    view("competitiveLandscape", "/v1/competitive-landscape", CompetitiveLandscape),
    view("marketRegime", "/v1/market-regime", MarketRegime),
    view("intel", "/v1/intel", IntelBundle),
    HttpApiEndpoint.get("signals", "/v1/signals", {
      query: {
        limit: wholeNumber(1, 500, "maximum rows per page, default 100"),
        cursor: text("`next_cursor` of the previous page (a row number)")
      },
      success: SignalLedger,
      error: [ScopeMissing, TierTooLow, ViewUnavailable, BadParameter]
    })
      .annotate(DependsOn, dated)
      .annotate(ByTier, true)
      .annotateMerge(
        OpenApi.annotations({
          summary: viewTitles["/v1/signals"],
          description: "Requires the Design Partner tier or higher.",
          override: { security: withKey }
        })
      ),
    HttpApiEndpoint.get("healthProfile", "/v1/health-profile/:symbol", {
      params: { symbol },
      query: knownAt,
      success: HealthProfile,
      error: [ScopeMissing, TierTooLow, ViewUnavailable, BadParameter, UnknownSymbol]
    })
      .annotate(DependsOn, dated)
      .annotate(ByTier, true)
      .annotateMerge(
        OpenApi.annotations({
          summary: viewTitles["/v1/health-profile"],
          description: "Requires the Design Partner tier or higher.",
          override: { security: withKey }
        })
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Views and engines",
      description: "Unlocked by a subscription, never by credits."
    })
  )

export const datasets = [
  "networks",
  "grades",
  "correlations",
  "lead-lag",
  "indicators",
  "changes",
  "digest",
  "supply",
  "history"
] as const

const file = (contentType: string, description: string) =>
  Schema.String.annotate({ description }).pipe(HttpApiSchema.asText({ contentType }))

export const Export = HttpApiGroup.make("export")
  .add(
    HttpApiEndpoint.get("export", "/v1/export", {
      query: {
        dataset: Schema.Literals(datasets).annotate({ description: "the dataset to export" }),
        format: Schema.optionalKey(
          Schema.Literals(["csv", "ndjson"]).annotate({ description: "file format, default csv" })
        ),
        symbol: text("with dataset=history: a symbol of /v1/networks; without it, every network"),
        days: wholeNumber(1, 3650, "with dataset=history: number of days, today among them"),
        as_known_at: text(`with history and the views: ${takesKnownAt}`)
      },
      success: [
        file(
          "text/csv; charset=utf-8",
          "RFC 4180 with a header line; null is an empty cell, a measured 0 is 0"
        ),
        file(
          "application/x-ndjson",
          "With format=ndjson: one JSON object per line, as in the GET; rows about a pair also name both sources"
        )
      ],
      error: [KeyUnknown, ScopeMissing, TierTooLow, ViewUnavailable, NoTable, BadParameter, UnknownSymbol]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "A dataset as a file",
        description:
          "Requires a tier with exports (Pro or Enterprise) and contains only data that the tier can GET. " +
          "`X-Service-Export-Rows` is the number of rows and `X-Service-Export-Source` the GET they come from. In CSV, a " +
          "text that a spreadsheet would run as a formula (it starts with =, +, -, @, a tab or a line break and is not a " +
          "number) is prefixed with an apostrophe.",
        override: { security: withKey }
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Export", description: "Datasets as files." }))
