/** `/v1/data-dictionary`. */
import { Schema } from "effect"
import { Sector, Tier } from "../../plugin/kinds.ts"
import { Unit } from "../../plugin/Value.ts"
import { FeedState } from "./feedState.ts"
import { Freshness } from "./freshness.ts"
import { described } from "./valueRow.ts"

const time = (description: string) =>
  Schema.NullOr(Schema.String).annotate({ format: "date-time", description: `${description}; null: never` })

const count = (description: string) => Schema.Natural.annotate({ description })

/** A feed reads several upstreams: a value carries the label of its own. */
const labels = {
  source: Schema.String.annotate({
    description: "Label of the feed's main upstream, where a value carries no other"
  }),
  sources: Schema.Array(Schema.String).annotate({
    description: "Labels that the latest values carry; empty before the first value"
  })
}

export const Feed = Schema.Struct({
  feed: Schema.String.annotate({ description: "Id of the collector" }),
  title: Schema.String.annotate({ description: "Title of the collector" }),
  tier: Tier.annotate({ description: "Kind of its series" }),
  sector: Schema.optionalKey(Sector.annotate({ description: "Sector of the physical world it belongs to" })),
  ...labels,
  hosts: Schema.Array(Schema.String).annotate({ description: "Hosts it reads, and no other" }),
  grade: Schema.Literals(["A", "B", "C", "K"]).annotate({
    description: "How well the upstream is verified: A best, C least; K needs a key"
  }),
  state: FeedState.fields.state.annotate({
    description:
      "How the feed fares; `failing`: its last run failed; `open`: paused after failures; `refusing`: every reading of its last run was refused; `needs_key`: a required key is not set"
  }),
  reason: Schema.optionalKey(Schema.String.annotate({ description: "Why, for a feed that gives nothing" })),
  cadence_seconds: Schema.Finite.annotate({ description: "Seconds between two runs" }),
  last_success: time("End of the last run that succeeded"),
  last_failure: time("End of the last run that failed"),
  last_error: Schema.NullOr(Schema.String).annotate({
    description: "What the last failure said; null: never failed"
  }),
  next_run: time("Start of the next run"),
  runs: count("Runs since the start of the service"),
  failures: count("Failed runs since the start of the service"),
  freshness: Schema.NullOr(Freshness).annotate({
    description: "Label of the newest value's age; null before the first value"
  }),
  newest_as_of: time("When the newest value was true"),
  newest_read: time("The last read that saw a value"),
  coverage: Schema.Struct({
    networks: count("Symbols with a latest value"),
    declared_networks: count("Symbols that the feed covers"),
    series: count("Series with a latest value"),
    live_series: count("Series with a value younger than 7 days")
  }).annotate({ description: "How much the feed covers" }),
  history: Schema.Struct({
    first_date: Schema.NullOr(Schema.String).annotate({
      format: "date",
      description: "First day of daily history; null: none"
    }),
    last_date: Schema.NullOr(Schema.String).annotate({
      format: "date",
      description: "Last day of daily history; null: none"
    }),
    days: count("Days with a daily row")
  }).annotate({ description: "Depth of the daily history, measured at most once in five minutes" })
}).annotate({ identifier: "Feed", description: "One collector" })
export interface Feed extends Schema.Schema.Type<typeof Feed> {}

export const DictionaryMetric = Schema.Struct({
  metric: described.metric,
  feed: Schema.String.annotate({ description: "Id of the collector that emits it" }),
  ...labels,
  tier: Tier.annotate({ description: "Kind of its series" }),
  unit: Unit.annotate({ description: "Unit of its values" }),
  meaning: Schema.String.annotate({ description: "What is counted, and how" }),
  min: Schema.optionalKey(Schema.Finite.annotate({ description: "Least possible value" })),
  max: Schema.optionalKey(Schema.Finite.annotate({ description: "Greatest possible value" })),
  networks: count("Symbols with a latest value of it from this feed")
}).annotate({ identifier: "DictionaryMetric", description: "One metric of one collector" })
export interface DictionaryMetric extends Schema.Schema.Type<typeof DictionaryMetric> {}

export const DataDictionaryResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  feeds: Schema.Array(Feed).annotate({ description: "Every collector, by id" }),
  metrics: Schema.Array(DictionaryMetric).annotate({ description: "Every metric, by name and feed" })
}).annotate({
  identifier: "DataDictionaryResponse",
  description: "What is measured, how, how fresh, how deep"
})
export interface DataDictionaryResponse extends Schema.Schema.Type<typeof DataDictionaryResponse> {}
