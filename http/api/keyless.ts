/** What anyone may read, without a key. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { DataDictionaryResponse } from "../../core/wire/data/dataDictionary.ts"
import { HistoryResponse } from "../../core/wire/data/history.ts"
import { MarketResponse } from "../../core/wire/data/market.ts"
import { NetworkResponse } from "../../core/wire/data/network.ts"
import { NetworksResponse, TryResponse } from "../../core/wire/data/networks.ts"
import { ProvenanceResponse } from "../../core/wire/data/provenance.ts"
import { RevenueResponse } from "../../core/wire/data/revenue.ts"
import { RevisionsResponse } from "../../core/wire/data/revisions.ts"
import { SupplyResponse } from "../../core/wire/data/supply.ts"
import { WorldResponse } from "../../core/wire/data/world.ts"
import { UnknownSymbol } from "../../core/wire/problems/request.ts"
import { Lasts } from "./Contract.ts"
import { cursor, optionalSymbol, symbol, text, wholeNumber } from "./parameters.ts"

const words = (summary: string, description: string) => OpenApi.annotations({ summary, description })

/** Of what a key of a tier opens wider; it is served without one, too. */
const wider = OpenApi.annotations({ override: { security: [{}, { apiKey: [] }] } })

export const Keyless = HttpApiGroup.make("keyless")
  .add(
    HttpApiEndpoint.get("try", "/try", { success: TryResponse })
      .annotate(Lasts, "snapshot")
      .annotateMerge(
        words("Three networks to begin with", "Each with an upstream address to compare against.")
      ),
    HttpApiEndpoint.get("networks", "/v1/networks", {
      query: {
        query: text("words of a symbol, name or category; what any of them finds, the best match first"),
        limit: wholeNumber(1, 2000, "networks in an answer"),
        cursor
      },
      success: NetworksResponse
    })
      .annotate(Lasts, "snapshot")
      .annotateMerge(
        words("The catalog", "What is measured of each network, and which networks are not covered, and why.")
      )
      .annotateMerge(wider),
    HttpApiEndpoint.get("network", "/v1/network/:symbol", {
      params: { symbol },
      success: NetworkResponse,
      error: UnknownSymbol
    })
      .annotate(Lasts, "snapshot")
      .annotateMerge(
        words("One network", "The latest value of everything measured of it, whether in the sample or not.")
      ),
    HttpApiEndpoint.get("supply", "/v1/supply", {
      query: {
        network: optionalSymbol,
        limit: wholeNumber(1, 1000, "networks in an answer"),
        cursor
      },
      success: SupplyResponse,
      error: UnknownSymbol
    })
      .annotate(Lasts, "snapshot")
      .annotateMerge(
        words(
          "Telemetry",
          "First-party telemetry as a list of value rows; with `network` an object keyed by metric, with ages."
        )
      )
      .annotateMerge(wider),
    HttpApiEndpoint.get("market", "/v1/market", {
      query: { limit: wholeNumber(1, 2000, "rows in an answer"), cursor },
      success: MarketResponse
    })
      .annotate(Lasts, "snapshot")
      .annotateMerge(
        words(
          "Market figures",
          "Price and capitalisation; null where it is not measured. The header `Link` names the next page."
        )
      ),
    HttpApiEndpoint.get("revenue", "/v1/revenue", {
      query: { limit: wholeNumber(1, 2000, "rows in an answer"), cursor },
      success: RevenueResponse
    })
      .annotate(Lasts, "snapshot")
      .annotateMerge(
        words(
          "Fees and value locked",
          "A measured 0 is served as 0; null where it is not measured. The header `Link` names the next page."
        )
      ),
    HttpApiEndpoint.get("provenance", "/v1/provenance", {
      query: {
        network: optionalSymbol,
        limit: wholeNumber(1, 25_000, "records in an answer"),
        cursor
      },
      success: ProvenanceResponse,
      error: UnknownSymbol
    })
      .annotate(Lasts, "snapshot")
      .annotateMerge(
        words(
          "Where every series comes from",
          "Also the networks that nobody measures, and the series that are withheld, each with the reason."
        )
      ),
    HttpApiEndpoint.get("history", "/v1/history", {
      query: {
        network: symbol,
        metric: text("the name of a metric that a feed declares; without it every metric of the network"),
        days: wholeNumber(1, 3650, "days to look back; 30 where it is not given"),
        source: text("the label of a feed, where several give the metric"),
        as_known_at: text("an ISO 8601 date-time in UTC: the values as they were published at that time"),
        limit: wholeNumber(1, 500, "metrics in an answer"),
        cursor
      },
      success: HistoryResponse,
      error: UnknownSymbol
    })
      .annotateMerge(wider)
      .annotateMerge(
        words(
          "Daily history of one network",
          "One point a day, the last accepted reading; a day without a reading is absent, never interpolated. " +
            "History begins on 2026-08-06."
        )
      ),
    HttpApiEndpoint.get("world", "/v1/world", { success: WorldResponse }).annotateMerge(
      words("The physical world", "Vessels, airspace, aircraft, satellites, GPS interference. No rate limit.")
    ),
    HttpApiEndpoint.get("dictionary", "/v1/data-dictionary", {
      success: DataDictionaryResponse
    }).annotateMerge(
      words("What is measured", "Every feed and every metric: how fresh, how deep, how wide, in which state.")
    ),
    HttpApiEndpoint.get("revisions", "/v1/revisions", {
      query: {
        limit: wholeNumber(1, 500, "revisions in an answer"),
        cursor: wholeNumber(1, 2_147_483_647, "`next_cursor` of the page before")
      },
      success: RevisionsResponse
    }).annotateMerge(
      words("Changes of published values", "Every value that was changed afterwards, with the value before.")
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Keyless",
      description: "Reading needs no key and costs nothing. Every answer is signed."
    })
  )
