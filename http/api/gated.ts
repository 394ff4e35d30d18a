/**
 * Views and engines that a subscription tier opens, and the export (4.3). Below the tier each is a 402 that
 * names it; credits never open one.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NoTable, TierTooLow, ViewUnavailable } from "../../core/wire/problems/accounts.ts"
import { BadParameter, UnknownSymbol } from "../../core/wire/problems/request.ts"
import { CompetitiveLandscape } from "../../core/wire/products/competitiveLandscape.ts"
import { Changes, Compare, Correlations, Digest } from "../../core/wire/products/crossNetwork.ts"
import { DevVelocity } from "../../core/wire/products/devVelocity.ts"
import { DilutionRisk } from "../../core/wire/products/dilutionRisk.ts"
import { GeoConcentration } from "../../core/wire/products/geoConcentration.ts"
import { GpuSupplyDemand } from "../../core/wire/products/gpuSupplyDemand.ts"
import { HealthProfile } from "../../core/wire/products/healthProfile.ts"
import { CryptoIndicators } from "../../core/wire/products/indicators.ts"
import { IntelBundle } from "../../core/wire/products/intelBundle.ts"
import { LeadLag } from "../../core/wire/products/leadLag.ts"
import { MarketRegime } from "../../core/wire/products/marketRegime.ts"
import { NodeQuality } from "../../core/wire/products/nodeQuality.ts"
import { SectorHealth } from "../../core/wire/products/sectorHealth.ts"
import { SignalLedger } from "../../core/wire/products/signalLedger.ts"
import { AccountKey } from "./Account.ts"
import { symbol, text, wholeNumber } from "./parameters.ts"

/** Said of what a tier opens: without a key it is a 402, as with a key of a lower tier, and no 401. */
const withKey = [{ apiKey: [] }]

const view = <const Name extends string, const Path extends `/${string}`, Success extends Schema.Top>(
  name: Name,
  path: Path,
  summary: string,
  success: Success
) =>
  HttpApiEndpoint.get(name, path, { success, error: [TierTooLow, ViewUnavailable] }).annotateMerge(
    OpenApi.annotations({
      summary,
      description: "Needs the Design Partner tier or above.",
      override: { security: withKey }
    })
  )

export const Gated = HttpApiGroup.make("gated")
  .add(
    HttpApiEndpoint.get("compare", "/v1/compare", {
      query: { metric: text("a metric of /v1/data-dictionary") },
      success: Compare,
      error: [TierTooLow, ViewUnavailable, BadParameter]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "One metric across networks",
        description: "Needs the Design Partner tier or above.",
        override: { security: withKey }
      })
    ),
    view("leadLag", "/v1/lead-lag", "Which asset goes before which", LeadLag),
    view("indicators", "/v1/indicators", "Indicators over hourly bars of 14 assets", CryptoIndicators),
    view("digest", "/v1/digest", "The day in short", Digest),
    view("changes", "/v1/changes", "What changed most", Changes),
    view("correlations", "/v1/correlations", "Series that move together", Correlations),
    view("nodeQuality", "/v1/node-quality", "Quality-adjusted node counts", NodeQuality),
    view("dilutionRisk", "/v1/dilution-risk", "FDV to market cap, by class", DilutionRisk),
    view("gpuSupplyDemand", "/v1/gpu-supply-demand", "GPUs by device, available and in use", GpuSupplyDemand),
    view("sectorHealth", "/v1/sector-health", "Composite health by category", SectorHealth),
    view("geoConcentration", "/v1/geo-concentration", "Geographic distribution", GeoConcentration),
    view("devVelocity", "/v1/dev-velocity", "Repository activity", DevVelocity),
    view(
      "competitiveLandscape",
      "/v1/competitive-landscape",
      "Market share by category",
      CompetitiveLandscape
    ),
    view("marketRegime", "/v1/market-regime", "Regime and stability", MarketRegime),
    view("intel", "/v1/intel", "Analyses by network", IntelBundle),
    HttpApiEndpoint.get("signals", "/v1/signals", {
      query: {
        limit: wholeNumber(1, 500, "rows in an answer, 100 where it is left out"),
        cursor: text("`next_cursor` of the page before: the number of a row")
      },
      success: SignalLedger,
      error: [TierTooLow, ViewUnavailable, BadParameter]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Hash-chained signals",
        description: "Measured events, newest first. Needs the Design Partner tier or above.",
        override: { security: withKey }
      })
    ),
    HttpApiEndpoint.get("healthProfile", "/v1/health-profile/:symbol", {
      params: { symbol },
      success: HealthProfile,
      error: [TierTooLow, ViewUnavailable, UnknownSymbol]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Health of one network",
        description: "Needs the Design Partner tier or above.",
        override: { security: withKey }
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Views and engines",
      description: "Opened by a subscription, never by credits."
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
        dataset: Schema.Literals(datasets).annotate({ description: "what is exported" }),
        format: Schema.optionalKey(
          Schema.Literals(["csv", "ndjson"]).annotate({ description: "csv where it is left out" })
        ),
        symbol: text("with dataset=history: a symbol of /v1/networks"),
        days: wholeNumber(1, 3650, "with dataset=history: days of history")
      },
      success: [
        file("text/csv; charset=utf-8", "RFC 4180 with a header line; null is an empty cell, 0 is 0"),
        file(
          "application/x-ndjson",
          "With format=ndjson: one JSON object a line, as the GET has it; a row of a pair holds both sources as well"
        )
      ],
      error: [TierTooLow, ViewUnavailable, NoTable, BadParameter, UnknownSymbol]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "A dataset as a file",
        description:
          "Needs a tier with exports (Pro, Enterprise); grants nothing beyond what the tier may GET. `X-Service-Export-Rows` " +
          "counts the rows, `X-Service-Export-Source` names the GET that they are of. In a CSV a text that a spreadsheet " +
          "would run (it begins with =, +, -, @, a tab or a line break, and is no number) has an apostrophe before it."
      })
    )
  )
  .middleware(AccountKey)
  .annotateMerge(OpenApi.annotations({ title: "Export", description: "Files for tools." }))
