/** The looks of one pass: at values that came, at the age of values, at days that were closed, and at what happened. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"
import { isSuppressed } from "../catalog/suppressed.ts"
import * as DataClock from "../clock/DataClock.ts"
import type { FeedEvent } from "../events/EventFeed.ts"
import { LogKey } from "../log/Log.ts"
import { PublicAddress } from "../log/record/attest.ts"
import { attestPath } from "../log/record/attestPath.ts"
import { texts } from "../readings/ingest/arrays.ts"
import { definedAs } from "../readings/read/byDefinition.ts"
import { isAccepted, isServedDay, latestHolds } from "../readings/read/differing.ts"
import { findingsAfter } from "../readings/read/findings.ts"
import { rowsOf } from "../sql/rows.ts"
import type { Anomaly } from "../wire/data/anomalies.ts"
import { Event } from "../wire/events/event.ts"
import { isHappening } from "./condition.ts"
import { readConditionStates, writeConditionStates } from "./conditionStates.ts"
import { type Happening, happeningsOf, toldTo } from "./happenings.ts"
import { judge } from "./judge.ts"
import { type Crossed, ofValue, record } from "./record.ts"
import { alertColumns, alertRows, isAbout, isWatched, SeenValue, type StoredAlert } from "./stored.ts"

/** Values in one pass, and series whose age or absence is new in one. */
const mostValues = 500
const mostSeries = 1000

/** Alerts that are looked at together. */
const mostAlerts = 500

const queuedRows = rowsOf({
  ...SeenValue.fields,
  id: Schema.Finite,
  accepted: Schema.Boolean,
  defined: Schema.Boolean
})
const agedRows = rowsOf({ ...SeenValue.fields, alert: Schema.String })
const absentRows = rowsOf({
  alert: Schema.String,
  series: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  absent: Schema.Boolean
})

/** Those of these alerts that are looked at, kept until the transaction ends: an owner who ends one waits. */
const alertsWhere = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  return ids.length === 0
    ? []
    : yield* sql`
        select ${sql.literal(alertColumns)} from alert a
        where ${sql.literal(isWatched)} and a.id = any(${texts(ids)}) for key share`.pipe(alertRows)
})

/** The next alerts after an id for which an SQL condition holds, kept until the transaction ends. */
const nextAlerts = Effect.fnUntraced(function* (after: string, condition: Statement.Fragment) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select ${sql.literal(alertColumns)} from alert a
    where ${sql.literal(isWatched)} and a.id > ${after} and ${condition}
    order by a.id limit ${mostAlerts} for key share`.pipe(alertRows)
})

/** Looks for all alerts of which a condition holds, some at a time; the sum of the crossings. */
const forAlerts = Effect.fnUntraced(function* <E, R>(
  condition: Statement.Fragment,
  look: (alerts: ReadonlyArray<StoredAlert>) => Effect.Effect<number, E, R>
) {
  let crossings = 0
  let after = ""
  while (true) {
    const alerts = yield* nextAlerts(after, condition)
    if (alerts.length > 0) crossings += yield* look(alerts)
    const last = alerts.at(-1)
    if (last === undefined || alerts.length < mostAlerts) return crossings
    after = last.id
  }
})

/** Judges the values that came since, each in its turn; how many crossings there were, and whether there is more. */
export const lookAtValues = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { simulated } = yield* LogKey
  const values = yield* sql`
    with due as (
      select * from alert_value order by id limit ${mostValues}
    ), gone as (delete from alert_value where id in (select id from due))
    select v.id::float8 as id, v.series, s.symbol, s.metric, s.source, s.unit, v.as_of, v.value, v.value_text,
      v.verify_url, v.simulated, exists (${sql.literal(acceptedReading)}) as accepted,
      ${sql.literal(definedValue)} is not null as defined
    from due v join series s on s.id = v.series order by v.id`.pipe(queuedRows)
  // A row that was changed behind the service's back has no reading; a preview of the demo is ahead of its own.
  const usable = values.filter(
    (row) => (row.simulated ? simulated : row.accepted) && !row.defined && !isSuppressed(row)
  )
  if (usable.length === 0) return { crossings: 0, more: values.length === mostValues }
  const metrics = [...new Set(usable.map(({ metric }) => metric))]
  const onValues = sql`a.on_values and a.metric = any(${texts(metrics)})`
  const crossings = yield* forAlerts(onValues, (alerts) => judgeValues(alerts, usable))
  return { crossings, more: values.length === mostValues }
})

type QueuedValue = Effect.Success<ReturnType<typeof queuedRows<never, never>>>[number]

/** Judges values by these alerts, in the order in which they came. */
const judgeValues = Effect.fnUntraced(function* (
  alerts: ReadonlyArray<StoredAlert>,
  values: ReadonlyArray<QueuedValue>
) {
  const states = yield* readConditionStates(
    alerts.map(({ id }) => id),
    values.map(({ series }) => series)
  )
  const ofMetric = Map.groupBy(alerts, ({ metric }) => metric)
  let crossings = 0
  for (const { accepted: _, defined: _defined, id, ...reading } of values) {
    for (const alert of ofMetric.get(reading.metric) ?? []) {
      const { condition } = alert
      if (isHappening(condition) || id <= (alert.since_value ?? 0) || !isAbout(alert, reading)) continue
      const verdict = yield* judge(condition, reading)
      if (verdict === undefined || !states.note(alert.id, reading.series, verdict.holds)) continue
      if (yield* record(alert, { cause: `value ${id}`, body: yield* ofValue(reading, verdict.says) }))
        crossings++
    }
  }
  yield* writeConditionStates(states)
  return crossings
})

/** Of a value `v`: whether it is an accepted reading. */
const acceptedReading = `select 1 from observation o where o.series = v.series and o.as_of = v.as_of
  and o.value = v.value and o.value_text is not distinct from v.value_text and ${isAccepted}`

/** Of a value `v`: whether it is a zero that nobody counted, which is neither above nor below anything. */
const definedValue = definedAs("v")

/** Looks at which series have grown too old since, or have a value again. */
export const lookAtAges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { simulated } = yield* LogKey
  const now = new Date(yield* DataClock.now)
  const aged = yield* sql`
    select a.id as alert, s.id as series, s.symbol, s.metric, s.source, s.unit, l.as_of, l.value, l.value_text,
      l.verify_url, l.simulated
    from alert a join series s on s.metric = a.metric and (a.symbol is null or s.symbol = a.symbol)
        and (a.source is null or s.source = a.source)
      join latest l on l.series = s.id left join alert_standing t on t.alert = a.id and t.series = s.id
    where a.kind = 'stale' and ${sql.literal(isWatched)} and (${simulated} or not l.simulated) and ${yield* latestHolds}
      and (l.as_of <= ${now}::timestamptz - (a.condition::json->>'hours')::int * interval '1 hour')
        is distinct from coalesce(t.holds, false)
    order by a.id, s.id limit ${mostSeries}`.pipe(agedRows)
  const alerts = yield* alertsWhere([...new Set(aged.map(({ alert }) => alert))])
  const states = yield* readConditionStates(
    alerts.map(({ id }) => id),
    aged.map(({ series }) => series)
  )
  const byId = new Map(alerts.map((alert) => [alert.id, alert]))
  let crossings = 0
  for (const { alert: id, ...reading } of aged) {
    const alert = byId.get(id)
    if (alert === undefined || isHappening(alert.condition)) continue
    const verdict = yield* judge(alert.condition, reading)
    if (verdict === undefined || !states.note(id, reading.series, verdict.holds)) continue
    if (!isAbout(alert, reading) || isSuppressed(reading)) continue
    const cause = `stale ${reading.series} ${reading.as_of.getTime()}`
    if (yield* record(alert, { cause, body: yield* ofValue(reading, verdict.says) })) crossings++
  }
  yield* writeConditionStates(states)
  return { crossings, more: aged.length === mostSeries }
})

/** Whether the series of these alerts, which are on absence, have a value on a day. */
export const absencesOf = Effect.fnUntraced(function* (day: string, alerts: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select a.id as alert, s.id as series, s.symbol, s.metric, s.source, not exists (
      select 1 from daily d where d.series = s.id and d.day = ${day}::date and ${sql.literal(isServedDay)}
    ) as absent
    from alert a join series s on s.metric = a.metric and (a.symbol is null or s.symbol = a.symbol)
      and (a.source is null or s.source = a.source)
    where a.id = any(${texts(alerts)})
    order by a.id, s.id`.pipe(absentRows)
})

const lookAtAbsences = Effect.fnUntraced(function* (
  { data, id: event }: Extract<Event, { kind: "day_closed" }>,
  alerts: ReadonlyArray<StoredAlert>
) {
  const base = yield* PublicAddress
  const { day } = data.batch
  const ids = alerts.map(({ id }) => id)
  const rows = yield* absencesOf(day, ids)
  const states = yield* readConditionStates(
    ids,
    rows.map(({ series }) => series)
  )
  const byId = new Map(alerts.map((alert) => [alert.id, alert]))
  let crossings = 0
  for (const { absent, alert: id, ...reading } of rows) {
    const alert = byId.get(id)
    // What entered the feed before an alert was confirmed does not count.
    if (alert === undefined || event <= (alert.since_event ?? 0)) continue
    if (!isAbout(alert, reading) || isSuppressed(reading)) continue
    if (!states.note(id, reading.series, absent)) continue
    const { metric, source, symbol } = reading
    const body = {
      says: `${metric} of ${symbol} from ${source} has no value on ${day}, which is closed.`,
      symbol,
      metric,
      source,
      event_id: event,
      proof_url: base + attestPath({ symbol, metric, source, day }, "absence")
    }
    if (yield* record(alert, { cause: `absent ${reading.series} ${day}`, body })) crossings++
  }
  yield* writeConditionStates(states)
  return crossings
})

const hears = (alert: StoredAlert, event: number, { body, kinds }: Happening): boolean =>
  isHappening(alert.condition) &&
  kinds.includes(alert.condition.kind) &&
  // What entered the feed before an alert was confirmed does not count.
  event > (alert.since_event ?? 0) &&
  isAbout(alert, body)

const eventOf = Schema.decodeUnknownEffect(Schema.fromJsonString(Event))

/** Records what one event of the feed makes true; how many crossings there were. */
export const lookAtEvent = Effect.fnUntraced(function* (stored: FeedEvent) {
  // Values are looked at as they come, so most events need not be read.
  if (stored.kind === "values") return 0
  const event = yield* Effect.orDie(eventOf(stored.body))
  const sql = yield* SqlClient.SqlClient
  if (event.kind === "day_closed")
    return yield* forAlerts(sql`a.kind = 'absent'`, (alerts) => lookAtAbsences(event, alerts))
  const happenings = yield* happeningsOf(event)
  if (happenings.length === 0) return 0
  const kinds = [...new Set(happenings.flatMap((one) => one.kinds))]
  const symbols = [...new Set(happenings.map(({ body }) => body.symbol))]
  const about = sql`a.kind = any(${texts(kinds)}) and (a.symbol is null or a.symbol = any(${texts(symbols)}))`
  return yield* forAlerts(about, (alerts) => hearHappenings(alerts, event.id, happenings))
})

/** Findings on closed values in one pass. */
const mostFindings = 500

/** Records what was found unusual after a finding; each is told once, however often its value is judged again. */
export const lookAtFindings = Effect.fnUntraced(function* (after: number) {
  const base = yield* PublicAddress
  const findings = yield* findingsAfter(after, mostFindings)
  const open = findings.filter(({ anomaly }) => !isSuppressed(anomaly))
  const symbols = [...new Set(open.map(({ anomaly }) => anomaly.symbol))]
  const sql = yield* SqlClient.SqlClient
  const about = sql`a.kind = 'unusual' and (a.symbol is null or a.symbol = any(${texts(symbols)}))`
  const crossings =
    open.length === 0 ? 0 : yield* forAlerts(about, (alerts) => hearFindings(alerts, open, base))
  return { crossings, upTo: findings.at(-1)?.id ?? after, more: findings.length === mostFindings }
})

const hearFindings = Effect.fnUntraced(function* (
  alerts: ReadonlyArray<StoredAlert>,
  findings: Effect.Success<ReturnType<typeof findingsAfter>>,
  base: string
) {
  let crossings = 0
  for (const { anomaly, id } of findings) {
    for (const alert of alerts) {
      if (id <= (alert.since_anomaly ?? 0) || !isAbout(alert, anomaly)) continue
      if (yield* record(alert, ofFinding(base, id, anomaly))) crossings++
    }
  }
  return crossings
})

/** What is said of a finding. */
const ofFinding = (base: string, id: number, anomaly: Anomaly): Crossed => {
  const { as_of, date, metric, rule, source, symbol, unit, value, value_text, verify_url, why } = anomaly
  return {
    cause: `unusual ${id}`,
    body: {
      says: `${metric} of ${symbol}, ${value_text ?? value} (${unit}) on ${date}, is unusual by the rule ${rule}. ${why}`,
      symbol,
      metric,
      source,
      value,
      ...(value_text === undefined ? {} : { value_text }),
      unit,
      as_of,
      verify_url,
      proof_url: base + attestPath({ symbol, metric, source, day: date })
    }
  }
}

const hearHappenings = Effect.fnUntraced(function* (
  alerts: ReadonlyArray<StoredAlert>,
  event: number,
  happenings: ReadonlyArray<Happening>
) {
  let crossings = 0
  for (const happening of happenings) {
    for (const alert of alerts) {
      if (hears(alert, event, happening) && (yield* record(alert, toldTo(alert, happening)))) crossings++
    }
  }
  return crossings
})
