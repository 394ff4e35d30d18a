/** `/v1/data-dictionary`. */
import { Schema } from "effect"
import { Rung } from "../../plugin/flows.ts"
import { Sector, Tier } from "../../plugin/kinds.ts"
import { Unit } from "../../plugin/Value.ts"
import { FeedState } from "./feedState.ts"
import { Freshness } from "./freshness.ts"
import { described } from "./valueRow.ts"

const time = (description: string) =>
  Schema.NullOr(Schema.String).annotate({ format: "date-time", description: `${description}; null: never` })

const count = (description: string) => Schema.Natural.annotate({ description })

/** A feed may read several upstreams; each value carries the label of the one it came from. */
const labels = {
  source: Schema.String.annotate({
    description: "Label of the feed's main upstream; values use it unless they carry their own"
  }),
  sources: Schema.Array(Schema.String).annotate({
    description: "Source labels of the latest values; empty before the first value"
  })
}

const Permission = Schema.Literals(["yes", "no", "unknown"])

const used = (description: string) => Schema.optionalKey(Permission.annotate({ description }))

/** What the upstream allows to be done with its data, as somebody read it. */
export const FeedTerms = Schema.Struct({
  licence: Schema.String.annotate({ description: "SPDX identifier, `proprietary`, or `unknown`" }),
  values: Permission.annotate({
    description: "Whether its values may be published again: the same as `bulk`"
  }),
  bodies: Permission.annotate({ description: "Whether its answers may be handed on as they are" }),
  show: used("Whether a value may be shown with its source"),
  bulk: used("Whether tables, embeds and pictures of a series may have its values"),
  sell: used("Whether its values may be part of what is sold"),
  attribution: Schema.String.annotate({ description: "The words that credit the source" }),
  address: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Where the terms stand: an https address, or repository, commit and line; absent: none was readable"
    })
  ),
  read: Schema.String.annotate({ format: "date", description: "Day on which somebody read them" }),
  quote: Schema.optionalKey(Schema.String.annotate({ description: "The sentence that decides" }))
}).annotate({
  identifier: "FeedTerms",
  description: "What the upstream allows to be done with its data, as somebody read it"
})

/** The series of a feed that are read from chains of one kind. */
export const ChainProofs = Schema.Struct({
  family: Schema.Literals(["cosmos", "evm", "substrate"]).annotate({ description: "Kind of chain" }),
  series: count("Live series that are read from such chains"),
  proved: count("Those that the state of their block proves"),
  unproved: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "Why others are not: what nodes answered; at most 5"
    })
  )
}).annotate({ identifier: "ChainProofs", description: "Series that the state of a chain can prove" })
export interface ChainProofs extends Schema.Schema.Type<typeof ChainProofs> {}

export const Feed = Schema.Struct({
  feed: Schema.String.annotate({ description: "Id of the collector" }),
  title: Schema.String.annotate({ description: "Title of the collector" }),
  tier: Tier.annotate({ description: "Kind of its series" }),
  sector: Schema.optionalKey(Sector.annotate({ description: "Physical-world sector it belongs to" })),
  ...labels,
  hosts: Schema.Array(Schema.String).annotate({ description: "The only hosts it reads" }),
  grade: Schema.Literals(["A", "B", "C", "K"]).annotate({
    description:
      "How well the upstream is known, from A (its operator's own source) to C (assumed); K: a stable public interface"
  }),
  state: FeedState.fields.state.annotate({
    description:
      "State of the feed. `failing`: the last run failed; `open`: paused after repeated failures; `refusing`: every reading of the last run was rejected; `needs_key`: a required key is not set"
  }),
  reason: Schema.optionalKey(Schema.String.annotate({ description: "Why the feed delivers nothing" })),
  evidence_due: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "True if a place where its members were read was last opened more than 180 days ago"
    })
  ),
  terms: Schema.optionalKey(FeedTerms),
  methods: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.String).annotate({
      description:
        "Of an aggregator: whose method the figures of each source follow, and the zeros it prescribes"
    })
  ),
  proofs: Schema.optionalKey(
    Schema.Array(ChainProofs).annotate({ description: "Where it reads chains: what they prove" })
  ),
  unconfirmed: described.marks.unconfirmed,
  reviewed: described.marks.reviewed,
  ended: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.String).annotate({
      description: "Metrics that it gave once, each with why its series ended"
    })
  ),
  cadence_seconds: Schema.Finite.annotate({ description: "Seconds between runs" }),
  last_success: time("End of the last run that succeeded"),
  last_failure: time("End of the last run that failed"),
  last_error: Schema.NullOr(Schema.String).annotate({
    description: "Message of the last failure; null: never failed"
  }),
  next_run: time("Start of the next run"),
  runs: count("Runs since the service started"),
  failures: count("Failed runs since the service started"),
  freshness: Schema.NullOr(Freshness).annotate({
    description: "Age class of the newest value; null before the first value"
  }),
  newest_as_of: time("When the newest value was true"),
  newest_read: time("When a value was last read"),
  coverage: Schema.Struct({
    networks: count("Symbols with a latest value"),
    declared_networks: count("Symbols the feed covers"),
    series: count("Series with a latest value"),
    live_series: count("Series with a value younger than 7 days")
  }).annotate({ description: "Coverage of the feed" }),
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
  }).annotate({ description: "Extent of the daily history, recomputed at most every five minutes" })
}).annotate({ identifier: "Feed", description: "One collector" })
export interface Feed extends Schema.Schema.Type<typeof Feed> {}

export const DictionaryMetric = Schema.Struct({
  metric: described.metric,
  feed: Schema.String.annotate({ description: "Id of the collector that reports it" }),
  ...labels,
  tier: Tier.annotate({ description: "Kind of its series" }),
  unit: Unit.annotate({ description: "Unit of its values" }),
  meaning: Schema.String.annotate({ description: "What is measured, and how" }),
  min: Schema.optionalKey(Schema.Finite.annotate({ description: "Smallest possible value" })),
  max: Schema.optionalKey(Schema.Finite.annotate({ description: "Largest possible value" })),
  networks: count("Symbols for which this feed has a latest value of the metric"),
  /** Of what a network earned or paid out; the least of its networks. */
  rung: Schema.optionalKey(Rung)
}).annotate({ identifier: "DictionaryMetric", description: "One metric of one collector" })
export interface DictionaryMetric extends Schema.Schema.Type<typeof DictionaryMetric> {}

export const DataDictionaryResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  feeds: Schema.Array(Feed).annotate({
    description: "Every collector, by id; with a query or a selection, those of the metrics in this answer"
  }),
  metrics: Schema.Array(DictionaryMetric).annotate({ description: "Every metric, by name and feed" }),
  next_cursor: described.next_cursor
}).annotate({
  identifier: "DataDictionaryResponse",
  description: "What is measured and how, how fresh it is, and how far back it goes"
})
export interface DataDictionaryResponse extends Schema.Schema.Type<typeof DataDictionaryResponse> {}
