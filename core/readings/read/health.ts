/** `/health`: the data's part of it. */
import { Effect } from "effect"
import * as DataClock from "../../clock/DataClock.ts"
import { isoTime } from "../../plugin/Value.ts"
import { dependenciesOf } from "../../wire/data/dependency.ts"
import type { HealthData } from "../../wire/data/health.ts"
import { Feeds } from "../Feeds.ts"
import { Current, newestRead } from "./Current.ts"
import { Versions } from "./Versions.ts"

/** From memory: a probe costs no query. */
export const healthData: Effect.Effect<HealthData, never, Current | Feeds | Versions> = Effect.gen(
  function* () {
    const current = yield* Current
    const versions = yield* Versions
    const feeds = yield* Feeds
    const snapshot = yield* current.snapshot
    const states = yield* feeds.states
    const by = Map.groupBy(feeds.manifests, ({ id }) => states.get(id)?.state ?? "unstarted")
    const of = (state: keyof HealthData["feeds"]) => by.get(state)?.length ?? 0
    const newest = newestRead(snapshot.rows)
    const unconfirmed = snapshot.rows.filter((row) => row.unconfirmed).length
    return {
      generated_utc: isoTime(yield* versions.changedAt(dependenciesOf.health)),
      snapshot_version: versions.cell("symbols").number(yield* DataClock.now),
      series: snapshot.rows.length,
      networks: snapshot.bySymbol.size,
      newest_read: newest === undefined ? null : isoTime(newest),
      simulated_series: snapshot.rows.filter(({ simulated }) => simulated).length,
      ...(unconfirmed === 0 ? {} : { unconfirmed_series: unconfirmed }),
      feeds: {
        waiting: of("waiting"),
        running: of("running"),
        failing: of("failing"),
        open: of("open"),
        refusing: of("refusing"),
        needs_key: of("needs_key"),
        disabled: of("disabled"),
        unstarted: of("unstarted")
      }
    }
  }
)
