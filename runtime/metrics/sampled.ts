/** Metrics of what the service holds in memory and in SQL, looked at now and then, so that a scrape costs no query. */

import { Clock, Duration, Effect, Layer, Metric, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { DatabaseClock } from "../../core/clock/DatabaseClock.ts"
import * as DataClock from "../../core/clock/DataClock.ts"
import { Watch } from "../../core/credits/chain/Watch.ts"
import { measuredMoney } from "../../core/credits/measured.ts"
import { WitnessStates } from "../../core/log/Cosignatures.ts"
import { Log } from "../../core/log/Log.ts"
import { measuredLog } from "../../core/log/measured.ts"
import { Overdue } from "../../core/log/Overdue.ts"
import { readiness } from "../../core/log/record/readiness.ts"
import { day as dayMs } from "../../core/plugin/time.ts"
import { Availability } from "../../core/process/Availability.ts"
import { writeFaultNames } from "../../core/process/errors.ts"
import { inBackground } from "../../core/process/loop.ts"
import { Feeds, givesNothing, isRunning } from "../../core/readings/Feeds.ts"
import { Current, newestRead } from "../../core/readings/read/Current.ts"
import { openIncidents } from "../../core/readings/read/openIncidents.ts"
import { uptime } from "../../core/readings/read/uptime.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import { Reason, Warning } from "../../core/wire/log/readiness.ts"
import { Settings } from "../settings/Settings.ts"
import { ofAlertMessages } from "./alertMessages.ts"
import { ofChainLooks } from "./chainLooks.ts"
import { backupAge } from "./lastBackup.ts"
import { ofObservers } from "./observers.ts"

const gauge = (name: string, description: string) => Metric.gauge(`plumbline_${name}`, { description })

const ready = gauge("ready", "1 while /readyz answers 200")
const problem = gauge("problem", "1 while /readyz names this reason or warning")
const feedAge = gauge("feed_age_seconds", "Time since a plugin's last success; absent if it never had one")
const feedEvery = gauge("feed_interval_seconds", "How often a plugin runs")
const feedFailing = gauge("feed_failing", "1 while a plugin should give values and gives none")
const readingAge = gauge("reading_age_seconds", "Time since any upstream was read successfully")
const seriesCount = gauge("series", "Series with a latest value")
const logSize = gauge("log_entries", "Entries of the log")
const logServed = gauge("log_served_entries", "Entries of the log under the head that answers name")
const headWaiting = gauge(
  "log_head_waiting_seconds",
  "Time since the first signed head that is not served for want of cosignatures; 0 without one"
)
const logHalted = gauge("log_halted", "1 while the log signs nothing")
const overdue = gauge("close_overdue_days", "Days whose daily close is late")
const witnessBehind = gauge("witness_behind_entries", "Entries that a witness has not cosigned yet")
const witnessFailing = gauge("witness_failing", "1 while a witness does not cosign")
const quorum = gauge("witness_quorum", "1 while enough witnesses have cosigned the newest head")
const chainUp = gauge("chain_watch_up", "1 while transfers of stablecoins are read and credited")
const clockDifference = gauge(
  "clock_difference_seconds",
  "How far this machine's clock is ahead of the database's; absent on the embedded engine"
)
const latency = gauge("database_latency_seconds", "Round trip of a query that does nothing")
const writeAge = gauge(
  "write_age_seconds",
  "Time since this process last stored its heartbeat, which it writes every 5 seconds; absent until it did"
)
const writeFailing = gauge(
  "write_failing",
  "1 while the database stores nothing of this process, by the error"
)
/** Of a process that has not stored a heartbeat yet. */
const neverWritten = "never_written"
const bytes = gauge("database_bytes", "Size of the database")
const headAge = gauge("log_head_age_seconds", "Time since the newest head of the log was signed")
const closedAge = gauge("close_age_seconds", "Time since the end of the newest day that is closed")
const anchors = gauge("anchors", "Stamps of checkpoints, by state")
const anchorAge = gauge(
  "anchor_pending_age_seconds",
  "Age of the oldest stamp that no block contains; 0 without one"
)
const owed = gauge("ledger_owed_usd", "What accounts owe after payments were taken back")
const up = gauge(
  "uptime_ratio",
  "Share of the last 30 days with a record, by what worked; absent until something was measured"
)
const onHold = gauge("ledger_held", "Payments that wait for the operator, by kind")

const withheld = gauge(
  "series_withheld",
  "Series with readings that wait for a review, by the guard that held them back"
)

const incidentsOpen = gauge(
  "incidents_open",
  "Incidents that are open and that no guard opened, by how they were opened"
)

const unconfirmedCount = gauge(
  "series_unconfirmed",
  "Series whose feed nothing but its author has compared with its upstream"
)

const backedUp = gauge(
  "backup_age_seconds",
  "Time since the last whole backup of plumbline backup was begun; absent until there is one"
)

const set = (metric: Metric.Gauge<number>, value: number, labels: Metric.Metric.AttributeSet = {}) =>
  Metric.update(Metric.withAttributes(metric, labels), value)

const codes = [...Reason.fields.code.literals, ...Warning.fields.code.literals]

/** Looks at everything that costs no query. */
export const fromMemory = Effect.gen(function* () {
  const now = yield* DataClock.now
  const { reasons, warnings } = yield* readiness
  yield* set(ready, reasons.length === 0 ? 1 : 0)
  const activeCodes: ReadonlySet<string> = new Set([...reasons, ...warnings].map(({ code }) => code))
  for (const code of codes) yield* set(problem, activeCodes.has(code) ? 1 : 0, { code })

  const written = yield* (yield* Availability).written
  if (written.age !== undefined) yield* set(writeAge, written.age / 1000)
  const writeError = written.fault?.name ?? (written.age === undefined ? neverWritten : undefined)
  for (const error of [...writeFaultNames, neverWritten])
    yield* set(writeFailing, writeError === error ? 1 : 0, { error })

  const difference = yield* (yield* DatabaseClock).difference
  if (difference !== undefined) yield* set(clockDifference, difference.ahead / 1000)

  const { manifests, states } = yield* Feeds
  const feedStates = yield* states
  for (const { every, id } of manifests) {
    const state = feedStates.get(id)
    if (state === undefined || !isRunning(state.state)) continue
    yield* set(feedEvery, Duration.toSeconds(every), { plugin: id })
    yield* set(feedFailing, givesNothing(state.state) ? 1 : 0, { plugin: id })
    if (state.last_success !== null)
      yield* set(feedAge, secondsSince(state.last_success, now), { plugin: id })
  }
  const { rows } = yield* (yield* Current).snapshot
  yield* set(seriesCount, rows.length)
  yield* set(unconfirmedCount, rows.filter(({ unconfirmed }) => unconfirmed).length)
  const newest = newestRead(rows)
  if (newest !== undefined) yield* set(readingAge, secondsSince(newest, now))

  const log = yield* Log
  const { size } = yield* log.signed
  yield* set(logSize, size)
  yield* set(logServed, (yield* log.served).size)
  const waitingSince = yield* log.waiting
  // Witnesses, and signatures with them, go by the clock on the wall.
  const wall = yield* Clock.currentTimeMillis
  yield* set(headWaiting, waitingSince === undefined ? 0 : secondsSince(waitingSince, wall))
  yield* set(logHalted, (yield* log.halted) === undefined ? 0 : 1)
  yield* set(overdue, (yield* (yield* Overdue).days).length)
  const { hasQuorum, witnesses } = yield* yield* WitnessStates
  if (witnesses.length > 0) yield* set(quorum, hasQuorum ? 1 : 0)
  for (const { name, size: cosigned, trouble } of witnesses) {
    yield* set(witnessBehind, Math.max(0, size - cosigned), { witness: name })
    yield* set(witnessFailing, trouble === undefined ? 0 : 1, { witness: name })
  }
  const settings = yield* Settings
  if (Option.isSome(settings.depositAddress) && Option.isSome(settings.evmRpcUrl))
    yield* set(chainUp, (yield* (yield* Watch).trouble) === undefined ? 1 : 0)
})

const secondsSince = (then: string | number | Date, now: number): number =>
  Math.max(0, (now - new Date(then).getTime()) / 1000)

const sizeRows = rowsOf({ bytes: Schema.BigInt })

const fromSql = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const began = yield* Clock.currentTimeMillis
  yield* sql`select 1`
  yield* set(latency, ((yield* Clock.currentTimeMillis) - began) / 1000)
  const now = yield* DataClock.now
  const [size] = yield* sql`select pg_database_size(current_database()) as bytes`.pipe(sizeRows)
  if (size !== undefined) yield* set(bytes, Number(size.bytes))
  const sinceBackup = yield* backupAge
  if (sinceBackup !== undefined) yield* set(backedUp, sinceBackup / 1000)
  const ofLog = yield* measuredLog
  if (ofLog.signed_at !== null) yield* set(headAge, secondsSince(ofLog.signed_at, now))
  if (ofLog.closed !== null) yield* set(closedAge, secondsSince(Date.parse(ofLog.closed) + dayMs, now))
  yield* set(anchorAge, ofLog.pending_since === null ? 0 : secondsSince(ofLog.pending_since, now))
  for (const state of ["pending", "confirmed", "final", "lost"])
    yield* set(anchors, ofLog.anchors.get(state) ?? 0, { state })
  yield* ofObservers(now)
  yield* ofChainLooks
  yield* ofAlertMessages
  const { answering, collecting } = yield* uptime
  for (const [part, { percent }] of Object.entries({ answering, collecting }))
    if (percent !== null) yield* set(up, percent / 100, { part })
  const money = yield* measuredMoney
  yield* set(owed, Number(money.owed) / 1e6)
  yield* set(onHold, money.cards, { kind: "card_order" })
  yield* set(onHold, money.transfers, { kind: "stablecoin_transfer" })
  yield* set(onHold, money.warranty, { kind: "warranty" })
  const { ofGuard, ofKind } = yield* openIncidents
  for (const guard of ["bounds", "fall", "rise"]) yield* set(withheld, ofGuard(guard), { guard })
  for (const kind of ["automatic", "manual"]) yield* set(incidentsOpen, ofKind(kind), { kind })
})

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* inBackground("metrics from memory", "5 seconds", fromMemory)
    // A database that is away is told by `ready`, and logged once for all.
    yield* inBackground(
      "metrics from the database",
      "1 minute",
      Effect.catchTag(fromSql, "SqlError", () => Effect.void)
    )
  })
)
