/** Counts the runs of feeds as they are stored. */
import { Effect, Metric } from "effect"
import type { RunResult } from "../../core/readings/ingest/Run.ts"
import type { Written } from "../../core/readings/ingest/store.ts"

const runs = Metric.counter("plumbline_feed_runs_total", {
  description: "Runs by plugin and status",
  incremental: true
})
const seconds = Metric.counter("plumbline_feed_run_seconds_total", {
  description: "Time that the runs of a plugin took, with their requests",
  incremental: true
})
const refused = Metric.counter("plumbline_feed_rows_refused_total", {
  description: "Rows of a plugin that its manifest does not allow",
  incremental: true
})
const rows = Metric.counter("plumbline_ingest_rows_total", {
  description:
    "Rows stored: new ones, those among them that revise an earlier one, and those that an incident excludes",
  incremental: true
})
const storing = Metric.histogram("plumbline_ingest_seconds", {
  description: "Time until a run was stored, with its waits for the database",
  boundaries: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 60]
})

/** Counts runs that took `millis` to store together. */
export const countRuns = Effect.fnUntraced(function* (
  stored: ReadonlyArray<RunResult>,
  written: Written | undefined,
  millis: number
) {
  for (const run of stored) {
    const { plugin } = run
    yield* Metric.update(Metric.withAttributes(runs, { plugin, status: run.status }), 1)
    const took = Date.parse(run.finished) - Date.parse(run.started)
    yield* Metric.update(Metric.withAttributes(seconds, { plugin }), Math.max(0, took) / 1000)
    yield* Metric.update(Metric.withAttributes(refused, { plugin }), run.refused.length)
    yield* Metric.update(storing, millis / 1000)
  }
  if (written === undefined) return
  for (const kind of ["fresh", "revised", "excluded"] as const) {
    yield* Metric.update(Metric.withAttributes(rows, { kind }), written[kind])
  }
})
