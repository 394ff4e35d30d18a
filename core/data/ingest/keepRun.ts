/** Stores a run and its exchanges; its rows follow. */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Array as Arr, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { linesHash } from "./lines.ts"
import type { RunResult } from "./Run.ts"

/** Stores the run, not yet complete, and its exchanges; `lines` are its rows. */
export const keepRun = Effect.fnUntraced(function* (run: RunResult, lines: string) {
  const sql = yield* SqlClient.SqlClient
  const kept = sql`insert into run ${sql.insert({
    id: run.id,
    plugin: run.plugin,
    started_at: new Date(run.started),
    finished_at: new Date(run.finished),
    run_now: new Date(run.now),
    status: run.status,
    error_tag: run.error?.tag ?? null,
    error_message: run.error?.message ?? null,
    code_hash: run.code_hash,
    targets_sha256: run.targets_sha256,
    settings: PgTypes.jsonb(run.settings),
    n_rows: run.observations.length,
    rows_sha256: linesHash(lines),
    refused: PgTypes.jsonb(run.refused),
    simulated: run.simulated === true,
    complete: false
  })} on conflict do nothing`
  const parts = Arr.chunksOf(run.exchanges, 500)
  if (parts.length === 0) yield* kept
  for (const [index, part] of parts.entries()) {
    yield* sql`${index === 0 ? sql`with kept as (${kept}) ` : sql``}insert into exchange ${sql.insert(
      Arr.map(part, (exchange) => ({
        run: run.id,
        n: exchange.n,
        method: exchange.method,
        url: exchange.url,
        request_body: exchange.request_body ?? null,
        at: new Date(exchange.at),
        status: exchange.status,
        headers: PgTypes.jsonb(exchange.headers),
        sha256: exchange.sha256,
        size: exchange.size,
        confirmed: exchange.confirmed
      }))
    )} on conflict do nothing`
  }
})
