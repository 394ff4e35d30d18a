/**
 * Readings that a chain's own proof contradicts: the node says one thing, and the state of its block another. They are refused; an incident
 * says so for as long as it goes on. It holds no reading, and closes itself with the first run that reads the same without a contradiction.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { contradicted } from "../../plugin/notes.ts"
import type { Refusal } from "../../plugin/Plugin.ts"
import { rowsOf } from "../../sql/rows.ts"
import { ints } from "./arrays.ts"
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
      where i.closed_at is null and i.kind = 'automatic' and starts_with(i.reason, ${contradicted}) and s.plugin = ${plugin}
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
  const at = new Date(run.finished)
  const words = refusal.reason.slice(refusal.reason.indexOf(contradicted))
  const reason = `${words.slice(0, longest - 30)}; this holds no reading`
  yield* sql`
    insert into incident ${sql.insert({ kind: "automatic", ...series, from_as_of: at, to_as_of: at, reason, opened_at: now })}`
  yield* Effect.logWarning("a node says something else than the state of its chain", {
    plugin: run.plugin,
    run: run.id,
    reason
  })
  return 1
})

/** Opens and closes incidents by one run. */
const ofRun = Effect.fnUntraced(function* (run: RunResult, now: Date) {
  const contradictions = contradictionsOf(run)
  const isGood = run.status === "ok"
  if (contradictions.length === 0 && !isGood) return 0
  const before = yield* openOf(run.plugin)
  if (contradictions.length === 0 && before.length === 0) return 0
  const isAbout = (symbol: string) => (one: Refusal) => one.symbol === symbol || one.symbol === "*"
  const over = before.filter(
    ({ symbol }) =>
      isGood && !contradictions.some(isAbout(symbol)) && run.observations.some((row) => row.symbol === symbol)
  )
  if (over.length > 0) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      update incident set closed_at = ${now}, closing_note = 'over: the node says what the state of its chain has'
      where id = any(${ints(over.map(({ id }) => id))})`
  }
  let changed = over.length
  const noted = new Set(before.map(({ symbol }) => symbol))
  for (const one of contradictions) {
    const isNoted = one.symbol === "*" ? noted.size > 0 : noted.has(one.symbol)
    if (isNoted) continue
    noted.add(one.symbol)
    changed += yield* open(run, one, now)
  }
  return changed
})

/**
 * Opens incidents of runs whose readings are refused because of a contradiction, one for each symbol, and closes those that are over. Call
 * in the transaction that stores the runs, in their order. Returns how many incidents it changed.
 */
export const keepContradictions = Effect.fn("contradictions.keepContradictions")(function* (
  runs: ReadonlyArray<RunResult>,
  now: Date
) {
  let changed = 0
  for (const run of runs)
    if (run.rederives === undefined && run.recheck !== true) changed += yield* ofRun(run, now)
  return changed
})
