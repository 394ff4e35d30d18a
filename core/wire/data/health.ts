/** How the data fares: a part of `/health`. */
import { Schema } from "effect"
import { described } from "./valueRow.ts"

const count = (description: string) => Schema.Natural.annotate({ description })

export const HealthData = Schema.Struct({
  generated_utc: described.generated_utc,
  snapshot_version: count("Rises when a served value changes"),
  series: count("Series with a latest value"),
  networks: count("Symbols with a latest value"),
  newest_read: Schema.NullOr(Schema.String).annotate({
    format: "date-time",
    description: "The last successful read of any upstream; null before the first"
  }),
  simulated_series: count("Series whose latest value was made for the demo"),
  feeds: Schema.Struct({
    waiting: count("Feeds between two runs, the last of them sound"),
    running: count("Feeds in a run, the last before it sound"),
    failing: count("Feeds whose last run failed"),
    open: count("Feeds paused after failures"),
    refusing: count("Feeds whose last run gave readings that were all refused"),
    needs_key: count("Feeds whose key is not set"),
    disabled: count("Feeds that are switched off"),
    unstarted: count("Feeds that have not been started yet")
  }).annotate({ description: "Collectors by state" })
}).annotate({ identifier: "HealthData", description: "How the data fares" })
export interface HealthData extends Schema.Schema.Type<typeof HealthData> {}
