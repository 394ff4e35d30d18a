/** The last stored run of each plugin, for a collector that starts. */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Effect, Result, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { notes } from "../../core/plugin/notes.ts"
import { Refusal } from "../../core/plugin/Plugin.ts"
import { absence } from "../../core/readings/ingest/accept/absent.ts"
import { collected } from "../../core/readings/ingest/collected.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import type { Earlier } from "./RunState.ts"
import { refusalMessage } from "./refusalMessage.ts"

const runRows = rowsOf({
  plugin: Schema.String,
  started: Schema.Date,
  finished: Schema.Date,
  failed: Schema.Boolean,
  /** Refused readings of a run that had no accepted ones; otherwise 0. */
  refused: Schema.Int,
  first: Schema.NullOr(Refusal),
  error: Schema.NullOr(Schema.String),
  success: Schema.NullOr(Schema.Date)
})

/** Refused readings beside the notes, and those that ingest lists as absent. */
const present = `$[*] ? (!(${[absence, ...notes].map((begin) => `@.reason starts with "${begin}"`).join(" || ")}))`

/**
 * By plugin id; plugins without a run are absent. A run that died with its thread or process was never handed over, so its
 * plugin starts as if it had not run. The breaker holds back a plugin that ends threads.
 */
export const earlierRuns = Effect.fn("Collector.earlierRuns")(function* (plugins: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  // Ingest adds what is absent, of which the collector knows nothing.
  const refusals = (of: "last.refused" | "refused") =>
    sql`jsonb_path_query_array(${sql.literal(of)}, ${present}::jsonpath)`
  const rows = yield* sql`
    select asked.id as plugin, last.started_at as started, last.finished_at as finished,
      last.status = 'failed' as failed,
      case when last.n_rows = 0 then jsonb_array_length(${refusals("last.refused")}) else 0 end as refused,
      ${refusals("last.refused")} -> 0 as first, last.error_tag || ': ' || last.error_message as error,
      ok.finished_at as success
    from unnest(${Result.getOrThrow(PgTypes.array(plugins, PgTypes.OID.text))}) as asked(id)
    cross join lateral (
      select * from run where plugin = asked.id and not simulated and ${sql.literal(collected("run"))} order by id desc limit 1
    ) as last
    left join lateral (
      select finished_at from run
      where plugin = asked.id and not simulated and ${sql.literal(collected("run"))} and status = 'ok' and (n_rows > 0 or ${refusals("refused")} = '[]')
      order by id desc limit 1
    ) as ok on true`.pipe(runRows)
  return new Map(
    rows.map(({ error, failed, finished, first, plugin, refused, started, success }): [string, Earlier] => [
      plugin,
      {
        lastStarted: started.getTime(),
        ...(success === null ? {} : { lastSuccess: success.getTime() }),
        ...(failed
          ? { trouble: "failing", lastFailure: finished.getTime(), lastError: error ?? "failed" }
          : refused > 0 && first !== null
            ? {
                trouble: "refusing",
                lastFailure: finished.getTime(),
                lastError: refusalMessage(refused, first)
              }
            : {})
      }
    ])
  )
})
