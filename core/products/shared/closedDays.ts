/** The closed days of the last month, each as a citation with its proof. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../clock/DataClock.ts"
import { attestPath } from "../../log/record/attestPath.ts"
import { day } from "../../plugin/time.ts"
import { isoTime } from "../../plugin/Value.ts"
import type { DayValue, SeriesDays } from "../../publications/divergence.ts"
import { dayCounts } from "../../readings/read/byDefinition.ts"
import { dateOf, lastDays } from "../../readings/read/days.ts"
import { RecentDays, recentDays } from "../../readings/read/RecentDays.ts"
import type { Citation } from "../depin_ai_intel/definition.ts"
import type { Measured } from "./inputs.ts"

/** A day of a series, with its proof. */
export interface ClosedDay extends DayValue {
  readonly cite: Citation
}

/** The closed days of a network's series that answers for a metric. */
export type DaysOf = (network: Measured, metric: string) => SeriesDays<ClosedDay>

const none: SeriesDays<ClosedDay> = { days: [] }

export const daysOf: Effect.Effect<DaysOf, SqlError, RecentDays> = Effect.gen(function* () {
  const recent = yield* (yield* RecentDays).memory
  const window = lastDays(yield* DataClock.now, recentDays)
  const { closed } = recent
  return ({ of, symbol }, metric) => {
    const current = of(metric)
    const series = recent
      .of(symbol)
      .find((one) => one.metric === metric && one.source === current?.row.source)
    if (series === undefined || closed === undefined) return none
    const all = (recent.between([series.id], window) ?? []).filter(({ date }) => date <= closed)
    const week = dateOf(Date.parse(closed) - 6 * day)
    const days = all.filter(dayCounts).map(({ as_of, date, value, verify_url }) => ({
      date,
      value,
      unit: series.unit,
      cite: {
        metric,
        value,
        as_of: isoTime(as_of.getTime()),
        verify_url,
        proof: attestPath({ symbol, metric, source: series.source, day: date }, "bundle4")
      }
    }))
    const incident = all.find(({ date, incident }) => incident !== 0 && date >= week)?.incident
    return { days, incident }
  }
})
