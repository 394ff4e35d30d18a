/** `/v1/data-dictionary`: every feed and every metric, with freshness, history depth and coverage (spec 4.1). */
import { Schema } from "effect"
import { Sector } from "../../plugin/Plugin.ts"
import { Unit } from "../../plugin/Value.ts"
import { FeedState } from "../Feeds.ts"
import { Freshness } from "../freshness.ts"
import { described, TierName } from "./valueRow.ts"

const time = (description: string) =>
  Schema.NullOr(Schema.String).annotate({ format: "date-time", description: `${description}; null: never` })
const count = (description: string) => Schema.Natural.annotate({ description })

export const Feed = Schema.Struct({
  feed: Schema.String.annotate({ description: "Id of the collector" }),
  title: Schema.String.annotate({ description: "Title of the collector" }),
  tier: TierName.annotate({ description: "Kind of its series" }),
  sector: Schema.optionalKey(Sector.annotate({ description: "Sector of the physical world it belongs to" })),
  source: described.source,
  hosts: Schema.Array(Schema.String).annotate({ description: "Hosts it reads, and no other" }),
  grade: Schema.Literals(["A", "B", "C", "K"]).annotate({
    description: "How well the upstream is verified: A best, C least; K needs a key"
  }),
  state: FeedState.fields.state.annotate({
    description: "How the feed fares; `open`: paused after failures; `needs_key`: a required key is not set"
  }),
  reason: Schema.optionalKey(Schema.String.annotate({ description: "Why, for a feed that does not run" })),
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
  source: described.source,
  tier: TierName.annotate({ description: "Kind of its series" }),
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
