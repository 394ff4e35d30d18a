/** Holds the rows of a run to the series that its plugin owns: whoever wrote a series first, while its manifest declares it. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { declares, type Rival } from "../../../catalog/writers.ts"
import type { Refusal } from "../../../plugin/Plugin.ts"
import type { Observation } from "../../../plugin/Value.ts"
import { rowsOf } from "../../../sql/rows.ts"
import { texts } from "../arrays.ts"
import type { RunResult } from "../Run.ts"
import { seriesKey } from "./series.ts"

const ownerRows = rowsOf({
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  plugin: Schema.String
})

/** The run without the rows of series that one of the rivals owns; those are listed among its refused readings. */
export const ofOwner = Effect.fnUntraced(function* (run: RunResult, rivals: ReadonlyArray<Rival>) {
  const shared = run.observations.filter((row) => rivals.some(({ manifest }) => declares(manifest, row)))
  if (shared.length === 0) return run
  const sql = yield* SqlClient.SqlClient
  const owners = yield* sql`
    select symbol, metric, source, plugin from series where (symbol, metric, source) in (
      select * from unnest(${texts(shared.map(({ symbol }) => symbol))},
        ${texts(shared.map(({ metric }) => metric))}, ${texts(shared.map(({ source }) => source))}))`.pipe(
    ownerRows
  )
  const ownerOf = new Map(owners.map((row) => [seriesKey(row), row.plugin]))
  const rivalOf = (row: Observation) => {
    const owner = ownerOf.get(seriesKey(row))
    return rivals.find(({ manifest }) => manifest.id === owner && declares(manifest, row))?.manifest.id
  }
  const refused = run.observations.flatMap((row): ReadonlyArray<Refusal> => {
    const owner = rivalOf(row)
    return owner === undefined
      ? []
      : [
          {
            symbol: row.symbol,
            metric: row.metric,
            reason: `the series of source ${row.source} belongs to plugins/${owner}: a series has one writer`
          }
        ]
  })
  if (refused.length === 0) return run
  yield* Effect.logError("dropped rows of series that another plugin owns", {
    plugin: run.plugin,
    run: run.id,
    rows: refused.length,
    first: refused[0]
  })
  return {
    ...run,
    observations: run.observations.filter((row) => rivalOf(row) === undefined),
    refused: [...run.refused, ...refused]
  }
})
