/** `/v1/asof`: what was known of many series, each at times of its own. */
import { Schema } from "effect"
import { AccessNote } from "./access.ts"
import { rights } from "./rights.ts"
import { described } from "./valueRow.ts"

/** The most rows of one request. */
export const mostRows = 10_000

/** Bytes of the largest request. */
export const largestJoin = 2 * 1024 * 1024

const asKnownAt = Schema.String.annotate({
  description:
    "The time of knowledge, an ISO 8601 date-time in UTC: readings that were recorded later, and incidents that were opened later, do not count"
})

const at = Schema.optionalKey(
  Schema.String.annotate({
    description:
      "The time of the value, an ISO 8601 date-time in UTC: the newest reading whose `as_of` is not after it; without it, the newest reading that was known"
  })
)

export const AsofRow = Schema.Struct({
  symbol: Schema.String.annotate({ description: "a symbol of /v1/networks" }),
  metric: Schema.String.annotate({ description: "a metric of /v1/data-dictionary" }),
  as_known_at: asKnownAt,
  at,
  source: Schema.optionalKey(
    Schema.String.annotate({
      description: "a source label; without it, of several the one that answers elsewhere too"
    })
  )
}).annotate({ identifier: "AsofRow", description: "A series, and the times that it is asked for" })
export interface AsofRow extends Schema.Schema.Type<typeof AsofRow> {}

/** What a request asks for. Core holds the bounds of its times and names. */
export const AsofRequest = Schema.Struct({
  rows: Schema.Array(AsofRow).annotate({
    description: `1 to ${mostRows} rows, which are answered in this order`
  })
}).annotate({ identifier: "AsofRequest", description: "Which values, each as known at its own time" })
export interface AsofRequest extends Schema.Schema.Type<typeof AsofRequest> {}

export const AbsentReason = Schema.Literals(["unknown_series", "not_measured", "not_shown"]).annotate({
  description:
    "`unknown_series`: no reading of this metric of this network (of this source) was ever published; `not_measured`: no accepted reading of " +
    "that time was known then; `not_shown`: your tier does not show this network, or days that are so long ago (`access`)"
})
export type AbsentReason = typeof AbsentReason.Type

const joinKey = {
  symbol: described.symbol,
  metric: described.metric,
  as_known_at: asKnownAt,
  at
}

export const AsofValue = Schema.Struct({
  ...joinKey,
  value: described.value,
  value_text: described.value_text,
  unit: described.unit,
  source: described.source,
  verify_url: described.verify_url,
  as_of: described.as_of,
  recorded_at: Schema.String.annotate({
    format: "date-time",
    description: "When the service recorded this reading: from then on it was known"
  }),
  version: Schema.optionalKey(
    Schema.Int.annotate({
      description:
        "1, or higher if the upstream had restated the value of this `as_of` by then; absent where only the day of the reading is kept"
    })
  ),
  ...described.marks,
  ...rights
}).annotate({ identifier: "AsofValue", description: "The value that was known" })
export interface AsofValue extends Schema.Schema.Type<typeof AsofValue> {}

export const AsofAbsent = Schema.Struct({ ...joinKey, absent: AbsentReason }).annotate({
  identifier: "AsofAbsent",
  description: "A row without a value, and why"
})
export interface AsofAbsent extends Schema.Schema.Type<typeof AsofAbsent> {}

export const AsofResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  n_rows: Schema.Natural.annotate({ description: "Rows of the answer: as many as were sent" }),
  n_absent: Schema.Natural.annotate({ description: "How many of them have no value" }),
  access: AccessNote,
  rows: Schema.Array(Schema.Union([AsofValue, AsofAbsent])).annotate({
    description: "In the order of the request"
  })
}).annotate({ identifier: "AsofResponse", description: "What was known, row by row" })
export interface AsofResponse extends Schema.Schema.Type<typeof AsofResponse> {}
