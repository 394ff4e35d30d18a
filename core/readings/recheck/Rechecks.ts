/**
 * Series that are looked at again: who asks, what is to be run, and what came of it, all in SQL, since the process that is asked
 * need not be the one that collects. One run is for all series of a plugin and a target, is never made twice at a time, and no
 * sooner than ten minutes after the last.
 */
import { createHmac, randomBytes } from "node:crypto"
import { Context, Effect, Latch, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../clock/DataClock.ts"
import { hour, minute } from "../../plugin/time.ts"
import { isoTime } from "../../plugin/Value.ts"
import { providing } from "../../process/providing.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Comparison, type RecheckResponse } from "../../wire/data/recheck.ts"
import { type BadParameter, NotFound, type UnknownSymbol } from "../../wire/problems/request.ts"
import { TooManyRequests, Unavailable } from "../../wire/problems/service.ts"
import { Feeds } from "../Feeds.ts"
import { ints, texts } from "../ingest/arrays.ts"
import { Current, type CurrentRow } from "../read/Current.ts"
import { declaredMetric, declaredSource, knownSymbol } from "../read/parameters.ts"
import { pickSource } from "../read/pickSource.ts"
import { carriedBy } from "./carriedBy.ts"
import { comparedWith } from "./compared.ts"
import { targetOf } from "./targetOf.ts"

/** The upstream of a target is asked again no sooner than this after the last time, in milliseconds. */
const restsFor = 10 * minute

/** Runs that callers may cause of one plugin in an hour: its host is there for collecting. */
const mostAnHour = 12

/** Of those, the runs that callers of one network may cause: the others are for everybody else. */
const mostOfNetwork = 3

/**
 * What stands for a network in the database, which has no address. A service on several processes gives them one secret; without
 * that, each process counts for itself.
 */
export const AskerName = Context.Reference<(network: string) => string>("core/readings/recheck/AskerName", {
  defaultValue: () => {
    const key = randomBytes(32)
    return (network) => createHmac("sha256", key).update(network).digest("hex")
  }
})

/** A run that is not over after this time is taken for lost, in milliseconds: its process ended. */
const lostAfter = 5 * minute

/** What to run. */
export interface RecheckTask {
  readonly id: number
  readonly plugin: string
  /** The symbol that the run is about; null: all that the plugin covers. */
  readonly target: string | null
}

export interface RecheckParams {
  readonly symbol: string
  readonly metric: string
  readonly source?: string | undefined
}

const taskRows = rowsOf({ id: Schema.Int, plugin: Schema.String, target: Schema.NullOr(Schema.String) })
const NullableDate = Schema.NullOr(Schema.Date)
const countRows = rowsOf({
  n: Schema.Int,
  oldest: NullableDate,
  n_of_network: Schema.Int,
  oldest_of_network: NullableDate
})
const newestRows = rowsOf({ id: Schema.Int, asked_at: Schema.Date, done_at: Schema.NullOr(Schema.Date) })

export class Rechecks extends Context.Service<
  Rechecks,
  {
    /**
     * Has the upstream of a served value asked again, and says what is known of it so far: a call does not wait, since calls are
     * answered a few at a time. Fails with `NotFound` where no such value is served, `Unavailable` where it is simulated, and
     * `TooManyRequests` where the share of its plugin, or of the caller's network in it, is used up.
     */
    readonly ask: (
      params: RecheckParams,
      /** The originating network: an IPv4 address or an IPv6 /64. */
      network: string
    ) => Effect.Effect<
      RecheckResponse,
      SqlError | UnknownSymbol | BadParameter | NotFound | TooManyRequests | Unavailable
    >
    /** Has the runs of these series made that the lot fell on; of one under way, it says so as well. */
    readonly draw: (rows: ReadonlyArray<CurrentRow>) => Effect.Effect<void, SqlError>
    /** The next run to make of these plugins, which is from now on this caller's; undefined if there is none. */
    readonly take: (plugins: ReadonlyArray<string>) => Effect.Effect<RecheckTask | undefined, SqlError>
    /** Returns as soon as this process was asked for a run, at the latest after 2 seconds: another may have been. */
    readonly nextRequest: Effect.Effect<void>
  }
>()("core/readings/recheck/Rechecks") {
  static readonly layer = Layer.effect(
    Rechecks,
    Effect.gen(function* () {
      const provided = yield* providing(SqlClient.SqlClient, Current, Feeds)
      const requests = yield* Latch.make(false)
      const nameOf = yield* AskerName
      const opened =
        <A extends ReadonlyArray<unknown>, B, E>(method: (...args: A) => Effect.Effect<B, E>) =>
        (...args: A) =>
          Effect.ensuring(method(...args), requests.open)
      const begin = opened(provided(open))
      return Rechecks.of({
        ask: (params, network) =>
          Effect.flatMap(provided(servedRow)(params), (row) =>
            Effect.flatMap(begin(row, nameOf(network)), (id) => provided(resultOf)(id, row))
          ),
        draw: opened(provided(draw)),
        take: provided(take),
        nextRequest: Effect.andThen(
          Effect.raceFirst(requests.await, Effect.sleep("2 seconds")),
          requests.close
        ).pipe(Effect.asVoid)
      })
    })
  )
}

/** The row that is served; of several sources the one that answers elsewhere too. */
const servedRow = Effect.fn("Rechecks.servedRow")(function* (params: RecheckParams) {
  const { snapshot } = yield* Current
  const symbol = yield* knownSymbol("symbol", params.symbol)
  const ofSymbol = (yield* snapshot).bySymbol.get(symbol) ?? []
  const metric = yield* declaredMetric(
    "metric",
    params.metric,
    ofSymbol.map(({ row }) => row.metric)
  )
  const candidates = ofSymbol.filter((each) => each.row.metric === metric)
  if (params.source !== undefined)
    yield* declaredSource(
      "source",
      params.source,
      candidates.map(({ row }) => row)
    )
  const picked = pickSource(
    symbol,
    metric,
    candidates
      .filter(({ row }) => params.source === undefined || row.source === params.source)
      .map((served) => ({ source: served.row.source, asOf: served.asOf, served }))
  )
  if (picked === undefined)
    return yield* new NotFound({
      message: `no value of ${metric} is served of ${symbol}${params.source === undefined ? "" : ` from ${params.source}`}: there is nothing to look at again`
    })
  if (picked.served.simulated)
    return yield* new Unavailable({
      message: "this value is simulated: it has no upstream that could be asked again"
    })
  return picked.served
})

/** Ends the runs that are lost, so that new ones can be asked for. */
const endLost = Effect.fnUntraced(function* (now: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update recheck set done_at = ${new Date(now)}, reason = 'nobody looked: the process that collects it is away or has ended'
    where done_at is null and coalesce(taken_at, asked_at) < ${new Date(now - lostAfter)}`
})

/** The number of the run that answers: one under way, one of the last ten minutes, or a new one. */
const open = Effect.fn("Rechecks.open")(function* (served: CurrentRow, asker: string) {
  const sql = yield* SqlClient.SqlClient
  const { plugin } = served
  const target = yield* targetOf(served)
  const now = yield* DataClock.now
  const newest = sql`
    select id, asked_at, done_at from recheck
    where plugin = ${plugin} and target is not distinct from ${target}::text order by id desc limit 1`.pipe(
    newestRows
  )
  yield* endLost(now)
  const [before] = yield* newest
  if (before !== undefined && (before.done_at === null || before.asked_at.getTime() > now - restsFor))
    return before.id
  const [share] = yield* sql`
    select count(*)::int as n, min(asked_at) as oldest,
      count(*) filter (where asked_by = ${asker})::int as n_of_network,
      min(asked_at) filter (where asked_by = ${asker}) as oldest_of_network
    from recheck
    where plugin = ${plugin} and asked_at > ${new Date(now - hour)} and drawn = '{}'`.pipe(countRows)
  const refused = (message: string, oldest: Date | null) =>
    new TooManyRequests({
      message,
      retry_after: Math.max(1, Math.ceil(((oldest?.getTime() ?? now) + hour - now) / 1000))
    })
  if (share !== undefined && share.n >= mostAnHour)
    return yield* refused(
      `the feed ${plugin} is asked again at most ${mostAnHour} times an hour, of all its series together: its source is there for collecting`,
      share.oldest
    )
  if (share !== undefined && share.n_of_network >= mostOfNetwork)
    return yield* refused(
      `one network may have the feed ${plugin} asked again ${mostOfNetwork} times an hour, so that others can, too`,
      share.oldest_of_network
    )
  yield* sql`
    insert into recheck (plugin, target, asked_at, asked_by)
    values (${plugin}, ${target}, ${new Date(now)}, ${asker})
    on conflict do nothing`
  const [after] = yield* newest
  return after === undefined
    ? yield* Effect.die(new Error("a recheck is gone that was just asked for"))
    : after.id
})

const resultRows = rowsOf({
  asked_at: Schema.Date,
  done_at: Schema.NullOr(Schema.Date),
  run: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String),
  comparison: Schema.NullOr(Comparison)
})

/** What is known of a run's series so far. */
const resultOf = Effect.fnUntraced(function* (id: number, served: CurrentRow) {
  const { row, series } = served
  const sql = yield* SqlClient.SqlClient
  const [result] = yield* sql`
    select r.asked_at, r.done_at, r.run, r.reason, s.comparison
    from recheck r left join recheck_series s on s.recheck = r.id and s.series = ${series}
    where r.id = ${id}`.pipe(resultRows)
  if (result === undefined) return yield* Effect.die(new Error("a recheck is gone that was asked for"))
  const { asked_at, done_at, reason, run } = result
  const comparison =
    result.comparison ?? (reason === null ? null : comparedWith(served, { unreachable: reason }))
  const { metric, source, symbol, unit } = row
  const notary = run === null ? undefined : yield* carriedBy(run)
  const response: RecheckResponse = {
    symbol,
    metric,
    source,
    unit,
    ...(done_at === null ? { state: "running", retry_after: 2 } : { state: "done" }),
    ...(comparison === null ? {} : { comparison }),
    asked_utc: isoTime(asked_at.getTime()),
    ...(done_at === null ? {} : { checked_utc: isoTime(done_at.getTime()) }),
    next_utc: isoTime(asked_at.getTime() + restsFor),
    ...(run === null ? {} : { run }),
    ...(notary === undefined ? {} : { notary })
  }
  return response
})

const draw = Effect.fn("Rechecks.draw")(function* (rows: ReadonlyArray<CurrentRow>) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DataClock.now
  yield* endLost(now)
  for (const served of rows) {
    yield* sql`
      insert into recheck as r (plugin, target, asked_at, drawn)
      values (${served.plugin}, ${yield* targetOf(served)}, ${new Date(now)}, ${ints([served.series])})
      on conflict (plugin, coalesce(target, '')) where done_at is null do update set drawn = r.drawn || excluded.drawn`
  }
})

const take = Effect.fn("Rechecks.take")(function* (plugins: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DataClock.now
  const [task] = yield* sql`
    update recheck set taken_at = ${new Date(now)} where id = (
      select id from recheck where done_at is null and taken_at is null and plugin = any(${texts(plugins)})
      order by id limit 1 for update skip locked
    ) returning id, plugin, target`.pipe(taskRows)
  return task
})
