/** Records that a condition became true, once, and which message tells it. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../clock/DataClock.ts"
import { LogKey } from "../log/Log.ts"
import { PublicAddress } from "../log/record/attest.ts"
import { attestPath } from "../log/record/attestPath.ts"
import { isoTime } from "../plugin/Value.ts"
import { rowsOf } from "../sql/rows.ts"
import { giveUpAfter } from "../webhooks/schedule.ts"
import type { AlertCrossing } from "../wire/alerts/alert.ts"
import { newId, wallTime } from "./ids.ts"
import { afterQuiet } from "./quiet.ts"
import type { SeenValue, StoredAlert } from "./stored.ts"

/** A condition that became true, before it has an id. */
export interface Crossed {
  /** What made it true: the same cause is recorded once for each alert. */
  readonly cause: string
  readonly body: Omit<AlertCrossing, "id" | "alert" | "at" | "simulated">
}

/** What is said of the value of a series. `says` is the end of the sentence. */
export const ofValue = Effect.fnUntraced(function* (reading: SeenValue, says: string) {
  const base = yield* PublicAddress
  const at = isoTime(reading.as_of.getTime())
  const { metric, source, symbol, unit, value, value_text, verify_url } = reading
  return {
    says: `${metric} of ${symbol}, ${value_text ?? value} (${unit}) at ${at}, ${says}.`,
    symbol,
    metric,
    source,
    value,
    ...(value_text === null ? {} : { value_text }),
    unit,
    as_of: at,
    verify_url,
    proof_url: base + attestPath({ symbol, metric, source, day: at.slice(0, 10) })
  } satisfies Crossed["body"]
})

const idRows = rowsOf({ id: Schema.String })
const dueRows = rowsOf({ next_due_at: Schema.NullOr(Schema.Date) })

/** Records it, with the message that will tell it. In the transaction of whatever found it; false if it was recorded before. */
export const record = Effect.fnUntraced(function* (alert: StoredAlert, { body, cause }: Crossed) {
  const sql = yield* SqlClient.SqlClient
  const { simulated } = yield* LogKey
  const id = yield* newId("cx")
  const at = new Date(yield* DataClock.now)
  const crossing: AlertCrossing = {
    id,
    alert: alert.id,
    at: isoTime(at.getTime()),
    ...body,
    ...(simulated ? { simulated: true } : {})
  }
  const recorded = yield* sql`
    insert into alert_crossing ${sql.insert({ id, alert: alert.id, cause, at, body: JSON.stringify(crossing) })}
    on conflict (alert, cause) do nothing returning id`.pipe(idRows)
  if (recorded.length === 0) return false
  if (alert.channel.kind !== "feed") {
    const delivery = (yield* waitingMessage(alert.id)) ?? (yield* nextMessage(alert))
    yield* sql`update alert_crossing set delivery = ${delivery} where id = ${id}`
  }
  return true
})

/** The message that nobody has begun to send yet: it tells what comes meanwhile, too. */
const waitingMessage = Effect.fnUntraced(function* (alert: string) {
  const sql = yield* SqlClient.SqlClient
  const [waiting] = yield* sql`
    select id from alert_delivery
    where alert = ${alert} and type = 'crossings' and state = 'pending' and attempts = 0
    order by created_at limit 1 for update`.pipe(idRows)
  return waiting?.id
})

/** A new message, due as soon as the interval and the quiet hours of the alert let it. */
const nextMessage = Effect.fnUntraced(function* (alert: StoredAlert) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* wallTime
  const [row] = yield* sql`select next_due_at from alert where id = ${alert.id}`.pipe(dueRows)
  const earliest = Math.max(now.getTime(), row?.next_due_at?.getTime() ?? 0)
  const due = afterQuiet(earliest, alert.quiet ?? undefined)
  const id = yield* newId("msg")
  yield* sql`insert into alert_delivery ${sql.insert({
    id,
    alert: alert.id,
    type: "crossings",
    created_at: now,
    due_at: new Date(due),
    give_up_at: new Date(due + giveUpAfter)
  })}`
  yield* sql`update alert set next_due_at = ${new Date(due + alert.min_interval * 1000)} where id = ${alert.id}`
  return id
})
