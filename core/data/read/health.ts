/** `/health`: the data's part of it. */
import { Effect, Schema } from "effect"
import { isoTime } from "../../plugin/Value.ts"
import * as DataClock from "../DataClock.ts"
import { Feeds } from "../Feeds.ts"
import { Current } from "./Current.ts"
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
    waiting: count("Feeds between two runs"),
    running: count("Feeds in a run"),
    open: count("Feeds paused after failures"),
    needs_key: count("Feeds whose key is not set"),
    disabled: count("Feeds that are switched off"),
    unstarted: count("Feeds that have not been started yet")
  }).annotate({ description: "Collectors by state" })
}).annotate({ identifier: "HealthData", description: "How the data fares" })
export interface HealthData extends Schema.Schema.Type<typeof HealthData> {}

/** From memory: a probe costs no query. */
export const healthData: Effect.Effect<HealthData, never, Current | Feeds> = Effect.gen(function* () {
  const current = yield* Current
  const feeds = yield* Feeds
  const snapshot = yield* current.snapshot
  const states = yield* feeds.states
  const by = Map.groupBy(feeds.manifests, ({ id }) => states.get(id)?.state ?? "unstarted")
  const of = (state: keyof HealthData["feeds"]) => by.get(state)?.length ?? 0
  const newest = snapshot.rows.reduce((most, { confirmedAt }) => Math.max(most, confirmedAt), 0)
  return {
    generated_utc: isoTime(yield* DataClock.now),
    snapshot_version: snapshot.version,
    series: snapshot.rows.length,
    networks: snapshot.bySymbol.size,
    newest_read: newest === 0 ? null : isoTime(newest),
    simulated_series: snapshot.rows.filter(({ simulated }) => simulated).length,
    feeds: {
      waiting: of("waiting"),
      running: of("running"),
      open: of("open"),
      needs_key: of("needs_key"),
      disabled: of("disabled"),
      unstarted: of("unstarted")
    }
  }
})
