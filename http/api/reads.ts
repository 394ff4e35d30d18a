/** What the reads that are also sold by the page take and return: their keyless paths and their paid ones share it. */
import { Context, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { AsofRequest, AsofResponse, largestJoin } from "../../core/wire/data/asof.ts"
import { HistoryResponse, HistorySeries, mostNetworks } from "../../core/wire/data/history.ts"
import { MarketResponse, MarketRow } from "../../core/wire/data/market.ts"
import { NetworkResponse, NetworkValue } from "../../core/wire/data/network.ts"
import { NetworkRow, NetworksResponse } from "../../core/wire/data/networks.ts"
import { ProvenanceRecord, ProvenanceResponse } from "../../core/wire/data/provenance.ts"
import { QueryRequest, QueryResponse } from "../../core/wire/data/query.ts"
import { RevenueResponse, RevenueRow } from "../../core/wire/data/revenue.ts"
import { SupplyResponse } from "../../core/wire/data/supply.ts"
import { ValueRow } from "../../core/wire/data/valueRow.ts"
import { ScopeMissing, TierTooLow } from "../../core/wire/problems/accounts.ts"
import { UnknownSymbol } from "../../core/wire/problems/request.ts"
import { LargestBody, ReadsBody, Sample, TakesLong } from "./Contract.ts"
import {
  cursor,
  filters,
  format,
  optionalSymbol,
  rowOptions,
  symbol,
  text,
  wholeNumber
} from "./parameters.ts"

export const someNetworks = Schema.String.annotate({
  description:
    `a symbol of /v1/networks; up to ${mostNetworks} of them with commas between them; or \`*\` for every network that ` +
    "has the `metric`, with a tier that includes cross-network views",
  examples: ["FIL"]
})

/** A body of `/v1/query`, for whoever asks how to call it. */
export const sampleQuery: QueryRequest = {
  symbols: ["FIL"],
  metrics: ["active_storage_providers"],
  aggregates: ["latest", "growth"],
  days: 7
}

/** A body of `/v1/asof`, for whoever asks how to call it. */
export const sampleAsof: AsofRequest = {
  rows: [
    {
      symbol: "FIL",
      metric: "active_storage_providers",
      as_known_at: "2026-09-04T18:00:00Z",
      at: "2026-09-03T23:59:59Z"
    },
    { symbol: "FIL", metric: "active_storage_providers", as_known_at: "2026-09-05T06:00:00Z" }
  ]
}

/** How its endpoints take their rows. */
export const readsRows = Context.empty().pipe(
  Context.add(Sample, sampleAsof),
  Context.add(LargestBody, largestJoin),
  Context.add(ReadsBody, true),
  Context.add(TakesLong, true)
)

/** The same request as a table. */
const AsofTable = Schema.String.annotate({
  description:
    "The rows as CSV (RFC 4180): a header line with the columns symbol, metric, as_known_at and, if you like, at and source; an empty cell is absent"
}).pipe(HttpApiSchema.asText({ contentType: "text/csv" }))

export const reads = {
  networks: {
    query: {
      query: text(
        "words of a question, such as `helium price`: returns the series that answer it with their value, and the networks that match any word"
      ),
      ...filters,
      ...rowOptions(NetworkRow),
      limit: wholeNumber(1, 2000, "maximum networks per page"),
      cursor,
      format
    },
    success: NetworksResponse,
    error: UnknownSymbol
  },
  network: {
    params: { symbol },
    query: {
      metrics: filters.metrics,
      ...rowOptions(NetworkValue),
      limit: wholeNumber(1, 2000, "maximum rows per page"),
      cursor,
      format
    },
    success: NetworkResponse,
    error: UnknownSymbol
  },
  supply: {
    query: {
      network: optionalSymbol,
      ...filters,
      ...rowOptions(ValueRow),
      limit: wholeNumber(1, 1000, "maximum networks per page; with `sort`, rows; with `network`, metrics"),
      cursor,
      format
    },
    success: SupplyResponse,
    error: UnknownSymbol
  },
  market: {
    query: {
      ...filters,
      metrics: text("figures with commas between them: only networks in which one of these is measured"),
      ...rowOptions(MarketRow),
      limit: wholeNumber(1, 2000, "maximum rows per page"),
      cursor,
      format
    },
    success: MarketResponse,
    error: UnknownSymbol
  },
  revenue: {
    query: {
      ...filters,
      metrics: text("figures with commas between them: only networks in which one of these is measured"),
      ...rowOptions(RevenueRow),
      limit: wholeNumber(1, 2000, "maximum rows per page"),
      cursor,
      format
    },
    success: RevenueResponse,
    error: UnknownSymbol
  },
  provenance: {
    query: {
      network: optionalSymbol,
      ...filters,
      ...rowOptions(ProvenanceRecord),
      limit: wholeNumber(1, 25_000, "maximum records per page"),
      cursor,
      format
    },
    success: ProvenanceResponse,
    error: UnknownSymbol
  },
  query: {
    query: { format },
    payload: QueryRequest,
    success: QueryResponse,
    error: [UnknownSymbol, ScopeMissing, TierTooLow]
  },
  asof: {
    payload: [AsofRequest, AsofTable],
    success: AsofResponse,
    error: UnknownSymbol
  },
  history: {
    query: {
      network: Schema.optionalKey(someNetworks),
      symbols: Schema.optionalKey(
        Schema.String.annotate({ description: "the same as `network`; send one of them" })
      ),
      metric: text("a metric of /v1/data-dictionary; defaults to every metric of the networks"),
      metrics: Schema.optionalKey(
        Schema.String.annotate({
          description: "several metrics with commas between them, in place of `metric`"
        })
      ),
      fields: rowOptions(HistorySeries).fields,
      days: wholeNumber(1, 3650, "number of days, today among them, default 30"),
      source: text("source label, if several feeds measure the metric"),
      as_known_at: text("an ISO 8601 date-time in UTC; returns the answer as it was given at that time"),
      limit: wholeNumber(1, 500, "maximum series per page"),
      cursor,
      format
    },
    success: HistoryResponse,
    error: [UnknownSymbol, ScopeMissing, TierTooLow]
  }
} as const
