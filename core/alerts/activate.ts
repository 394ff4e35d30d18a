/** Begins to look at the condition of an alert, or begins again: what is already true then is no crossing. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { EventFeed } from "../events/EventFeed.ts"
import { lastClosedDay } from "../log/closedDays.ts"
import { withWriterLock } from "../readings/ingest/writerLock.ts"
import { latestHolds } from "../readings/read/differing.ts"
import { newestFinding } from "../readings/read/findings.ts"
import { storeFirstFacts } from "../sql/keyValue.ts"
import { rowsOf } from "../sql/rows.ts"
import { isHappening } from "./condition.ts"
import { readConditionStates, writeConditionStates } from "./conditionStates.ts"
import { wallTime } from "./ids.ts"
import { judge } from "./judge.ts"
import { absencesOf } from "./looks.ts"
import { isAbout, SeenValue, type StoredAlert } from "./stored.ts"

const seenRows = rowsOf(SeenValue.fields)
const dayRows = rowsOf({ day: Schema.NullOr(Schema.String) })
const newestRows = rowsOf({ newest: Schema.Int })

/** Names the fact that says up to which event of the feed alerts were looked at. */
export const eventsCursor = "alerts_events"

/** Names the fact that says up to which finding on closed values alerts were looked at. */
export const anomaliesCursor = "alerts_anomalies"

/**
 * Under the writer lock: no value comes between the look at the latest ones and the first that is queued. What is queued
 * already, for other alerts on the series, is older than that look.
 */
export const activate = Effect.fnUntraced(function* (alert: StoredAlert) {
  const sql = yield* SqlClient.SqlClient
  const { newest } = yield* (yield* EventFeed).bounds
  // With the first alert the looks at events and findings begin.
  const [finding = { newest: 0 }] = yield* sql`select ${newestFinding(sql)}::int as newest`.pipe(newestRows)
  yield* storeFirstFacts(
    new Map([
      [eventsCursor, String(newest)],
      [anomaliesCursor, String(finding.newest)]
    ])
  )
  yield* withWriterLock(
    Effect.gen(function* () {
      yield* sql`
        update alert set state = 'active', confirmed_at = coalesce(confirmed_at, ${yield* wallTime}), since_event = ${newest},
          since_value = (select coalesce(max(id), 0) from alert_value),
          since_anomaly = ${newestFinding(sql)}, over_limit_since = null where id = ${alert.id}`
      yield* sql`delete from alert_standing where alert = ${alert.id}`
      yield* noteConditionStates(alert)
    })
  )
})

const noteConditionStates = Effect.fnUntraced(function* (alert: StoredAlert) {
  const sql = yield* SqlClient.SqlClient
  const { condition } = alert
  if (isHappening(condition)) return
  const states = yield* readConditionStates([], [])
  if (condition.kind === "absent") {
    const [last] = yield* sql`select ${lastClosedDay(sql)}::text as day`.pipe(dayRows)
    if (last === undefined || last.day === null) return
    for (const { absent, series } of yield* absencesOf(last.day, [alert.id]))
      states.note(alert.id, series, absent)
  } else {
    const latest = yield* sql`
      select s.id as series, s.symbol, s.metric, s.source, s.unit, l.as_of, l.value, l.value_text, l.verify_url, l.simulated
      from series s join latest l on l.series = s.id
      where s.metric = ${alert.metric} and (${alert.symbol}::text is null or s.symbol = ${alert.symbol})
        and (${alert.source}::text is null or s.source = ${alert.source}) and ${yield* latestHolds}
      order by s.id`.pipe(seenRows)
    for (const reading of latest) {
      const verdict = isAbout(alert, reading) ? yield* judge(condition, reading) : undefined
      if (verdict !== undefined) states.note(alert.id, reading.series, verdict.holds)
    }
  }
  yield* writeConditionStates(states)
})
