/** Rows as the terminal shows them. */
import { Effect } from "effect"
import { type Manifest, metricNamed } from "../../core/plugin/Manifest.ts"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import type { Expected } from "../../core/plugin/Recording.ts"
import { checkGuards } from "../../core/readings/ingest/compare/guards.ts"
import { UsageError } from "../cli/usage.ts"
import { placeOf } from "../collector/plugins.ts"
import type { Tape } from "../upstream/replay.ts"
import * as Fixtures from "./fixtures.ts"

/** Derives the rows of a tape. A plugin that throws is a mistake of its author, reported in one line. */
export const derived = (plugin: Plugin, tape: Tape): Effect.Effect<Expected, UsageError> =>
  Effect.catchDefect(Fixtures.replay(plugin, tape), (defect) =>
    Effect.fail(
      new UsageError({
        message: `plugins/${plugin.manifest.id}/${placeOf(defect) ?? "index.ts"} throws: ${String(defect)}`
      })
    )
  )

/**
 * The rows that ingest would accept. Ingest holds back values outside their metric's bounds, so they are shown as refused,
 * with the same reason. Guards that depend on earlier values cannot be checked for a single run.
 */
export const ingestible = ({ metrics }: Manifest, rows: Expected): Expected => {
  if ("error" in rows) return rows
  const judged = rows.observations.map((row) => {
    const metric = metricNamed(metrics, row.metric)
    return {
      row,
      reason:
        metric === undefined
          ? undefined
          : checkGuards({ metric, name: row.metric }, row.value, undefined)?.reason
    }
  })
  const withheld = judged.flatMap(({ reason, row: { metric, symbol } }) =>
    reason === undefined ? [] : [{ symbol, metric, reason: `held back at ingest: ${reason}` }]
  )
  return {
    observations: judged.flatMap(({ reason, row }) => (reason === undefined ? [row] : [])),
    refused: [...rows.refused, ...withheld]
  }
}

/** The most rows to print; `--json` prints all. */
const most = 40

/** A table of the rows and refusals, or the failure. */
export const table = (rows: Expected): string => {
  if ("error" in rows) return `  ${rows.error}: ${rows.message}`
  const lines = rows.observations
    .slice(0, most)
    .map(({ as_of, metric, symbol, unit, value, value_text }) => [
      symbol,
      metric,
      value_text ?? String(value),
      unit,
      as_of
    ])
  const widths = [0, 1, 2, 3].map((at) => Math.max(0, ...lines.map((line) => line[at]?.length ?? 0)))
  const more = rows.observations.length - lines.length
  return [
    ...lines.map((line) => `  ${line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")}`),
    ...(more > 0 ? [`  and ${more} more rows`] : []),
    ...rows.refused.map(({ metric, reason, symbol }) => `  refused ${symbol} ${metric}: ${reason}`),
    `  ${rows.observations.length} rows, ${rows.refused.length} refused`
  ].join("\n")
}
