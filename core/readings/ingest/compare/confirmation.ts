/**
 * The first hours of a feed: until its first answers were looked at, its values are served and marked `unconfirmed`, and no
 * figure is computed from them. What confirms a feed is an answer of its upstream among its recorded cases, or an operator, who may
 * confirm single series as well; a declared second source confirms the series that it agrees with, and no other. Another code of a confirmed feed stays confirmed while
 * it reads the same shape; of an unconfirmed one, second sources are compared with anew.
 */
import { Context, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../../clock/DataClock.ts"
import { rowsOf } from "../../../sql/rows.ts"
import { Changes } from "../../Changes.ts"
import { Current } from "../../read/Current.ts"
import { type How, Standing, standingOfFeeds } from "../../read/standings.ts"
import { texts } from "../arrays.ts"
import { type Candidate, isUnconfirmed } from "../candidate.ts"
import { withWriterLock } from "../writerLock.ts"
import { agrees, secondSourcesOf } from "./pasts.ts"
import { type Agreed, agreedOf, confirmByOperator, confirmSeries, decideLevels } from "./standingsOfSeries.ts"

/** What is known of a feed before the first run of a code. */
export interface Evidence {
  /** Whether a captured answer is among the feed's cases, of which today's code gives the same series. */
  readonly hasCase: (plugin: string) => Effect.Effect<boolean>
  /** Whether the feed's code of hash `now` reads the same shape as its code of hash `before`. */
  readonly isShapeKept: (plugin: string, before: string, now: string) => Effect.Effect<boolean>
}

/** The evidence of the feeds that are collected. Undefined where all count as confirmed: in the replay. */
export const FeedEvidence = Context.Reference<Evidence | undefined>(
  "core/readings/ingest/confirmation/FeedEvidence",
  {
    defaultValue: () => undefined
  }
)

const standingRows = rowsOf(Standing.fields)
const pluginRows = rowsOf({ plugin: Schema.String, code_hash: Schema.String })
const idRows = rowsOf({ id: Schema.Int })

/** Those of the plugins that are not confirmed, each with its series that a second source confirmed. */
export const unconfirmedAmong = Effect.fnUntraced(function* (plugins: ReadonlyArray<string>) {
  if ((yield* FeedEvidence) === undefined) return new Map<string, ReadonlySet<number>>()
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select plugin, code_hash from ${standingOfFeeds(sql)} f
    where state = 'unconfirmed' and plugin = any(${texts([...new Set(plugins)])})`.pipe(pluginRows)
  if (rows.length === 0) return new Map<string, ReadonlySet<number>>()
  return yield* agreedOf(new Map(rows.map(({ code_hash, plugin }) => [plugin, code_hash])))
})

const newestOf = Effect.fnUntraced(function* (plugin: string) {
  const sql = yield* SqlClient.SqlClient
  const [newest] = yield* sql`
    select code_hash, state, how, since from feed_confirmation where plugin = ${plugin}
    order by id desc limit 1`.pipe(standingRows)
  return newest
})

/** The state in which a code begins its first run; undefined if the feed has run with it last. */
const stateOfCode = Effect.fnUntraced(function* (plugin: string, codeHash: string, evidence: Evidence) {
  const newest = yield* newestOf(plugin)
  if (newest?.code_hash === codeHash) return undefined
  const sql = yield* SqlClient.SqlClient
  const [earlier] = yield* sql`
    select code_hash, state, how, since from feed_confirmation
    where plugin = ${plugin} and code_hash = ${codeHash} order by id desc limit 1`.pipe(standingRows)
  if (earlier !== undefined)
    return { state: earlier.state, how: earlier.state === "confirmed" ? "kept" : null } as const
  if (newest?.state === "confirmed") {
    return (yield* evidence.isShapeKept(plugin, newest.code_hash, codeHash))
      ? ({ state: "confirmed", how: "kept" } as const)
      : ({ state: "unconfirmed", how: null } as const)
  }
  return (yield* evidence.hasCase(plugin))
    ? ({ state: "confirmed", how: "case" } as const)
    : ({ state: "unconfirmed", how: null } as const)
})

/** Decides on a code of a feed before anything of its first run is stored. Its other runs change nothing. */
export const decide = Effect.fn("Confirmation.decide")(function* (plugin: string, codeHash: string) {
  const evidence = yield* FeedEvidence
  if (evidence === undefined) return
  const next = yield* stateOfCode(plugin, codeHash, evidence)
  if (next === undefined) return
  yield* changing(
    plugin,
    Effect.gen(function* () {
      // Another process may have decided meanwhile.
      if ((yield* newestOf(plugin))?.code_hash === codeHash) return
      yield* write(plugin, codeHash, next.state, next.how)
      if (next.state === "unconfirmed") {
        yield* Effect.logInfo(
          "the values of a feed are marked unconfirmed until somebody compares it with its upstream",
          {
            plugin,
            command: `confirm ${plugin}`
          }
        )
      }
    })
  )
})

/**
 * Confirms a feed, with the code that it ran with last, for a reason that a person gives. False if it is confirmed already, or never
 * ran.
 */
export const confirm = Effect.fn("Confirmation.confirm")(function* (
  plugin: string,
  how: How,
  reason?: string
) {
  return yield* changing(plugin, confirmNow(plugin, how, reason))
})

/** Confirms some series of a feed that is not confirmed, for a reason that a person gives. False of any other feed. */
export const confirmSome = Effect.fn("Confirmation.confirmSome")(function* (
  plugin: string,
  series: ReadonlyArray<number>,
  reason: string
) {
  return yield* changing(
    plugin,
    Effect.gen(function* () {
      const newest = yield* newestOf(plugin)
      if (newest?.state !== "unconfirmed") return false
      yield* confirmByOperator(plugin, newest.code_hash, series, reason)
      return true
    })
  )
})

/**
 * Confirms, in the transaction under way, those series of the rows whose second source agrees with them, and ends the doubt about
 * their levels. Returns the series. Call it once the rows are the latest ones.
 */
export const confirmAgreeing = Effect.fnUntraced(function* (
  rows: ReadonlyArray<Candidate & { readonly inDoubt: boolean }>
) {
  const seconds = yield* secondSourcesOf(rows)
  const agreeing = rows.flatMap((row) => {
    // One that contradicts it leaves in doubt what another agrees with.
    const compared = seconds.get(row) ?? []
    const [second] = compared
    return second !== undefined && compared.every((one) => agrees(row, one)) ? [{ row, second }] : []
  })
  if (agreeing.length === 0) return []
  const newest = new Map(
    agreeing.map(({ row, second }): [number, Agreed] => [row.series, { candidate: row, second }])
  )
  const confirmed = [...newest.values()].filter(({ candidate: { from, series } }) =>
    isUnconfirmed(from, series)
  )
  yield* confirmSeries(confirmed)
  for (const [plugin, of] of Map.groupBy(confirmed, ({ candidate }) => candidate.from.manifest.id))
    yield* Effect.logInfo("series are confirmed: their second sources agree", {
      plugin,
      series: of.length,
      first: of[0]?.second
    })
  const doubted = agreeing.filter(({ row }) => row.inDoubt).map(({ row: { series } }) => series)
  const decided = yield* decideLevels(
    [...new Set(doubted)].map((series) => ({ series, agreed: newest.get(series) })),
    "second source"
  )
  return [...confirmed.map(({ candidate: { series } }) => series), ...decided]
})

const confirmNow = Effect.fnUntraced(function* (plugin: string, how: How, reason: string | undefined) {
  const newest = yield* newestOf(plugin)
  if (newest === undefined || newest.state === "confirmed") return false
  yield* write(plugin, newest.code_hash, "confirmed", how, reason ?? null)
  return true
})

const write = Effect.fnUntraced(function* (
  plugin: string,
  codeHash: string,
  state: Standing["state"],
  how: How | null,
  reason: string | null = null
) {
  const sql = yield* SqlClient.SqlClient
  const row = { plugin, code_hash: codeHash, state, how, reason, since: new Date(yield* DataClock.now) }
  yield* sql`insert into feed_confirmation ${sql.insert(row)}`
})

/** Changes what holds of a feed, and serves its series again with the commit. */
export const changing = <A, E, R>(plugin: string, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const changes = yield* Changes
    const current = yield* Current
    return yield* Effect.gen(function* () {
      const result = yield* work
      const sql = yield* SqlClient.SqlClient
      const ids = yield* seriesOfFeed(plugin)
      const { gone, rows, symbols } = yield* current.read(ids)
      const recorded = yield* changes.record(
        ["feeds", "reads", "symbols", ...symbols.map((symbol) => ({ symbol }))],
        ids
      )
      yield* sql.afterCommit(current.apply(rows, gone, recorded))
      return result
    }).pipe(withWriterLock, changes.publishing, current.change)
  })

/** The series that a feed writes. */
const seriesOfFeed = Effect.fnUntraced(function* (plugin: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`select id from series where plugin = ${plugin} order by id limit 1000000`.pipe(
    idRows
  )
  return rows.map(({ id }) => id)
})
