/**
 * The archive: after each close, a Parquet file of the day's leaves; after each month and year, one of all their leaves in
 * the order in which long histories are read. The log commits to each file, and a published file is never made again.
 *
 * A file is made, stored under a key that holds its hash, and then published in one transaction: its log entry and its row.
 * A process that is killed in between has published nothing, and the next run makes the same file again.
 */
import { Array as Arr, Context, Effect, Layer, Option, Schema, Semaphore, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../clock/DataClock.ts"
import { day as dayMs } from "../../plugin/time.ts"
import { isoTime } from "../../plugin/Value.ts"
import { archiveKind, archiveTag, type FileStatement, fileName, type Period } from "../../proof/archive.ts"
import { type DocumentEntry, entryTag } from "../../proof/entry.ts"
import { tagged } from "../../proof/leaf.ts"
import { ints } from "../../readings/ingest/arrays.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Log, type LogHalted, LogKey } from "../Log.ts"
import { ArchiveFiles, ArchiveUnavailable, keyOf } from "./ArchiveFiles.ts"
import { type Draft, FileMaker, type Sealed } from "./FileMaker.ts"
import { faultsOf, requireIntact } from "./requireIntact.ts"

/** Leaves of one statement. */
const pageRows = 4000

/** Files of one round, so that a service that archives its past does not hold one up for long. */
const mostAtOnce = 40

const Batch = Schema.Struct({ id: Schema.Int, day: Schema.String })
const batchRows = rowsOf(Batch.fields)
const dueRows = rowsOf({ day: Schema.String })
const leafRows = rowsOf({
  place: Schema.Int,
  text: Schema.String,
  hash: Schema.Uint8Array,
  row: Schema.Boolean
})
const absenceRows = rowsOf({ text: Schema.String })
const spanRows = rowsOf({
  first: Schema.String,
  last: Schema.String,
  first_batch: Schema.Int,
  last_batch: Schema.Int
})
const sourceRows = rowsOf({ name: Schema.String, sha256: Schema.String })
const idRows = rowsOf({ id: Schema.Int })
const sealedRows = rowsOf({ series: Schema.Int, text: Schema.String, hash: Schema.Uint8Array })
const placeRows = rowsOf({ place: Schema.Int, sha256: Schema.String })
const Published = Schema.Struct({
  name: Schema.String,
  period: Schema.Literals(["day", "month", "year"]),
  first_day: Schema.String,
  bytes: Schema.Int,
  sha256: Schema.String,
  batch: Schema.Int
})
const publishedRows = rowsOf(Published.fields)
const nameRows = rowsOf({ name: Schema.String })

/** A file to make: what it says of itself, its leaves, and the newest batch among them. */
interface Plan {
  readonly statement: FileStatement
  readonly lastBatch: number
  readonly pages: Stream.Stream<ReadonlyArray<Sealed>, SqlError>
}

export class Archive extends Context.Service<
  Archive,
  {
    /** Publishes the files that are due, the oldest first; returns their names. */
    readonly run: Effect.Effect<ReadonlyArray<string>, ArchiveUnavailable | LogHalted | SqlError>
  }
>()("core/log/archive/Archive") {
  static readonly layer = Layer.effect(
    Archive,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const log = yield* Log
      const { simulated } = yield* LogKey
      const files = yield* ArchiveFiles
      const maker = yield* FileMaker
      const turn = yield* Semaphore.make(1)

      const statementOf = (
        period: Period,
        first_day: string,
        last_day: string,
        rest: Pick<FileStatement, "absence" | "sources">
      ): FileStatement => ({
        v: tagged(archiveTag, simulated),
        period,
        first_day,
        last_day,
        ...rest,
        ...(simulated ? { simulated: true } : {})
      })

      const dayPlan = Effect.fnUntraced(function* ({ day, id }: typeof Batch.Type) {
        const [absence] = yield* sql`
          select text from leaf where batch = ${id} and series is null`.pipe(absenceRows)
        return {
          statement: statementOf("day", day, day, { absence: absence?.text ?? "" }),
          lastBatch: id,
          pages: Stream.paginate(-1, (after) =>
            Effect.map(
              sql`
                select place, text, hash, series is not null as row from leaf
                where batch = ${id} and place > ${after} order by place limit ${pageRows}`.pipe(leafRows),
              (page) =>
                [
                  [page.filter(({ row }) => row)],
                  page.length < pageRows ? Option.none() : Option.fromNullishOr(page.at(-1)?.place)
                ] as const
            )
          )
        } satisfies Plan
      })

      /** The plan of the month or year of a day, from the files of its days or months. */
      const compactPlan = Effect.fnUntraced(function* (period: "month" | "year", day: string) {
        const [span] = yield* sql`
          select min(day)::text as first, max(day)::text as last, min(id) as first_batch, max(id) as last_batch
          from batch where date_trunc(${period}::text, day::timestamp) = date_trunc(${period}::text, ${day}::date::timestamp)`.pipe(
          spanRows
        )
        if (span === undefined) return yield* Effect.die(`no batch of the ${period} of ${day}`)
        const sources = yield* sql`
          select name, sha256 from archive_file where period = ${period === "month" ? "day" : "month"}
            and first_day between ${span.first}::date and ${span.last}::date order by first_day`.pipe(
          sourceRows
        )
        const late = yield* sql`
          select series, text, hash from leaf where batch between ${span.first_batch} and ${span.last_batch}
            and series is not null and day < ${span.first}::date
          order by series, day, incident, version`.pipe(sealedRows)
        const lateOf = Map.groupBy(late, ({ series }) => series)
        const series = yield* sql`
          select id from series order by metric collate "C", symbol collate "C", source collate "C"`.pipe(
          idRows
        )
        const days = (Date.parse(span.last) - Date.parse(span.first)) / dayMs + 1
        const chunks = Arr.chunksOf(
          series.map(({ id }) => id),
          Math.max(1, Math.floor(pageRows / days))
        )
        return {
          statement: statementOf(period, span.first, span.last, { sources }),
          lastBatch: span.last_batch,
          // Its days are read series by series: without statistics, as in the embedded engine, the planner would read all
          // leaves of the period for each chunk, and hold everybody else up for seconds.
          pages: Stream.fromIterable(chunks).pipe(
            Stream.mapEffect((ids) =>
              sql`
                select l.series, l.text, l.hash from unnest(${ints(ids)}) with ordinality as s(id, n)
                  cross join lateral (
                    select * from leaf where series = s.id and day between ${span.first}::date and ${span.last}::date
                    offset 0
                  ) l
                where l.batch between ${span.first_batch} and ${span.last_batch}
                order by s.n, l.day, l.incident, l.version`.pipe(
                sealedRows,
                Effect.map((sealedRows) => {
                  const bySeries = Map.groupBy(sealedRows, ({ series }) => series)
                  return ids.flatMap((id) => [...(lateOf.get(id) ?? []), ...(bySeries.get(id) ?? [])])
                })
              )
            )
          )
        } satisfies Plan
      })

      /** Whether the log has this file already: from a process that was killed, or from before a restore. */
      const logged = Effect.fnUntraced(function* (name: string, sha256: string) {
        const [entry] = yield* sql`
          select place, text::jsonb ->> 'sha256' as sha256 from log_entry
          where strpos(text, ${`"kind":"${archiveKind}"`}) > 0 and strpos(text, ${`"subject":"${name}"`}) > 0
          order by place limit 1`.pipe(placeRows)
        if (entry === undefined || entry.sha256 === sha256) return entry
        return yield* Effect.die(
          `the log has another ${name}, with SHA-256 ${entry.sha256}; this one has ${sha256}. Restore the table archive_file and the file from a backup`
        )
      })

      const publish = Effect.fn("Archive.publish")(function* ({ lastBatch, statement }: Plan, draft: Draft) {
        const { first_day, last_day, period } = statement
        const name = fileName(period, first_day)
        const now = yield* DataClock.now
        const entry: DocumentEntry = {
          v: tagged(entryTag, simulated),
          kind: archiveKind,
          sha256: draft.sha256,
          subject: name,
          recorded_at: isoTime(now),
          ...(simulated ? { simulated: true } : {})
        }
        return yield* Effect.gen(function* () {
          const [inserted] = yield* sql`insert into archive_file ${sql.insert({
            name,
            period,
            first_day,
            last_day,
            last_batch: lastBatch,
            rows: draft.rows,
            bytes: draft.bytes,
            sha256: draft.sha256,
            recorded_at: new Date(now)
          })} on conflict do nothing returning name`.pipe(nameRows)
          // Another process has published it meanwhile.
          if (inserted === undefined) return undefined
          const place = (yield* logged(name, draft.sha256))?.place ?? (yield* log.append([entry], now))
          yield* sql`update archive_file set log_index = ${place} where name = ${name}`
          return name
        }).pipe(sql.withTransaction)
      })

      const finish = Effect.fn("Archive.finish")(function* (plan: Plan) {
        const draft = yield* maker.make(plan.statement, plan.pages)
        const name = fileName(plan.statement.period, plan.statement.first_day)
        yield* files.put(keyOf(name, draft.sha256), draft)
        const done = yield* publish(plan, draft)
        yield* log.refresh
        if (done !== undefined)
          yield* Effect.logInfo("archived", { name, rows: draft.rows, bytes: draft.bytes })
        return done ?? name
      }, Effect.scoped)

      /** How far the files have been looked at, and those that cannot be made again. */
      let looked = 0
      const lost = new Set<string>()

      /** Makes a file again from its leaves, where it is away or damaged. */
      const rebuild = Effect.fn("Archive.rebuild")(function* (file: typeof Published.Type) {
        const { batch, first_day, name, period, sha256 } = file
        const plan = yield* period === "day"
          ? dayPlan({ id: batch, day: first_day })
          : compactPlan(period, first_day)
        const draft = yield* maker.make(plan.statement, plan.pages)
        if (draft.sha256 !== sha256) {
          return yield* new ArchiveUnavailable({
            message: `${name} cannot be made again: this version makes other bytes of its leaves. Copy ${keyOf(name, sha256)} from the archive of a backup, or the file from whoever downloaded it`
          })
        }
        yield* files.setAside(keyOf(name, sha256))
        yield* files.put(keyOf(name, sha256), draft)
        yield* requireIntact(files, file)
        yield* Effect.logWarning("a damaged file of the archive was made again from its leaves", { name })
      }, Effect.scoped)

      /** Looks at some of the files on this machine's disk each time, and makes those again that are not whole. */
      const watch = Effect.gen(function* () {
        const all = yield* sql`
          select f.name, f.period, f.first_day::text, f.bytes::float8, f.sha256, f.last_batch as batch
          from archive_file f where f.log_index is not null order by f.name`.pipe(publishedRows)
        const some = files.folder === undefined ? [] : all.slice(looked, looked + mostAtOnce)
        looked = looked + some.length >= all.length ? 0 : looked + some.length
        for (const file of some) yield* Effect.ignore(requireIntact(files, file))
        for (const file of all) {
          const fault = faultsOf(files).get(file.name)
          if (fault === undefined || lost.has(file.name)) continue
          yield* Effect.logError(fault)
          yield* Effect.catchTag(rebuild(file), "ArchiveUnavailable", (error) => {
            lost.add(file.name)
            return Effect.logError(error.message)
          })
        }
      })

      /** Months or years that are over, all of whose parts are published, without a file of their own. */
      const due = (period: "month" | "year") =>
        sql`
          select p.first_day::text as day from archive_file p
          where p.period = ${period === "month" ? "day" : "month"}
            and date_trunc(${period}::text, (p.last_day + 1)::timestamp) <> date_trunc(${period}::text, p.last_day::timestamp)
            and not exists (
              select 1 from archive_file f where f.period = ${period} and f.last_day = p.last_day
            )
          order by p.first_day limit ${mostAtOnce}`.pipe(dueRows)

      const run = Effect.gen(function* () {
        const published: Array<string> = []
        const days = yield* sql`
          select id, day::text as day from batch b where closed_at is not null
            and not exists (select 1 from archive_file f where f.period = 'day' and f.first_day = b.day)
          order by day limit ${mostAtOnce}`.pipe(batchRows)
        for (const batch of days) published.push(yield* finish(yield* dayPlan(batch)))
        for (const period of ["month", "year"] as const) {
          for (const { day } of yield* due(period)) {
            published.push(yield* finish(yield* compactPlan(period, day)))
          }
        }
        yield* watch
        return published
      }).pipe(turn.withPermits(1), Effect.withSpan("Archive.run"))

      return Archive.of({ run })
    })
  )
}
