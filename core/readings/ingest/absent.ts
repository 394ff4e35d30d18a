/** Figures that a plugin gave and gives no more: without a row and without a refusal, their end would have no reason. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { targetsOf } from "../../catalog/Catalog.ts"
import { type Manifest, symbolsOf } from "../../plugin/Manifest.ts"
import { Refusal } from "../../plugin/Plugin.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { RunResult } from "./Run.ts"

/** The reason among a run's refused readings of a figure that the last good run of the plugin had. */
export const absent = "absent: no answer of this run has it"

const Name = Schema.Struct({ symbol: Schema.String, metric: Schema.String })
type Name = typeof Name.Type

const lastRows = rowsOf({ figures: Schema.Array(Name), refused: Schema.Array(Refusal) })

const keyOf = ({ metric, symbol }: Name): string => `${symbol}|${metric}`

/**
 * The run with each figure among its refused readings that it neither has nor refuses, although the last good run of the plugin
 * had it, or refused or missed it in its turn. Members of a family come and go, such as countries without a node: they are not listed, nor
 * is what the manifest does not declare any more.
 */
export const withAbsent = Effect.fnUntraced(function* (run: RunResult, manifest: Manifest) {
  if (run.status !== "ok" || run.simulated === true) return run
  const sql = yield* SqlClient.SqlClient
  const [last] = yield* sql`
    select last.refused, coalesce((
      select json_agg(json_build_object('symbol', s.symbol, 'metric', s.metric))
      from latest l join series s on s.id = l.series where l.run = last.id and s.plugin = ${run.plugin}
    ), '[]') as figures
    from run last where last.plugin = ${run.plugin} and last.id < ${run.id} and last.rederives is null
      and last.status = 'ok' and last.complete and not last.simulated
    order by last.id desc limit 1`.pipe(lastRows)
  if (last === undefined) return run
  const symbols = symbolsOf(manifest, targetsOf(manifest.covers))
  const accounted = new Set([...run.observations, ...run.refused].map(keyOf))
  const isAbsent = (figure: Name): boolean => {
    const { metric, symbol } = figure
    return (
      symbols.has(symbol) &&
      Object.hasOwn(manifest.metrics, metric) &&
      manifest.metrics[metric]?.of === undefined &&
      ![figure, { symbol, metric: "*" }, { symbol: "*", metric }, { symbol: "*", metric: "*" }].some((name) =>
        accounted.has(keyOf(name))
      )
    )
  }
  const before = [...last.figures, ...last.refused]
  const missing = new Map(before.filter(isAbsent).map((figure) => [keyOf(figure), figure]))
  if (missing.size === 0) return run
  const refused = [...missing.values()].map(
    ({ metric, symbol }): Refusal => ({ symbol, metric, reason: absent })
  )
  yield* Effect.logWarning("figures are absent from a run", {
    plugin: run.plugin,
    run: run.id,
    figures: refused.length,
    first: refused[0]
  })
  return { ...run, refused: [...run.refused, ...refused] }
})
