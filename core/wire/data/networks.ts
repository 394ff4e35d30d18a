/** `/v1/networks` and `/try`. */
import { Schema } from "effect"
import { Category } from "../../plugin/kinds.ts"
import { AccessNote } from "./access.ts"
import { Change } from "./change.ts"
import { described, ValueRow } from "./valueRow.ts"

export const TelemetryTier = Schema.Literals(["first_party", "market_only", "catalog_only"])
export type TelemetryTier = typeof TelemetryTier.Type

const row = {
  symbol: described.symbol,
  name: Schema.String.annotate({ description: "Name of the network" }),
  category: Category.annotate({ description: "What the network offers" }),
  telemetry_tier: TelemetryTier.annotate({
    description:
      "`first_party`: the network's own telemetry is measured; `market_only`: only market, fee, holder or developer series; " +
      "`catalog_only`: listed but not measured"
  }),
  live_series: Schema.Natural.annotate({ description: "Series with a value younger than 7 days" }),
  stamped_on_chain: Schema.Boolean.annotate({
    description: "True if a batch with a confirmed Bitcoin anchor contains a value of this network"
  })
}

export const NetworkRow = Schema.Struct(row).annotate({
  identifier: "NetworkRow",
  description: "One network of the catalog"
})
export interface NetworkRow extends Schema.Schema.Type<typeof NetworkRow> {}

/** The most answers of a search. */
export const mostAnswers = 20

export const SearchGrowth = Schema.Struct({
  from: Schema.String.annotate({ format: "date", description: "The earlier day" }),
  to: Schema.String.annotate({ format: "date", description: "The later day" }),
  relative: Change.fields.relative
}).annotate({
  identifier: "SearchGrowth",
  description: "The change between two closed days of the last 30"
})
export interface SearchGrowth extends Schema.Schema.Type<typeof SearchGrowth> {}

export const SearchAnswer = Schema.Struct({
  ...ValueRow.fields,
  name: Schema.String.annotate({ description: "Name of the network, or what the feed is about" }),
  meaning: Schema.String.annotate({ description: "What is measured, and how" }),
  growth: Schema.optionalKey(
    Schema.NullOr(SearchGrowth).annotate({
      description:
        "Where the query asks what grows or shrinks; null without two closed days or a base to rank by"
    })
  )
}).annotate({
  identifier: "SearchAnswer",
  description: "The latest value of a series that the words of a query describe"
})
export interface SearchAnswer extends Schema.Schema.Type<typeof SearchAnswer> {}

export const NetworksResponse = Schema.Struct({
  sorted_within: described.sorted_within,
  generated_utc: described.generated_utc,
  networks: Schema.Array(NetworkRow).annotate({
    description:
      "Networks in the catalog: those with telemetry first, those only listed last. With `query`, those that it names come first, and 20 are shown whether or not they are in the sample"
  }),
  n_networks_shown: Schema.Natural.annotate({ description: "Networks in this answer" }),
  n_networks: Schema.Natural.annotate({ description: "Networks in the catalog, including subnets" }),
  not_covered: described.not_covered,
  access: AccessNote,
  n_matching: Schema.optionalKey(
    Schema.Natural.annotate({
      description: "With `query`: matching networks, shown or not"
    })
  ),
  note: Schema.optionalKey(
    Schema.String.annotate({
      description: "With `query`: what of it the first of `answers` does not tell, to be read before them"
    })
  ),
  answers: Schema.optionalKey(
    Schema.Array(SearchAnswer).annotate({
      description: `With \`query\`, on the first page: up to ${mostAnswers} series that the words describe, best first, with their latest value`
    })
  ),
  pages: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: "Paths of pages that answer `query`" })
  ),
  not_measured: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "What of `query` the first of `answers` does not tell: words, places, periods"
    })
  ),
  also_matching: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description:
        "With `query` or over 12 `symbols`: up to 100 matches outside the sample, measured ones first; " +
        "read each with /v1/network/{symbol}"
    })
  ),
  next_cursor: described.next_cursor
}).annotate({
  identifier: "NetworksResponse",
  description: "The catalog of networks; a sample without a key"
})
export interface NetworksResponse extends Schema.Schema.Type<typeof NetworksResponse> {}

export const TryRow = Schema.Struct({
  ...row,
  verify_url: described.verify_url
}).annotate({ identifier: "TryRow", description: "A showcase network" })
export interface TryRow extends Schema.Schema.Type<typeof TryRow> {}

export const TryResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  networks: Schema.Array(TryRow).annotate({
    description: "Three showcase networks with data; fewer if fewer have data"
  })
}).annotate({ identifier: "TryResponse", description: "Three networks to start with" })
export interface TryResponse extends Schema.Schema.Type<typeof TryResponse> {}
