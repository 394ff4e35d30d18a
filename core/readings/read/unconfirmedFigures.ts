/** What waits for somebody who compares it with its upstream: figure by figure, with all that the service has to compare it with. */
import { Duration, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Manifest, metricNamed } from "../../plugin/Manifest.ts"
import { Refusal } from "../../plugin/Plugin.ts"
import { greatestIn } from "../../plugin/units.ts"
import { isoTime, Unit } from "../../plugin/Value.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Feeds } from "../Feeds.ts"
import { texts } from "../ingest/arrays.ts"
import { collected } from "../ingest/collected.ts"
import { agrees, secondSourcesOf } from "../ingest/compare/pasts.ts"
import { isCountedDay } from "./byDefinition.ts"
import { HeldBeside, LevelInDoubt, newestHeld } from "./heldBeside.ts"
import { doubts, standings, unconfirmedSeries } from "./standings.ts"

/** A value at a time, ISO 8601 UTC. */
const Reading = Schema.Struct({ value: Schema.Finite, as_of: Schema.String })

/** What a declared second source says of a figure, and whether that is the same. */
const Second = Schema.Struct({
  plugin: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  ...Reading.fields,
  tolerance: Schema.Finite,
  agrees: Schema.Boolean
})

/** The newest value of an unconfirmed series. */
export const Figure = Schema.Struct({
  series: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  unit: Unit,
  ...Reading.fields,
  value_text: Schema.optionalKey(Schema.String),
  verify_url: Schema.String,
  meaning: Schema.String,
  /** The family of metrics that it is of. */
  family: Schema.optionalKey(Schema.String),
  /** No value can be larger. */
  greatest: Schema.Finite,
  /** The newest day before that of the value. */
  before: Schema.optionalKey(Reading),
  seconds: Schema.Array(Second),
  held: Schema.optionalKey(HeldBeside),
  inDoubt: Schema.optionalKey(LevelInDoubt)
})
export interface Figure extends Schema.Schema.Type<typeof Figure> {}

/** The newest run of a feed that asked its upstream. */
const LastRun = Schema.Struct({
  status: Schema.Literals(["ok", "failed"]),
  error: Schema.NullOr(Schema.String),
  refused: Schema.Array(Refusal)
})

/** A feed that nothing has confirmed as a whole. */
export const UnconfirmedFeed = Schema.Struct({
  plugin: Schema.String,
  title: Schema.String,
  /** How often it is read, in milliseconds. */
  every: Schema.Finite,
  /** How many figures that cannot move are asked before its runs. */
  canaries: Schema.Int,
  /** Series of it that a second source or a person confirmed already. */
  confirmed: Schema.Int,
  last: Schema.optionalKey(LastRun),
  figures: Schema.Array(Figure)
})
export interface UnconfirmedFeed extends Schema.Schema.Type<typeof UnconfirmedFeed> {}

const figureRows = rowsOf({
  series: Schema.Int,
  plugin: Schema.String,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  unit: Unit,
  value: Schema.Finite,
  value_text: Schema.NullOr(Schema.String),
  as_of: Schema.Date,
  verify_url: Schema.String,
  unconfirmed: Schema.Boolean,
  before: Schema.NullOr(Schema.Finite),
  before_as_of: Schema.NullOr(Schema.Date),
  held: Schema.NullOr(HeldBeside),
  in_doubt: Schema.NullOr(LevelInDoubt)
})
type FigureRow = Effect.Success<ReturnType<typeof figureRows>>[number]

const runRows = rowsOf({ plugin: Schema.String, ...LastRun.fields })

/** The feeds that are not confirmed, by name, each with those of its series that nothing confirmed. */
export const unconfirmedFigures = Effect.fn("Data.unconfirmedFigures")(function* () {
  const { manifests } = yield* Feeds
  const standingOf = yield* standings()
  const waiting = manifests.filter(({ id }) => standingOf.get(id)?.state === "unconfirmed")
  const names = waiting.map(({ id }) => id)
  const rows = Map.groupBy(yield* valuesOf(names), ({ plugin }) => plugin)
  const runs = new Map((yield* lastRuns(names)).map(({ plugin, ...run }) => [plugin, run]))
  return yield* Effect.forEach(
    waiting.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    (manifest) =>
      Effect.map(figuresOf(manifest, rows.get(manifest.id) ?? []), (figures): UnconfirmedFeed => {
        const last = runs.get(manifest.id)
        return {
          plugin: manifest.id,
          title: manifest.title,
          every: Duration.toMillis(manifest.every),
          canaries: manifest.canaries?.length ?? 0,
          confirmed: (rows.get(manifest.id)?.length ?? 0) - figures.length,
          ...(last === undefined ? {} : { last }),
          figures
        }
      })
  )
})

const valuesOf = Effect.fnUntraced(function* (plugins: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const { column, joins } = unconfirmedSeries(sql)
  return yield* sql`
    select s.id as series, s.plugin, s.symbol, s.metric, s.source, s.unit, l.value, l.value_text, l.as_of, l.verify_url,
      ${column} as unconfirmed, b.value as before, b.as_of as before_as_of, held.stated as held, doubted.stated as in_doubt
    from series s join latest l on l.series = s.id ${joins}
      left join lateral (
        select d.value, d.as_of from daily d
        where d.series = s.id and ${sql.literal(isCountedDay)} and d.day < (l.as_of at time zone 'UTC')::date
        order by d.day desc, d.version desc limit 1
      ) b on true
      left join ${newestHeld(sql)} held on held.series = s.id
      left join ${doubts(sql)} doubted on doubted.series = s.id
    where s.plugin = any(${texts([...plugins])})
    order by s.plugin, s.symbol, s.metric, s.source limit 1000000`.pipe(figureRows)
})

const lastRuns = Effect.fnUntraced(function* (plugins: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select last.* from unnest(${texts([...plugins])}) as named(id) cross join lateral (
      select plugin, status, error_message as error, refused from run
      where plugin = named.id and ${sql.literal(collected("run"))} order by id desc limit 1
    ) last`.pipe(runRows)
})

const figuresOf = Effect.fnUntraced(function* (manifest: Manifest, rows: ReadonlyArray<FigureRow>) {
  const values = rows
    .filter(({ unconfirmed }) => unconfirmed)
    .map((row) => ({ row, asOf: row.as_of.getTime(), from: { manifest } }))
  const seconds = yield* secondSourcesOf(values)
  return values.map((value): Figure => {
    const { before, before_as_of, held: reading, in_doubt, metric, value_text, ...row } = value.row
    const declared = metricNamed(manifest.metrics, metric)
    const family = Object.keys(manifest.metrics).find((name) => manifest.metrics[name] === declared)
    return {
      series: row.series,
      symbol: row.symbol,
      metric,
      source: row.source,
      unit: row.unit,
      value: row.value,
      as_of: isoTime(value.asOf),
      verify_url: row.verify_url,
      meaning: declared?.meaning ?? "not declared any more",
      greatest: declared?.max ?? greatestIn(row.unit).greatest,
      ...(value_text === null ? {} : { value_text }),
      ...(family === undefined || family === metric ? {} : { family }),
      ...(before === null || before_as_of === null
        ? {}
        : { before: { value: before, as_of: isoTime(before_as_of.getTime()) } }),
      ...(reading === null ? {} : { held: reading }),
      ...(in_doubt === null ? {} : { inDoubt: in_doubt }),
      seconds: (seconds.get(value) ?? []).map(
        ({ asOf, metric, plugin, source, tolerance, value: other }) => ({
          plugin,
          metric,
          source,
          value: other,
          as_of: isoTime(asOf),
          tolerance,
          agrees: agrees(value, { plugin, metric, source, value: other, asOf, tolerance })
        })
      )
    }
  })
})
