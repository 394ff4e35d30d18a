/** `/v1/recheck`: the upstream asked again, and what it says now beside what is served. */
import { Schema } from "effect"
import { described } from "./valueRow.ts"

export const RecheckVerdict = Schema.Literals([
  "exact",
  "within_1_pct",
  "within_10_pct",
  "moved",
  "gone",
  "unreachable"
])
export type RecheckVerdict = typeof RecheckVerdict.Type

const Reading = Schema.Struct({
  value: described.value,
  value_text: described.value_text,
  as_of: described.as_of
})

export const FigurePlace = Schema.Struct({
  kind: Schema.Literals(["in_body", "several", "derived", "not_looked"]).annotate({
    description:
      "`in_body`: the figure stands in the body as such, at `pointer`; `several`: in more than one place; `derived`: nowhere, it " +
      "was computed from others; `not_looked`: a body is larger than 4 MiB or no JSON"
  }),
  pointer: Schema.optionalKey(
    Schema.String.annotate({ description: "JSON Pointer (RFC 6901) of the figure in the body" })
  ),
  body_sha256: Schema.optionalKey(
    Schema.String.annotate({ description: "SHA-256 of that body; lower-case hex" })
  )
}).annotate({ identifier: "FigurePlace", description: "Where the figure stands in what the upstream said" })
export interface FigurePlace extends Schema.Schema.Type<typeof FigurePlace> {}

/** A served value beside what the upstream said when it was asked again. */
export const Comparison = Schema.Struct({
  verdict: RecheckVerdict.annotate({
    description:
      "`exact`: the upstream gives the same number; `within_1_pct`, `within_10_pct`: one that differs by so much of the served one; " +
      "`moved`: by more, or the served one was 0; `gone`: the answer has no such figure; `unreachable`: there was no answer that " +
      "can be read"
  }),
  reason: Schema.optionalKey(
    Schema.String.annotate({ description: "Why there is no figure: with `gone` and `unreachable`" })
  ),
  served: Reading.annotate({ description: "What was served when the upstream had answered" }),
  again: Schema.optionalKey(Reading.annotate({ description: "What the upstream says" })),
  difference_pct: Schema.optionalKey(
    Schema.Finite.annotate({
      description: "By how much it differs, in percent of the served value; absent if that is 0"
    })
  ),
  place: Schema.optionalKey(FigurePlace)
}).annotate({
  identifier: "RecheckComparison",
  description: "A served value beside what the upstream said when it was asked again"
})
export interface Comparison extends Schema.Schema.Type<typeof Comparison> {}

/** Who carried the run's sessions, and what he states of them. */
export const CarriedBy = Schema.Struct({
  key: Schema.String.annotate({ description: "Verifier key of the notary that the lot fell on" }),
  notes: Schema.Array(Schema.String).annotate({
    description:
      "SHA-256 of his signed statements, which cover every answer; each at /v1/derivation/notes/{sha256}"
  })
}).annotate({
  identifier: "CarriedBy",
  description: "The notary that carried what the upstream said when it was asked again"
})
export interface CarriedBy extends Schema.Schema.Type<typeof CarriedBy> {}

export const RecheckResponse = Schema.Struct({
  symbol: described.symbol,
  metric: described.metric,
  source: described.source,
  unit: described.unit,
  state: Schema.Literals(["running", "done"]).annotate({
    description: "`running`: the upstream has not answered yet; ask again after `retry_after` seconds"
  }),
  retry_after: Schema.optionalKey(Schema.Int.annotate({ description: "Seconds; while it is running" })),
  comparison: Schema.optionalKey(Comparison),
  asked_utc: Schema.String.annotate({ format: "date-time", description: "When somebody first asked for it" }),
  checked_utc: Schema.optionalKey(
    Schema.String.annotate({ format: "date-time", description: "When the upstream's answer was compared" })
  ),
  next_utc: Schema.String.annotate({
    format: "date-time",
    description: "From when on the upstream is asked again; until then this answer stays"
  }),
  run: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Id of the run, whose exchanges /v1/derivation lists. It is a leaf of its hour's document of runs, with the outcome " +
        "`recheck`; its rows are not stored"
    })
  ),
  notary: Schema.optionalKey(
    CarriedBy.annotate({ description: "Absent where no notary states every answer of the run" })
  )
}).annotate({
  identifier: "RecheckResponse",
  description: "The upstream asked again, and what it says now beside what is served"
})
export interface RecheckResponse extends Schema.Schema.Type<typeof RecheckResponse> {}

/** How many series held when they were looked at again. */
export const RecheckAgreement = Schema.Struct({
  from: Schema.String.annotate({ format: "date", description: "First UTC day of the sample" }),
  to: Schema.String.annotate({ format: "date", description: "Last UTC day of the sample" }),
  n_series: Schema.Natural.annotate({ description: "Series drawn by lot and looked at again" }),
  n_exact: Schema.Natural.annotate({ description: "Of these, the upstream gave the same number" }),
  n_within_1_pct: Schema.Natural.annotate({ description: "It gave one within 1 %" }),
  n_within_10_pct: Schema.Natural.annotate({ description: "It gave one within 10 %" }),
  n_moved: Schema.Natural.annotate({ description: "It gave another one" }),
  n_gone: Schema.Natural.annotate({ description: "Its answer had no such figure" }),
  n_unreachable: Schema.Natural.annotate({ description: "It gave no answer that can be read" }),
  agreement_pct: Schema.NullOr(Schema.Finite).annotate({
    description:
      "Share of those with an answer that were exact or within 1 %, in percent; null where none had an answer"
  })
}).annotate({
  identifier: "RecheckAgreement",
  description: "Series that were drawn by lot in the last 7 days and compared with their upstream again"
})
export interface RecheckAgreement extends Schema.Schema.Type<typeof RecheckAgreement> {}

/** A drawn series, as it was found. */
export const DrawnSeries = Schema.Struct({
  symbol: described.symbol,
  metric: described.metric,
  source: described.source,
  verdict: RecheckVerdict.annotate({ description: "As in /v1/recheck" }),
  checked_utc: Schema.String.annotate({
    format: "date-time",
    description: "When the upstream's answer was compared"
  }),
  run: Schema.optionalKey(
    Schema.String.annotate({ description: "Id of the run; absent where none was made" })
  )
}).annotate({ identifier: "DrawnSeries" })

export const RechecksResponse = Schema.Struct({
  agreement: Schema.NullOr(RecheckAgreement).annotate({
    description: "Null where nothing was drawn in the last 7 days, as in the demo, which has no upstreams"
  }),
  newest: Schema.Array(DrawnSeries).annotate({
    description: "The newest 200 drawn series, newest first: what does not agree is among them too"
  })
}).annotate({
  identifier: "RechecksResponse",
  description: "How many of the series that were drawn by lot held when they were looked at again, and which"
})
export interface RechecksResponse extends Schema.Schema.Type<typeof RechecksResponse> {}
