/**
 * The only writer of runs and rows. A run is kept in this order, so that a crash between any two steps leaves nothing
 * that names what is not there: bodies, run and exchanges, rows, the mark that the run is complete.
 */

import { createHash } from "node:crypto"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Array as Arr, Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Manifest } from "../plugin/Plugin.ts"
import type { Observation } from "../plugin/Value.ts"
import { doubles, ints, texts, times } from "./arrays.ts"
import { Blobs } from "./Blobs.ts"
import { Current, type LatestRow } from "./Current.ts"
import * as DataClock from "./DataClock.ts"
import { Feeds } from "./Feeds.ts"
import { doubt } from "./guards.ts"
import { epoch } from "./partitions.ts"
import type { Delivery, RunResult } from "./Run.ts"

/** What a run changed. */
export interface Written {
  /** Readings that were not there before, revisions among them. */
  readonly fresh: number
  readonly revised: number
  /** Readings that an incident excludes. */
  readonly excluded: number
}

/** Rows of one statement: PGlite is one session, and a purchase must not wait behind a long one (design 6). */
const chunk = 1000

export class Ingest extends Context.Service<
  Ingest,
  {
    /** Keeps a run whole; giving the same run again changes nothing. */
    readonly write: (delivery: Delivery) => Effect.Effect<Written, SqlError>
  }
>()("core/data/Ingest") {
  static readonly layer = Layer.effect(
    Ingest,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const blobs = yield* Blobs
      const current = yield* Current
      const feeds = yield* Feeds
      const manifests = new Map(feeds.manifests.map((manifest) => [manifest.id, manifest]))
      const seriesIds = new Map<string, number>()

      const keepRun = Effect.fnUntraced(function* (run: RunResult) {
        yield* sql`insert into run ${sql.insert({
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
          rows_sha256: rowsHash(run.observations),
          refused: PgTypes.jsonb(run.refused),
          simulated: run.simulated === true,
          complete: false
        })} on conflict do nothing`
        for (const part of Arr.chunksOf(run.exchanges, 500)) {
          yield* sql`insert into exchange ${sql.insert(
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

      /** Ids of the rows' series, made where they are new. */
      const idsOf = Effect.fnUntraced(function* (
        rows: ReadonlyArray<Observation>,
        plugin: string,
        tier: string
      ) {
        const missing = new Map<string, Observation>()
        for (const row of rows) {
          if (!seriesIds.has(seriesKey(row))) missing.set(seriesKey(row), row)
        }
        const unknown = [...missing.values()]
        if (Arr.isReadonlyArrayNonEmpty(unknown)) {
          const made = yield* sql<{ id: number; symbol: string; metric: string; source: string }>`
            insert into series ${sql.insert(
              Arr.map(unknown, ({ metric, source, symbol, unit }) => ({
                symbol,
                metric,
                source,
                plugin,
                tier,
                unit
              }))
            )}
            on conflict (symbol, metric, source)
              do update set plugin = excluded.plugin, tier = excluded.tier, unit = excluded.unit
            returning id, symbol, metric, source`
          for (const row of made) seriesIds.set(seriesKey(row), row.id)
        }
        return rows.map((row) => seriesIds.get(seriesKey(row)) ?? 0)
      })

      /** For each row the incident that excludes it, or 0: opened by hand before, or by a guard now. */
      const judge = Effect.fnUntraced(function* (
        rows: ReadonlyArray<Observation>,
        ids: ReadonlyArray<number>,
        manifest: Manifest,
        at: Date
      ) {
        const open = yield* sql<OpenIncident>`
          select id, kind, symbol, metric, source, from_as_of, to_as_of from incident
          where closed_at is null and symbol = any(${texts(rows.map(({ symbol }) => symbol))}) limit 10000`
        const before = new Map(
          (yield* sql<{ series: number; value: number }>`
            select series, value from latest where series = any(${ints(ids)}) limit ${chunk}`).map((row) => [
            row.series,
            row.value
          ])
        )
        const verdicts: Array<number> = []
        for (const [index, row] of rows.entries()) {
          const series = ids[index] ?? 0
          const asOf = Date.parse(row.as_of)
          const known = open.find(
            (incident) =>
              incident.kind === "manual" &&
              incident.symbol === row.symbol &&
              incident.metric === row.metric &&
              (incident.source === null || incident.source === row.source) &&
              incident.from_as_of.getTime() <= asOf &&
              asOf <= incident.to_as_of.getTime()
          )
          const metric = manifest.metrics[row.metric]
          const reason = metric === undefined ? undefined : doubt(metric, row.value, before.get(series))
          if (known !== undefined) verdicts.push(known.id)
          else if (reason === undefined) {
            verdicts.push(0)
            before.set(series, row.value)
          } else verdicts.push(yield* openByGuard(row, reason, open, at))
        }
        return verdicts
      })

      const openByGuard = Effect.fnUntraced(function* (
        row: Observation,
        reason: string,
        open: ReadonlyArray<OpenIncident>,
        at: Date
      ) {
        const asOf = new Date(row.as_of)
        const same = open.find(
          ({ kind, metric, source, symbol }) =>
            kind === "automatic" && symbol === row.symbol && metric === row.metric && source === row.source
        )
        if (same !== undefined) {
          yield* sql`update incident set to_as_of = greatest(to_as_of, ${asOf}) where id = ${same.id}`
          return same.id
        }
        const [made] = yield* sql<{ id: number }>`insert into incident ${sql.insert({
          kind: "automatic",
          symbol: row.symbol,
          metric: row.metric,
          source: row.source,
          from_as_of: asOf,
          to_as_of: asOf,
          reason,
          opened_at: at
        })} returning id`
        yield* Effect.logWarning("a value is held back for review", { ...row, reason, incident: made?.id })
        return made?.id ?? 0
      })

      /** One statement, so that a reading, its day and its latest row can not be told apart by a crash. */
      const keepRows = Effect.fnUntraced(function* (
        run: RunResult,
        rows: ReadonlyArray<Observation>,
        ids: ReadonlyArray<number>,
        incidents: ReadonlyArray<number>,
        recordedAt: Date
      ) {
        const simulated = run.simulated === true
        const found = yield* sql<Touched>`
          with input as materialized (
            select series, as_of, (as_of at time zone 'UTC')::date as day, value, value_text, verify_url, incident
            from unnest(${ints(ids)}, ${times(rows.map(({ as_of }) => new Date(as_of)))},
              ${doubles(rows.map(({ value }) => value))}, ${texts(rows.map((row) => row.value_text ?? null))},
              ${texts(rows.map((row) => row.verify_url))}, ${ints(incidents)})
              as t(series, as_of, value, value_text, verify_url, incident)
          ), before as materialized (
            select i.series, i.as_of, o.version, o.value, o.value_text
            from input i cross join lateral (
              select version, value, value_text from observation o
              where o.series = i.series and o.as_of = i.as_of order by version desc limit 1
            ) o
          ), fresh as (
            insert into observation (series, as_of, version, value, value_text, recorded_at, run)
            select i.series, i.as_of, coalesce(b.version, 0) + 1, i.value, i.value_text, ${recordedAt}, ${run.id}
            from input i left join before b on b.series = i.series and b.as_of = i.as_of
            where i.as_of >= ${new Date(epoch)}
              and (b.version is null or b.value <> i.value or b.value_text is distinct from i.value_text)
            on conflict do nothing
            returning series, as_of, version
          ), excluded as (
            insert into exclusion (series, as_of, version, incident)
            select f.series, f.as_of, f.version, i.incident
            from fresh f join input i on i.series = f.series and i.as_of = f.as_of where i.incident > 0
            on conflict do nothing
          ), revised as (
            insert into revision (series, as_of, version, before_value, before_text, after_value, after_text,
              recorded_at, run, why)
            select f.series, f.as_of, f.version, b.value, b.value_text, i.value, i.value_text,
              ${recordedAt}, ${run.id}, 'the upstream restated it'
            from fresh f
              join input i on i.series = f.series and i.as_of = f.as_of
              join before b on b.series = f.series and b.as_of = f.as_of
            returning 1
          ), days as (
            select f.series, i.day, i.incident, count(*) filter (where f.version = 1) as added,
              (array_agg(i.as_of order by i.as_of desc))[1] as as_of,
              (array_agg(i.value order by i.as_of desc))[1] as value,
              (array_agg(i.value_text order by i.as_of desc))[1] as value_text,
              (array_agg(i.verify_url order by i.as_of desc))[1] as verify_url
            from fresh f join input i on i.series = f.series and i.as_of = f.as_of
            group by 1, 2, 3
          ), kept_days as (
            insert into daily as d (series, day, incident, version, as_of, value, value_text, n_observations,
              verify_url, recorded_at, simulated)
            select n.series, n.day, n.incident,
              case when o.version is null then 1 when o.sealed_by is null then o.version else o.version + 1 end,
              case when o.as_of > n.as_of then o.as_of else n.as_of end,
              case when o.as_of > n.as_of then o.value else n.value end,
              case when o.as_of > n.as_of then o.value_text else n.value_text end,
              coalesce(o.n_observations, 0) + n.added,
              case when o.as_of > n.as_of then o.verify_url else n.verify_url end,
              ${recordedAt}, ${simulated}
            from days n left join lateral (
              select version, as_of, value, value_text, n_observations, verify_url, sealed_by from daily o
              where o.series = n.series and o.day = n.day and o.incident = n.incident
              order by version desc limit 1
            ) o on true
            on conflict (series, day, incident, version) do update set as_of = excluded.as_of,
              value = excluded.value, value_text = excluded.value_text, n_observations = excluded.n_observations,
              verify_url = excluded.verify_url, recorded_at = excluded.recorded_at,
              simulated = excluded.simulated, readings_sha256 = null
          ), newest as (
            select distinct on (series) series, as_of, value, value_text, verify_url
            from input where incident = 0 order by series, as_of desc
          ), kept_latest as (
            insert into latest as l (series, as_of, value, value_text, verify_url, recorded_at, confirmed_at, run,
              simulated)
            select series, as_of, value, value_text, verify_url, ${recordedAt}, ${recordedAt}, ${run.id}, ${simulated}
            from newest
            on conflict (series) do update set as_of = excluded.as_of, value = excluded.value,
              value_text = excluded.value_text, verify_url = excluded.verify_url,
              recorded_at = case when l.value = excluded.value and l.as_of = excluded.as_of
                then l.recorded_at else excluded.recorded_at end,
              confirmed_at = greatest(l.confirmed_at, excluded.confirmed_at), run = excluded.run,
              simulated = excluded.simulated
            where excluded.as_of >= l.as_of
            returning series, as_of, value, value_text, verify_url, confirmed_at, simulated
          )
          select 'latest' as what, series, as_of, value, value_text, verify_url, confirmed_at, simulated, 0 as n
          from kept_latest
          union all
          select 'counts', 0, null, (select count(*) from revised), null, null, null, null,
            (select count(*)::int from fresh)`
        const counts = found.find(({ what }) => what === "counts")
        const changed = found.flatMap((row): ReadonlyArray<LatestRow> => {
          if (row.what !== "latest" || row.as_of === null || row.confirmed_at === null) return []
          const source = rows[ids.indexOf(row.series)]
          const manifest = manifests.get(run.plugin)
          if (source === undefined || manifest === undefined) return []
          return [
            {
              series: row.series,
              symbol: source.symbol,
              metric: source.metric,
              source: source.source,
              plugin: run.plugin,
              tier: manifest.tier,
              unit: source.unit,
              value: row.value,
              value_text: row.value_text,
              verify_url: row.verify_url ?? "",
              as_of: row.as_of,
              confirmed_at: row.confirmed_at,
              simulated
            }
          ]
        })
        return { changed, fresh: counts?.n ?? 0, revised: counts?.value ?? 0 }
      })

      const write = Effect.fn("Ingest.write")(function* ({ bodies, run }: Delivery) {
        const manifest = manifests.get(run.plugin)
        if (manifest === undefined) return yield* Effect.die(`a run of ${run.plugin}, which is no feed`)
        yield* Effect.forEach(bodies, ([sha256, body]) => blobs.put(sha256, body), { discard: true })
        yield* keepRun(run)
        const now = new Date(run.simulated === true ? run.finished : yield* DataClock.now)
        const written = { fresh: 0, revised: 0, excluded: 0 }
        for (const rows of Arr.chunksOf(run.observations, chunk)) {
          const ids = yield* idsOf(rows, run.plugin, manifest.tier)
          const incidents = yield* judge(rows, ids, manifest, now)
          const kept = yield* keepRows(run, rows, ids, incidents, now)
          written.fresh += kept.fresh
          written.revised += kept.revised
          written.excluded += incidents.filter((incident) => incident > 0).length
          yield* current.apply(kept.changed)
        }
        yield* sql`update run set complete = true where id = ${run.id}`
        return written
      })

      return Ingest.of({ write })
    })
  )
}

interface OpenIncident {
  readonly id: number
  readonly kind: "automatic" | "manual"
  readonly symbol: string
  readonly metric: string
  readonly source: string | null
  readonly from_as_of: Date
  readonly to_as_of: Date
}

interface Touched {
  readonly what: "latest" | "counts"
  readonly series: number
  readonly as_of: Date | null
  readonly value: number
  readonly value_text: string | null
  readonly verify_url: string | null
  readonly confirmed_at: Date | null
  readonly n: number
}

const seriesKey = (row: {
  readonly symbol: string
  readonly metric: string
  readonly source: string
}): string => `${row.symbol}|${row.metric}|${row.source}`

/** SHA-256 over the rows as JSON lines, in their order: what a derivation that is done again must match. */
export const rowsHash = (rows: ReadonlyArray<Observation>): string => {
  const hash = createHash("sha256")
  for (const { as_of, metric, source, symbol, unit, value, value_text, verify_url } of rows) {
    hash.update(
      `${JSON.stringify([symbol, metric, source, as_of, value, value_text ?? null, unit, verify_url])}\n`
    )
  }
  return hash.digest("hex")
}
