/** `/v1/history`. */
import { Schema } from "effect"
import { Tier } from "../../plugin/kinds.ts"
import { AccessNote } from "./access.ts"
import { counts } from "./agreement.ts"
import { Change } from "./change.ts"
import { rights } from "./rights.ts"
import { mostNames } from "./selection.ts"
import { described } from "./valueRow.ts"

/** Networks of one answer, if they are named. */
export const mostNetworks = mostNames

const date = (description: string) => Schema.String.annotate({ format: "date", description })

/** Absent where the day was not compared, where its value has changed since, and with `as_known_at`. */
export const seenOfPoint = {
  n_observers: Schema.optionalKey(counts.n_observers),
  n_agree: Schema.optionalKey(counts.n_agree)
}

export const HistoryPoint = Schema.Struct({
  date: date("The UTC day"),
  value: Schema.Finite.annotate({ description: "Last accepted reading of the day, never an average" }),
  value_text: described.value_text,
  n_observations: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({
    description: "Readings accepted that day"
  }),
  open: Schema.optionalKey(
    Schema.Literal(true).annotate({
      description:
        "The day is not closed yet, so its value can still change. Days close at 08:00 UTC on the next day: today is always open, and before 08:00 so is yesterday"
    })
  ),
  simulated: described.simulated,
  ...seenOfPoint,
  ...described.definition
}).annotate({ identifier: "HistoryPoint", description: "One day. Days without a reading are absent" })
export interface HistoryPoint extends Schema.Schema.Type<typeof HistoryPoint> {}

export const HistorySeries = Schema.Struct({
  tier: Tier.annotate({ description: "Kind of the series" }),
  source: described.source,
  unit: described.unit,
  verify_url: described.verify_url,
  as_of: Schema.String.annotate({
    format: "date-time",
    description: "When the last point's value was true: ISO 8601 in UTC"
  }),
  points: Schema.Array(HistoryPoint).annotate({ description: "Days with a reading, oldest first" }),
  n_points: Schema.Natural.annotate({ description: "Number of points" }),
  first_date: date("Day of the first point"),
  last_date: date("Day of the last point"),
  change_pct: Schema.NullOr(Schema.Finite).annotate({
    description:
      "Change from the first to the last point that is closed, in percent; null where it says nothing, with the reason in " +
      "`note`: of percentages, ranks, flags, dates, block heights and scores, of a series that changes its sign, from 0, and of " +
      "fewer than two closed days. Series of the physical world are compared at the same hour of the day"
  }),
  change: Schema.optionalKey(
    Change.annotate({
      description:
        "The same change with its two days and their values. Absent with fewer than two closed days to compare"
    })
  ),
  excluded_dates: Schema.optionalKey(
    Schema.Array(date("The UTC day")).annotate({
      description: "Days left out of `points` because of a quality incident; their readings are retained"
    })
  ),
  rebuilt_dates: Schema.optionalKey(
    Schema.Array(date("The UTC day")).annotate({
      description:
        "With `as_known_at`: days that changed after that time and were rebuilt from their readings, which are retained for " +
        "90 days by default. All other days are as their day versions recorded them"
    })
  ),
  uncertain_dates: Schema.optionalKey(
    Schema.Array(date("The UTC day")).annotate({
      description:
        "With `as_known_at`: days that changed after that time and whose readings are no longer retained. Their points are the " +
        "newest day version recorded by then, which may differ from what was served while the day was open, or are missing"
    })
  ),
  note: Schema.optionalKey(Schema.String.annotate({ description: "Caveats about this series" })),
  unconfirmed: described.marks.unconfirmed,
  reviewed: described.marks.reviewed,
  ...rights
}).annotate({ identifier: "HistorySeries", description: "The daily points of one metric" })
export interface HistorySeries extends Schema.Schema.Type<typeof HistorySeries> {}

export const HistoryResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  source_table: Schema.String.annotate({ description: "Label of the table holding the daily rows" }),
  window_days: Schema.Natural.annotate({
    description: "The requested `days`: today, and the days before it"
  }),
  as_known_at: Schema.optionalKey(
    Schema.String.annotate({
      format: "date-time",
      description:
        "Present if requested: the answer as it was given at this time. The window ends on that day"
    })
  ),
  data: Schema.Record(Schema.String, Schema.Record(Schema.String, HistorySeries)).annotate({
    description: "Series by network and metric; metrics without a reading in the window are absent"
  }),
  access: AccessNote,
  note: Schema.optionalKey(Schema.String.annotate({ description: "What this answer leaves out and why" })),
  next_cursor: described.next_cursor
}).annotate({ identifier: "HistoryResponse", description: "Daily history of one network" })
export interface HistoryResponse extends Schema.Schema.Type<typeof HistoryResponse> {}
