/** Stores runs and their exchanges; their rows follow. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { notaryListHash } from "../../../proof/lot.ts"
import { booleans, ints, texts, times, timesOrNull } from "../arrays.ts"
import type { RunExchange, RunResult } from "../Run.ts"
import { settingsInput } from "./inputs.ts"

/** A run with the hash and the root of its rows. */
export interface HashedRun {
  readonly run: RunResult
  readonly hash: string
  readonly root: string
}

/** Keeps what the runs drew their notaries from. */
const keepNotaryLists = Effect.fnUntraced(function* (runs: ReadonlyArray<RunResult>) {
  const sql = yield* SqlClient.SqlClient
  const lists = new Map(
    runs.flatMap(({ lot }) => (lot === undefined ? [] : [[notaryListHash(lot.from), lot.from] as const]))
  )
  for (const [sha256, notaries] of lists)
    yield* sql`
      insert into notary_list (sha256, notaries) values (${sha256}, ${texts(notaries)}) on conflict do nothing`
})

/** Stores the runs, not yet complete, and their exchanges. Nothing follows of one that looked again, which is complete. */
export const keepRuns = Effect.fnUntraced(function* (hashed: ReadonlyArray<HashedRun>) {
  const sql = yield* SqlClient.SqlClient
  const runs = hashed.map(({ run }) => run)
  const text = (of: (run: RunResult) => string | null) => texts(runs.map(of))
  const time = (of: (run: RunResult) => string) => times(runs.map((run) => new Date(of(run))))
  const exchanges = runs.flatMap((run) => run.exchanges.map((exchange) => ({ run: run.id, exchange })))
  const textOf = (of: (exchange: RunExchange) => string | null) =>
    texts(exchanges.map(({ exchange }) => of(exchange)))
  const intOf = (of: (exchange: RunExchange) => number) => ints(exchanges.map(({ exchange }) => of(exchange)))
  yield* keepNotaryLists(runs)
  yield* sql`
    with kept as (
      insert into run (id, plugin, started_at, finished_at, run_now, status, error_tag, error_message, code_hash,
        targets_sha256, settings, n_rows, rows_sha256, refused, simulated, rederives, due_at, settings_sha256,
        rows_root, lot_head, lot_notary, lot_from, complete, outcome)
      select id, plugin, started_at, finished_at, run_now, status, error_tag, error_message, code_hash,
        targets_sha256, settings::jsonb, n_rows, rows_sha256, refused::jsonb, simulated, rederives, due_at,
        settings_sha256, rows_root, lot_head, lot_notary, lot_from, recheck, case when recheck then 'recheck' end
      from unnest(${text(({ id }) => id)}, ${text(({ plugin }) => plugin)}, ${time(({ started }) => started)},
        ${time(({ finished }) => finished)}, ${time(({ now }) => now)}, ${text(({ status }) => status)},
        ${text(({ error }) => error?.tag ?? null)}, ${text(({ error }) => error?.message ?? null)},
        ${text((run) => run.code_hash)}, ${text((run) => run.targets_sha256)},
        ${text(({ settings }) => JSON.stringify(settings))}, ${ints(runs.map(({ observations }) => observations.length))},
        ${texts(hashed.map(({ hash }) => hash))}, ${text(({ refused }) => JSON.stringify(refused))},
        ${booleans(runs.map(({ simulated }) => simulated === true))}, ${text(({ rederives }) => rederives ?? null)},
        ${timesOrNull(runs.map(({ due }) => (due === undefined ? null : new Date(due))))},
        ${text(({ settings }) => settingsInput(settings).sha256)}, ${texts(hashed.map(({ root }) => root))},
        ${text(({ lot }) => lot?.head ?? null)}, ${text(({ lot }) => lot?.notary ?? null)},
        ${text(({ lot }) => (lot === undefined ? null : notaryListHash(lot.from)))},
        ${booleans(runs.map(({ recheck }) => recheck === true))})
        as t(id, plugin, started_at, finished_at, run_now, status, error_tag, error_message, code_hash,
          targets_sha256, settings, n_rows, rows_sha256, refused, simulated, rederives, due_at, settings_sha256,
          rows_root, lot_head, lot_notary, lot_from, recheck)
      on conflict do nothing
    )
    insert into exchange (run, n, method, url, request_body, at, status, headers, sha256, size, confirmed)
    select run, n, method, url, request_body, at, status, headers::jsonb, sha256, size, confirmed
    from unnest(${texts(exchanges.map(({ run }) => run))}, ${intOf(({ n }) => n)},
      ${textOf(({ method }) => method)}, ${textOf(({ url }) => url)},
      ${textOf((exchange) => exchange.request_body ?? null)},
      ${times(exchanges.map(({ exchange }) => new Date(exchange.at)))}, ${intOf(({ status }) => status)},
      ${textOf(({ headers }) => JSON.stringify(headers))}, ${textOf(({ sha256 }) => sha256)},
      ${intOf(({ size }) => size)}, ${booleans(exchanges.map(({ exchange }) => exchange.confirmed))})
      as t(run, n, method, url, request_body, at, status, headers, sha256, size, confirmed)
    on conflict do nothing`
})
