/** The data section of `/health`. */
import { Schema } from "effect"
import { described } from "./valueRow.ts"

const count = (description: string) => Schema.Natural.annotate({ description })

export const HealthData = Schema.Struct({
  generated_utc: described.generated_utc,
  snapshot_version: count("Increases when a served value changes"),
  series: count("Series with a latest value"),
  networks: count("Symbols with a latest value"),
  newest_read: Schema.NullOr(Schema.String).annotate({
    format: "date-time",
    description: "When any upstream was last read successfully; null before the first read"
  }),
  simulated_series: count("Series whose latest value was generated for the demo"),
  unconfirmed_series: Schema.optionalKey(
    count("Series whose feed nothing but its author has compared with its upstream; absent if there is none")
  ),
  feeds: Schema.Struct({
    waiting: count("Healthy feeds between runs"),
    running: count("Healthy feeds running now"),
    failing: count("Feeds whose last run failed"),
    open: count("Feeds paused after repeated failures"),
    refusing: count("Feeds whose last run had every reading rejected"),
    needs_key: count("Feeds missing a required key"),
    disabled: count("Feeds switched off by the operator"),
    unstarted: count("Feeds that have not started yet")
  }).annotate({ description: "Collectors by state" })
}).annotate({ identifier: "HealthData", description: "State of the data" })
export interface HealthData extends Schema.Schema.Type<typeof HealthData> {}
