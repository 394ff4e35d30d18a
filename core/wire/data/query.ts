/** `/v1/query`. */
import { Schema } from "effect"
import { Category } from "../../plugin/kinds.ts"
import { AccessNote } from "./access.ts"
import { Change } from "./change.ts"
import { rights } from "./rights.ts"
import { mostNames } from "./selection.ts"
import { described } from "./valueRow.ts"

export const Aggregate = Schema.Literals(["latest", "change", "growth", "rank"])
export type Aggregate = typeof Aggregate.Type

/** The most metrics of one query. */
export const mostMetrics = 10

/** The longest window of a query in days. */
export const mostDays = 3650

/** The most rows of a page. */
export const mostRows = 500

/** Bounds for whoever reads the schema. Core holds them and names the one that was passed, so this check lets everything through. */
const entries = (bounds: { readonly minItems: number; readonly maxItems?: number }) =>
  Schema.makeFilter((_: ReadonlyArray<string>) => true, { toJsonSchema: () => bounds })

const names = (most: number, description: string) =>
  Schema.Array(Schema.String)
    .check(entries({ minItems: 1, maxItems: most }))
    .annotate({ description })

/** A whole number, whose bounds are those of `entries`: said here, held in core. */
const wholeNumber = (minimum: number, maximum: number, description: string) =>
  Schema.Finite.check(Schema.isInt({ toJsonSchema: () => ({ type: "integer", minimum, maximum }) })).annotate(
    { description }
  )

/** What a query asks for. Core holds the bounds and says which one was passed. */
export const QueryRequest = Schema.Struct({
  metrics: names(mostMetrics, `1 to ${mostMetrics} metrics of /v1/data-dictionary`),
  symbols: Schema.optionalKey(
    names(
      mostNames,
      `up to ${mostNames} symbols of /v1/networks; without them, every network that your tier shows`
    )
  ),
  category: Schema.optionalKey(Category.annotate({ description: "only networks of this category" })),
  days: Schema.optionalKey(
    wholeNumber(
      1,
      mostDays,
      `window of change and growth in days, today among them: 1 to ${mostDays}, default 30`
    )
  ),
  aggregates: Schema.optionalKey(
    Schema.Array(Aggregate)
      .check(entries({ minItems: 1 }))
      .annotate({
        description:
          "what to say of each series, default latest. change: from the first to the last closed day of the window; growth: the same with the " +
          "proofs of both ends; rank: among all networks by latest value, with a tier that includes cross-network views"
      })
  ),
  fields: Schema.optionalKey(
    names(mostNames, "members of a row to keep beside those that name and prove a value")
  ),
  sort: Schema.optionalKey(
    Schema.String.annotate({ description: "a member of a row, with `-` before it the largest first" })
  ),
  limit: Schema.optionalKey(wholeNumber(1, mostRows, `maximum rows per page: 1 to ${mostRows}, default 100`)),
  cursor: Schema.optionalKey(Schema.String.annotate({ description: "`next_cursor` of the previous page" }))
}).annotate({ identifier: "QueryRequest", description: "Which values, and what to say of them" })
export interface QueryRequest extends Schema.Schema.Type<typeof QueryRequest> {}

const hex = (description: string) => Schema.String.annotate({ description: `${description}, in hex` })

export const GrowthEnd = Schema.Struct({
  date: Schema.String.annotate({ format: "date", description: "The UTC day" }),
  value: Schema.Finite.annotate({ description: "Last accepted reading of the day" }),
  value_text: described.value_text,
  as_of: described.as_of,
  leaf: Schema.optionalKey(
    Schema.Struct({
      hash: hex("Hash of the leaf that states the value"),
      index: Schema.Natural.annotate({ description: "Its place in the batch" }),
      version: Schema.Int.annotate({ description: "1, or higher if the value was published again" }),
      batch_root: hex("Root of the batch's tree"),
      log_index: Schema.Natural.annotate({ description: "Entry of the log that commits to this root" }),
      bundle_url: Schema.String.annotate({
        description: "Path of the whole proof: leaf, both paths, signed checkpoint, timestamp"
      })
    }).annotate({
      identifier: "GrowthLeaf",
      description: "Where the log commits to the value; absent while no served head of it does"
    })
  )
}).annotate({ identifier: "GrowthEnd", description: "One end of a growth, and its place in the log" })
export interface GrowthEnd extends Schema.Schema.Type<typeof GrowthEnd> {}

export const Growth = Schema.Struct({
  from: GrowthEnd,
  to: GrowthEnd,
  absolute: Change.fields.absolute,
  relative: Change.fields.relative,
  why: Change.fields.why
}).annotate({ identifier: "Growth", description: "A change, with the proofs of both its ends" })
export interface Growth extends Schema.Schema.Type<typeof Growth> {}

export const QueryRow = Schema.Struct({
  symbol: described.symbol,
  metric: described.metric,
  value: Schema.optionalKey(described.value),
  value_text: described.value_text,
  unit: Schema.optionalKey(described.unit),
  change_pct: Schema.optionalKey(Change.fields.relative),
  change: Schema.optionalKey(Change),
  growth: Schema.optionalKey(Growth),
  rank: Schema.optionalKey(
    Schema.Natural.annotate({
      description:
        "1 plus the DePIN networks with a greater value: confirmed ones, younger than 7 days. Absent of a value that is not among them"
    })
  ),
  n_ranked: Schema.optionalKey(Schema.Natural.annotate({ description: "DePIN networks with such a value" })),
  source: described.source,
  verify_url: described.verify_url,
  as_of: described.as_of,
  ...described.marks,
  ...rights,
  ...described.beside
}).annotate({
  identifier: "QueryRow",
  description: "One series: where its latest value comes from, and what was asked about it"
})
export interface QueryRow extends Schema.Schema.Type<typeof QueryRow> {}

export const QueryResponse = Schema.Struct({
  sorted_within: described.sorted_within,
  generated_utc: described.generated_utc,
  window_days: Schema.optionalKey(
    Schema.Natural.annotate({ description: "With change or growth: the requested `days`" })
  ),
  rows: Schema.Array(QueryRow).annotate({
    description: "By symbol and metric, or as `sort` says; a series without a latest value is absent"
  }),
  n_rows: Schema.Natural.annotate({ description: "Rows on all pages" }),
  access: AccessNote,
  not_shown: described.not_shown,
  note: Schema.optionalKey(Schema.String.annotate({ description: "What this answer leaves out and why" })),
  next_cursor: described.next_cursor
}).annotate({ identifier: "QueryResponse", description: "Values of many networks and what is said of them" })
export interface QueryResponse extends Schema.Schema.Type<typeof QueryResponse> {}
