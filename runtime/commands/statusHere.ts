/** The status of the service: of its feeds, and of what it publishes. */
import { existsSync } from "node:fs"
import { Console, Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../core/clock/DataClock.ts"
import { Log } from "../../core/log/Log.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { newestLooks, unconfirmedOf } from "../../core/publications/looks/newestLooks.ts"
import { Feeds, givesNothing } from "../../core/readings/Feeds.ts"
import { absence } from "../../core/readings/ingest/accept/absent.ts"
import { texts } from "../../core/readings/ingest/arrays.ts"
import { collectedWell } from "../../core/readings/ingest/collected.ts"
import { allCases } from "../../core/readings/ingest/shapes/cases.ts"
import { allContracts } from "../../core/readings/ingest/shapes/contracts.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { disagreeingPairs } from "../../core/readings/read/disagreeingPairs.ts"
import { faultsOf, withheld } from "../../core/readings/read/held.ts"
import { standings } from "../../core/readings/read/standings.ts"
import { Versions } from "../../core/readings/read/Versions.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import { type Probe, probeHere, probeOver } from "../admin/probe.ts"
import { Inside, operate } from "../admin/run.ts"
import { NotPassed } from "../cli/usage.ts"
import { earlierRuns } from "../collector/earlierRuns.ts"
import type { Earlier } from "../collector/RunState.ts"
import { embeddedIn } from "../settings/dataDir.ts"
import { Settings } from "../settings/Settings.ts"
import { ranges } from "./ranges.ts"
import { type FeedLine, type Status, table, type WithheldLine } from "./statusTable.ts"

/** Where there is no database. */
/** Withheld readings that are looked at: a run that breaks holds some thousand. */
const mostHeld = 20_000

const nothingFound = {
  withheld: [],
  changed_answers: [],
  disagreements: [],
  absent: [],
  unconfirmed_blocks: []
}

/** Prints the status as this process sees it: inside the service, or from the database itself. */
export const show = Effect.fnUntraced(function* (json: boolean) {
  const settings = yield* Settings
  const inside = yield* Inside
  const embedded = Option.isNone(settings.databaseUrl)
  // Asking for the status must not create a database.
  if (Option.isNone(inside) && embedded && !existsSync(embeddedIn(settings.dataDir))) {
    const nothing = { running: false, ready: false, reasons: [], warnings: [] }
    return yield* tell(
      {
        ...nothing,
        series: 0,
        unconfirmed_series: 0,
        snapshot_version: 0,
        log_size: 0,
        ...nothingFound,
        feeds: []
      },
      json
    )
  }
  // On Postgres the command asks the service over HTTP; on the embedded engine it runs inside the service.
  const probe = Option.isSome(inside) ? probeHere : embedded ? Effect.succeed(undefined) : probeOver(settings)
  yield* operate(Effect.flatMap(Effect.flatMap(probe, statusOf), (status) => tell(status, json)))
})

/** Prints the ranges of the last known values. */
export const showValues = Effect.suspend(() => showRows(ranges))

/** Prints the shape contracts of all feeds. */
export const showShapes = Effect.suspend(() => showRows(allContracts))

/** Prints the cases that are kept of feeds, each as it is stored, in base64. */
export const showCases = Effect.suspend(() =>
  showRows(
    Effect.map(allCases, (cases) =>
      cases.map(({ plugin, run, tape }) => ({ plugin, run, tape: Buffer.from(tape).toString("base64") }))
    )
  )
)

/** Prints what a database has of something; nothing where there is none. */
const showRows = Effect.fnUntraced(function* <A, E>(
  rows: Effect.Effect<ReadonlyArray<A>, E, SqlClient.SqlClient>
) {
  const { databaseUrl, dataDir } = yield* Settings
  const none = Option.isNone(yield* Inside) && Option.isNone(databaseUrl) && !existsSync(embeddedIn(dataDir))
  const print = (each: ReadonlyArray<A>) => Console.log(JSON.stringify(each))
  yield* none ? print([]) : operate(Effect.flatMap(rows, print))
})

const statusOf = Effect.fnUntraced(function* (probe: Probe | undefined) {
  const { manifests, states } = yield* Feeds
  const feedStates = yield* states
  const earlier = yield* earlierRuns(manifests.map(({ id }) => id))
  const standingOf = yield* standings()
  const { rows } = yield* (yield* Current).snapshot
  const head = yield* (yield* Log).signed
  const feeds = manifests.map(({ disabled, id }): FeedLine => {
    const state = feedStates.get(id)
    const before = earlier.get(id)
    const standing = standingOf.get(id)
    return {
      plugin: id,
      state: state?.state ?? (disabled === undefined ? stateOf(before, probe) : "disabled"),
      reason: state?.reason ?? disabled ?? null,
      last_run: state?.last_started ?? timeOf(before?.lastStarted),
      last_success: state?.last_success ?? timeOf(before?.lastSuccess),
      last_error: state?.last_error ?? before?.lastError ?? null,
      confirmation: standing === undefined ? null : { state: standing.state, how: standing.how }
    }
  })
  return {
    running: probe !== undefined,
    ready: probe?.reasons.length === 0,
    reasons: probe?.reasons ?? [],
    warnings: probe?.warnings ?? [],
    series: rows.length,
    unconfirmed_series: rows.filter(({ unconfirmed }) => unconfirmed).length,
    snapshot_version: (yield* Versions).cell("symbols").number(yield* DataClock.now),
    log_size: head.size,
    withheld: faultsOf(yield* withheld(mostHeld))
      .slice(0, 20)
      .map(
        ({
          all,
          first: { incident, metric, plugin, reason, since, source, symbol, value }
        }): WithheldLine => ({
          incident,
          symbol,
          metric,
          source,
          plugin,
          since,
          value,
          reason,
          series: all.length
        })
      ),
    changed_answers: yield* changedAnswers,
    disagreements: yield* disagreeing,
    absent: yield* absentFigures(manifests.map(({ id }) => id)),
    unconfirmed_blocks: unconfirmedOf(yield* newestLooks),
    feeds
  } satisfies Status
})

const changedRows = rowsOf({ incident: Schema.Int, from_as_of: Schema.Date, reason: Schema.String })

const changedAnswers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select id as incident, from_as_of, reason from incident
    where closed_at is null and id in (select incident from answer_shape) order by id desc limit 20`.pipe(
    changedRows
  )
  return rows.map(({ from_as_of, ...row }) => ({ ...row, since: isoTime(from_as_of.getTime()) }))
})

const disagreeing = Effect.gen(function* () {
  const pairs = yield* disagreeingPairs(20)
  return pairs.map(
    ({ metric, second_metric, second_source, second_value, since, source, symbol, tolerance, value }) => ({
      symbol,
      metric,
      source,
      value,
      second_metric,
      second_source,
      second_value,
      tolerance,
      since: isoTime(since.getTime())
    })
  )
})

const absentRows = rowsOf({
  plugin: Schema.String,
  symbol: Schema.String,
  metric: Schema.String,
  reason: Schema.String
})

const absentFigures = Effect.fnUntraced(function* (plugins: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select last.plugin, r ->> 'symbol' as symbol, r ->> 'metric' as metric, r ->> 'reason' as reason
    from unnest(${texts([...plugins])}) as named(id) cross join lateral (
      select plugin, refused from run
      where plugin = named.id and not simulated and ${sql.literal(collectedWell("run"))} order by id desc limit 1
    ) last, jsonb_array_elements(last.refused) as r
    where r ->> 'reason' like ${`${absence}%`} order by 1, 2, 3 limit 100`.pipe(absentRows)
})

/** The state of a feed as its stored runs show it, for a command outside the service. */
const stateOf = (earlier: Earlier | undefined, probe: Probe | undefined): FeedLine["state"] =>
  earlier?.trouble ?? (probe === undefined ? "not running" : "waiting")

const timeOf = (ms: number | undefined): string | null => (ms === undefined ? null : isoTime(ms))

const tell = Effect.fnUntraced(function* (status: Status, json: boolean) {
  yield* Console.log(json ? JSON.stringify(status) : table(status, yield* DataClock.now))
  if (!status.running) return yield* new NotPassed({ code: 2 })
  const failing = status.feeds.some(({ state }) => state !== "not running" && givesNothing(state))
  if (!status.ready || status.warnings.length > 0 || failing) return yield* new NotPassed({ code: 1 })
})
