/** `/v1/uptime`: for how much of the time the service was up, by its own record. */
import { Schema } from "effect"
import { described } from "./valueRow.ts"

const time = (description: string) => Schema.String.annotate({ format: "date-time", description })

const Gap = Schema.Struct({
  from: time("The last record before it"),
  until: time("The first record after it"),
  minutes: Schema.Finite.annotate({ description: "Length in minutes, at most two decimals" })
}).annotate({ description: "A time without a record" })

export const UptimePart = Schema.Struct({
  percent: Schema.NullOr(Schema.Finite).annotate({
    description:
      "Share of the measured time with a record, in percent, rounded down; null if nothing was measured"
  }),
  minutes: Schema.Finite.annotate({ description: "Minutes with a record, at most two decimals" }),
  of_minutes: Schema.Finite.annotate({ description: "Minutes measured, at most two decimals" }),
  n_gaps: Schema.Natural.annotate({ description: "Times without a record" }),
  gaps: Schema.Array(Gap).annotate({ description: "The newest 50 of them, newest first" })
}).annotate({ identifier: "UptimePart", description: "Availability of one part of the service" })
export interface UptimePart extends Schema.Schema.Type<typeof UptimePart> {}

export const UptimeResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  window_days: Schema.Int.annotate({ description: "Days that are looked at, at most" }),
  measured_from: Schema.NullOr(Schema.String).annotate({
    format: "date-time",
    description: "Where the measured time begins; null if nothing was measured"
  }),
  measured_until: Schema.NullOr(Schema.String).annotate({
    format: "date-time",
    description: "The newest record; null if nothing was measured"
  }),
  answering: UptimePart.annotate({
    description: "A process of the service ran, listened, and had its database"
  }),
  collecting: UptimePart.annotate({
    description: "At least one collector was healthy and on schedule"
  }),
  method: Schema.String.annotate({ description: "How it is measured" }),
  not_measured: Schema.String.annotate({ description: "What this does not cover" })
}).annotate({ identifier: "UptimeResponse", description: "Uptime of the last 30 days" })
export interface UptimeResponse extends Schema.Schema.Type<typeof UptimeResponse> {}
