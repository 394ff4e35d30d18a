/** Metrics of what other operators have of our values: the newest day that was compared. */
import { Effect, Metric } from "effect"
import { newestAgreement } from "../../core/log/record/agreementDays.ts"
import { day as dayMs } from "../../core/plugin/time.ts"
import { parseAgreement } from "../../core/proof/agreement.ts"

const values = Metric.gauge("plumbline_observed_values", {
  description:
    "Values of the newest compared day by what other operators have; absent before a day was compared"
})
const age = Metric.gauge("plumbline_observed_age_seconds", {
  description: "Time since the end of the newest compared day; absent before a day was compared"
})
const unread = Metric.gauge("plumbline_observer_unread", {
  description: "1 if the newest compared day was compared without this observer"
})

/** Looks at the newest document of agreement. `now` is the data clock, epoch milliseconds. */
export const ofObservers = Effect.fnUntraced(function* (now: number) {
  const newest = yield* newestAgreement
  if (newest === undefined) return
  const { day, n_close, n_differs, n_equal, n_silent, observers } = parseAgreement(newest)
  const counts = { equal: n_equal, close: n_close, differs: n_differs, silent: n_silent }
  for (const [relation, n] of Object.entries(counts))
    yield* Metric.update(Metric.withAttributes(values, { relation }), n)
  yield* Metric.update(age, Math.max(0, now - Date.parse(day) - dayMs) / 1000)
  for (const { origin, state } of observers)
    yield* Metric.update(Metric.withAttributes(unread, { observer: origin }), state === "read" ? 0 : 1)
})
