/** What anyone may read, without a key (spec 4.1). */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { MarketResponse } from "../../core/data/views/market.ts"
import { NetworkResponse } from "../../core/data/views/network.ts"
import { NetworksResponse, TryResponse } from "../../core/data/views/networks.ts"
import { RevenueResponse } from "../../core/data/views/revenue.ts"
import { SupplyResponse } from "../../core/data/views/supply.ts"
import { Lasts } from "./Contract.ts"
import { cursor, symbol, text, wholeNumber } from "./parameters.ts"
import { UnknownSymbol } from "./problems.ts"

const words = (summary: string, description: string) => OpenApi.annotations({ summary, description })

export const Keyless = HttpApiGroup.make("keyless")
  .add(
    HttpApiEndpoint.get("try", "/try", { success: TryResponse })
      .annotate(Lasts, "snapshot")
      .annotateMerge(
        words("Three networks to begin with", "Each with an upstream address to compare against.")
      ),
    HttpApiEndpoint.get("networks", "/v1/networks", {
      query: { limit: wholeNumber(1, 2000, "networks in an answer"), cursor },
      success: NetworksResponse
    })
      .annotate(Lasts, "snapshot")
      .annotateMerge(
        words("The catalog", "What is measured of each network, and which networks are not covered, and why.")
      ),
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
        network: text("a symbol of /v1/networks, exact in case; subnets are SN0 to SN128"),
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
      ),
    HttpApiEndpoint.get("market", "/v1/market", {
      query: { limit: wholeNumber(1, 2000, "rows in an answer"), cursor },
      success: MarketResponse
    })
      .annotate(Lasts, "snapshot")
      .annotateMerge(words("Market figures", "Price and capitalisation; null where it is not measured.")),
    HttpApiEndpoint.get("revenue", "/v1/revenue", {
      query: { limit: wholeNumber(1, 2000, "rows in an answer"), cursor },
      success: RevenueResponse
    })
      .annotate(Lasts, "snapshot")
      .annotateMerge(
        words("Fees and value locked", "A measured 0 is served as 0; null where it is not measured.")
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Keyless",
      description: "Reading needs no key and costs nothing. Every answer is signed."
    })
  )
