/** `depin_enrichment`: every live value with its build date, verify URL and confidence. */
import { Duration, Effect } from "effect"
import { isoTime } from "../../plugin/Value.ts"
import { Feeds } from "../../readings/Feeds.ts"
import { freshness } from "../../readings/read/freshness.ts"
import { sold } from "../build.ts"
import { about, ofValuesAlone } from "../shared/coverage.ts"
import { inputOf, liveRule, readings, withheldOf } from "../shared/inputs.ts"
import definition, { type Enrichment } from "./definition.ts"

/** How well the upstream was verified when its collector was written. */
const grades = { A: 1, B: 0.9, C: 0.7, K: 0.8 } as const
const ages = { live: 1, recent: 0.9, stale: 0.6, static: 0.3 } as const
/** Factor for a value its feed has not read for more than two cadences. */
const late = 0.8

export const enrichment = Effect.gen(function* () {
  const current = yield* readings
  const { at, generated_utc, measured, symbols } = current
  const { manifests } = yield* Feeds
  const feeds = new Map(
    manifests.map(({ every, grade, id }) => [id, { grade, every: Duration.toMillis(every) }] as const)
  )
  const records = symbols.flatMap((symbol) =>
    measured(symbol).rows.map((row) => {
      const feed = feeds.get(row.plugin)
      return {
        symbol,
        ...inputOf(row),
        build_date: generated_utc.slice(0, 10),
        feed: row.plugin,
        read_at: isoTime(row.confirmedAt),
        confidence:
          feed === undefined
            ? null
            : Math.round(
                grades[feed.grade] *
                  ages[freshness(at - row.asOf)] *
                  (at - row.confirmedAt > 2 * feed.every ? late : 1) *
                  1000
              ) / 1000
      }
    })
  )
  return {
    generated_utc,
    ...withheldOf(current, () => true, symbols),
    n_records: records.length,
    records,
    methodology: {
      formula:
        "confidence = grade × age × punctuality; grade: A 1, B 0.9, K 0.8, C 0.7; age: live (below 2 hours) 1, recent (below 26) 0.9, stale 0.6; " +
        "punctuality: 0.8 if read_at is more than two of the feed's cadences before generated_utc, else 1; rounded to 3 decimals",
      fields: ["every live series"],
      rules: ["grade is how well the upstream was verified when its collector was written.", liveRule]
    }
  } satisfies Enrichment
})

export default {
  sale: sold(definition, () => enrichment, {
    covers: ofValuesAlone(() => true, about.all),
    holds: ({ records }) => records.length > 0
  })
}
