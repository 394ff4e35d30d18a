/**
 * Readings that a chain's own proof contradicts: the node says one thing, and the state of its block another. They are refused; an incident
 * says so for as long as it goes on. It holds no reading, and is over once the same is read without a contradiction.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { contradicted } from "../../plugin/notes.ts"
import type { Refusal } from "../../plugin/Plugin.ts"
import { rowsOf } from "../../sql/rows.ts"
import { ints } from "./arrays.ts"
import { Incidents } from "./Incidents.ts"
import type { RunResult } from "./Run.ts"

/** Characters of a reason. */
const longest = 2000

const openRows = rowsOf({ id: Schema.Int, symbol: Schema.String })
const seriesRows = rowsOf({ symbol: Schema.String, metric: Schema.String, source: Schema.String })

/** What a run was told that its chain contradicts: by symbol, `*` where the whole run failed by it. */
const contradictionsOf = ({ error, refused }: RunResult): ReadonlyArray<Refusal> => {
  const all = [
    ...refused,
    ...(error === undefined ? [] : [{ symbol: "*", metric: "*", reason: error.message }])
  ]
  return all.filter(({ reason }) => reason.includes(contradicted))
}

/** The open incidents of a plugin's contradictions. */
const openOf = (plugin: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`
      select distinct i.id, i.symbol from incident i
        join series s on s.symbol = i.symbol and s.metric = i.metric and s.source = i.source
      where i.closed_at is null and i.over_at is null and i.kind = 'automatic' and starts_with(i.reason, ${contradicted})
        and s.plugin = ${plugin}
      order by i.id limit 1000`.pipe(openRows)
  )

/** The series that an incident is about: one of the symbol, or of the plugin where that is not said. */
const seriesOf = Effect.fnUntraced(function* (plugin: string, { metric, symbol }: Refusal) {
  const sql = yield* SqlClient.SqlClient
  const [series] = yield* sql`
    select symbol, metric, source from series where plugin = ${plugin} and (${symbol} = '*' or symbol = ${symbol})
    order by metric = ${metric} desc, id limit 1`.pipe(seriesRows)
  return series
})

const open = Effect.fnUntraced(function* (run: RunResult, refusal: Refusal, now: Date) {
  const sql = yield* SqlClient.SqlClient
  const series = yield* seriesOf(run.plugin, refusal)
  // A series that has never been read has nothing to which an incident could belong.
  if (series === undefined) return 0
  const words = refusal.reason.slice(refusal.reason.indexOf(contradicted))
  const reason = `${words.slice(0, longest - 30)}; this holds no reading`
  yield* sql`
    insert into incident ${sql.insert({ kind: "automatic", ...series, from_as_of: new Date(run.finished), to_as_of: now, reason, opened_at: now })}`
  yield* Effect.logWarning("a node says something else than the state of its chain", {
    plugin: run.plugin,
    run: run.id,
    reason
  })
  return 1
})

/** Opens what a run was told, and notes how long what is open goes on. */
const ofRun = Effect.fnUntraced(function* (run: RunResult, now: Date) {
  const contradictions = contradictionsOf(run)
  if (contradictions.length === 0) return 0
  const sql = yield* SqlClient.SqlClient
  const before = yield* openOf(run.plugin)
  const goesOn = before.filter(({ symbol }) =>
    contradictions.some((one) => one.symbol === symbol || one.symbol === "*")
  )
  if (goesOn.length > 0)
    yield* sql`update incident set to_as_of = greatest(to_as_of, ${now}) where id = any(${ints(goesOn.map(({ id }) => id))})`
  let opened = 0
  const noted = new Set(before.map(({ symbol }) => symbol))
  for (const one of contradictions) {
    const isNoted = one.symbol === "*" ? noted.size > 0 : noted.has(one.symbol)
    if (isNoted) continue
    noted.add(one.symbol)
    opened += yield* open(run, one, now)
  }
  return opened
})

/**
 * Opens incidents of runs whose readings are refused because of a contradiction, one for each symbol. Call in the transaction that stores
 * the runs, in their order; most have none, and cost nothing. Returns how many it opened.
 */
export const keepContradictions = Effect.fn("contradictions.keepContradictions")(function* (
  runs: ReadonlyArray<RunResult>,
  now: Date
) {
  let opened = 0
  for (const run of runs)
    if (run.rederives === undefined && run.recheck !== true) opened += yield* ofRun(run, now)
  return opened
})

/** Ends the incidents whose series was read since then without a contradiction. Returns their numbers. */
export const endContradictions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const over = yield* sql`
    select i.id, i.symbol from incident i
      join series s on s.symbol = i.symbol and s.metric = i.metric and s.source = i.source
      join latest l on l.series = s.id and l.confirmed_at > i.to_as_of
    where i.closed_at is null and i.over_at is null and i.kind = 'automatic' and starts_with(i.reason, ${contradicted})
    order by i.id limit 1000`.pipe(openRows)
  const ids = over.map(({ id }) => id)
  if (ids.length > 0)
    yield* (yield* Incidents).end(ids, "over: the node says what the state of its chain has")
  return ids
})
