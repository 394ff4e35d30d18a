/** The looks of one pass: at values that came, at the age of values, at days that were closed, and at what happened. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isSuppressed } from "../catalog/suppressed.ts"
import * as DataClock from "../clock/DataClock.ts"
import type { FeedEvent } from "../events/EventFeed.ts"
import { LogKey } from "../log/Log.ts"
import { PublicAddress } from "../log/read/attest.ts"
import { attestPath } from "../log/read/attestPath.ts"
import { texts } from "../readings/ingest/arrays.ts"
import { isAccepted } from "../readings/read/differing.ts"
import { rowsOf } from "../sql/rows.ts"
import { Event } from "../wire/events/event.ts"
import { isHappening } from "./condition.ts"
import { type Happening, happeningsOf } from "./happenings.ts"
import { judge } from "./judge.ts"
import { ofValue, record } from "./record.ts"
import { readStandings, writeStandings } from "./standings.ts"
import { alertColumns, alertRows, isAbout, SeenValue, type StoredAlert } from "./stored.ts"

/** Values in one pass, and series whose age or absence is new in one. */
const mostValues = 500
const mostSeries = 1000

const queuedRows = rowsOf({ ...SeenValue.fields, id: Schema.Finite, accepted: Schema.Boolean })
const agedRows = rowsOf({ ...SeenValue.fields, alert: Schema.String })
const absentRows = rowsOf({
  alert: Schema.String,
  series: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  absent: Schema.Boolean
})

/** Active alerts of which a condition is true, kept until the transaction ends: an owner who ends one waits. */
const alertsWhere = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  return ids.length === 0
    ? []
    : yield* sql`
        select ${sql.literal(alertColumns)} from alert a
        where a.state = 'active' and a.id = any(${texts(ids)}) for key share`.pipe(alertRows)
})

/** Active alerts on values of these metrics. */
const alertsOn = Effect.fnUntraced(function* (metrics: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  return metrics.length === 0
    ? []
    : yield* sql`
        select ${sql.literal(alertColumns)} from alert a
        where a.state = 'active' and a.metric = any(${texts(metrics)}) order by a.id for key share`.pipe(
        alertRows
      )
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
      v.verify_url, v.simulated, exists (${sql.literal(acceptedReading)}) as accepted
    from due v join series s on s.id = v.series order by v.id`.pipe(queuedRows)
  // A row that was changed behind the service's back has no reading; a preview of the demo is ahead of its own.
  const usable = values.filter((row) => (row.simulated ? simulated : row.accepted) && !isSuppressed(row))
  const alerts = yield* alertsOn([...new Set(usable.map(({ metric }) => metric))])
  const standings = yield* readStandings(
    alerts.map(({ id }) => id),
    usable.map(({ series }) => series)
  )
  let crossings = 0
  for (const { id, ...reading } of usable) {
    for (const alert of alerts) {
      const { condition } = alert
      if (isHappening(condition) || !isAbout(alert, reading)) continue
      const verdict = yield* judge(condition, reading)
      if (verdict === undefined || !standings.note(alert.id, reading.series, verdict.holds)) continue
      if (yield* record(alert, { cause: `value ${id}`, body: yield* ofValue(reading, verdict.says) }))
        crossings++
    }
  }
  yield* writeStandings(standings)
  return { crossings, more: values.length === mostValues }
})

/** Of a value `v`: whether it is an accepted reading. */
const acceptedReading = `select 1 from observation o where o.series = v.series and o.as_of = v.as_of
  and o.value = v.value and o.value_text is not distinct from v.value_text and ${isAccepted}`

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
    where a.kind = 'stale' and a.state = 'active' and (${simulated} or not l.simulated)
      and (l.as_of <= ${now}::timestamptz - (a.condition::json->>'hours')::int * interval '1 hour')
        is distinct from coalesce(t.holds, false)
    order by a.id, s.id limit ${mostSeries}`.pipe(agedRows)
  const alerts = yield* alertsWhere([...new Set(aged.map(({ alert }) => alert))])
  const standings = yield* readStandings(
    alerts.map(({ id }) => id),
    aged.map(({ series }) => series)
  )
  let crossings = 0
  for (const { alert: id, ...reading } of aged) {
    const alert = alerts.find((one) => one.id === id)
    if (alert === undefined || isHappening(alert.condition)) continue
    const verdict = yield* judge(alert.condition, reading)
    if (verdict === undefined || !standings.note(id, reading.series, verdict.holds)) continue
    if (!isAbout(alert, reading) || isSuppressed(reading)) continue
    const cause = `stale ${reading.series} ${reading.as_of.getTime()}`
    if (yield* record(alert, { cause, body: yield* ofValue(reading, verdict.says) })) crossings++
  }
  yield* writeStandings(standings)
  return { crossings, more: aged.length === mostSeries }
})

/** Which series of the alerts on absence have a value on a day. */
export const absencesOf = Effect.fnUntraced(function* (day: string, only?: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select a.id as alert, s.id as series, s.symbol, s.metric, s.source, not exists (
      select 1 from daily d where d.series = s.id and d.day = ${day}::date and d.incident = 0
    ) as absent
    from alert a join series s on s.metric = a.metric and (a.symbol is null or s.symbol = a.symbol)
      and (a.source is null or s.source = a.source)
    where a.kind = 'absent' and (${only ?? null}::text is null and a.state = 'active' or a.id = ${only ?? null})
    order by a.id, s.id`.pipe(absentRows)
})

const lookAtClosedDay = Effect.fnUntraced(function* (event: Extract<Event, { kind: "day_closed" }>) {
  const base = yield* PublicAddress
  const { day } = event.data.batch
  const rows = yield* absencesOf(day)
  const alerts = yield* alertsWhere([...new Set(rows.map(({ alert }) => alert))])
  const standings = yield* readStandings(
    alerts.map(({ id }) => id),
    rows.map(({ series }) => series)
  )
  let crossings = 0
  for (const { absent, alert: id, ...reading } of rows) {
    const alert = alerts.find((one) => one.id === id)
    if (alert === undefined || !isAbout(alert, reading) || isSuppressed(reading)) continue
    if (!standings.note(id, reading.series, absent)) continue
    const { metric, source, symbol } = reading
    const body = {
      says: `${metric} of ${symbol} from ${source} has no value on ${day}, which is closed.`,
      symbol,
      metric,
      source,
      event_id: event.id,
      proof_url: base + attestPath({ symbol, metric, source, day }, "absence")
    }
    if (yield* record(alert, { cause: `absent ${reading.series} ${day}`, body })) crossings++
  }
  yield* writeStandings(standings)
  return crossings
})

/** Active alerts on what happens that may be about one of these. */
const alertsOnHappenings = Effect.fnUntraced(function* (happenings: ReadonlyArray<Happening>) {
  const sql = yield* SqlClient.SqlClient
  const kinds = [...new Set(happenings.flatMap((one) => one.kinds))]
  return yield* sql`
    select ${sql.literal(alertColumns)} from alert a
    where a.state = 'active' and a.kind = any(${texts(kinds)})
      and (a.symbol is null or a.symbol = any(${texts(happenings.map(({ body }) => body.symbol))}))
    order by a.id for key share`.pipe(alertRows)
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
  if (event.kind === "day_closed") return yield* lookAtClosedDay(event)
  const happenings = yield* happeningsOf(event)
  if (happenings.length === 0) return 0
  const alerts = yield* alertsOnHappenings(happenings)
  let crossings = 0
  for (const happening of happenings) {
    for (const alert of alerts) {
      if (hears(alert, event.id, happening) && (yield* record(alert, happening))) crossings++
    }
  }
  return crossings
})
