/**
 * The archive: after each close, a Parquet file of the day's leaves; after each month and year, one of all their leaves in
 * the order in which long histories are read. The log commits to each file, and a published file is never made again.
 *
 * A file is made, stored under a key that holds its hash, and then published in one transaction: its log entry and its row.
 * A process that is killed in between has published nothing, and the next run makes the same file again. Leaves that are not those
 * of their batches in the log come into no file: the archive waits for them, and says so.
 */
import { Context, Effect, Layer, Schema, Semaphore } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../clock/DataClock.ts"
import { isoTime } from "../../plugin/Value.ts"
import { archiveKind, type FileRights, fileName } from "../../proof/archive.ts"
import { type DocumentEntry, entryTag } from "../../proof/entry.ts"
import { tagged } from "../../proof/leaf.ts"
import type { Feeds } from "../../readings/Feeds.ts"
import { rightsBySource } from "../../readings/read/rights.ts"
import { rowsOf } from "../../sql/rows.ts"
import { type Bounds, boundsOf } from "../iceberg/bounds.ts"
import { readBounds } from "../iceberg/days.ts"
import { Log, type LogHalted, LogKey } from "../Log.ts"
import { ArchiveFiles, type ArchiveUnavailable, keyOf } from "./ArchiveFiles.ts"
import { type Draft, FileMaker } from "./FileMaker.ts"
import { batchRows, compactPlan, dayPlan, type Plan } from "./plans.ts"
import { faultsOf, noteFault } from "./requireIntact.ts"
import { type LeavesDiffer, requireSealed } from "./requireSealed.ts"
import { freshUpkeep, watch } from "./upkeep.ts"

/** Files of one round, so that a service that archives its past does not hold one up for long. */
const mostAtOnce = 40

const dueRows = rowsOf({ day: Schema.String })
const placeRows = rowsOf({ place: Schema.Int, sha256: Schema.String })
const nameRows = rowsOf({ name: Schema.String })
const sourceRows = rowsOf({ source: Schema.String })

/** What is known now of the terms of every source that ever gave a value. */
const currentRights = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rightsOf = yield* rightsBySource
  const sources = yield* sql`select distinct source collate "C" as source from series order by 1`.pipe(
    sourceRows
  )
  return Object.fromEntries(
    sources.flatMap(({ source }) => {
      const { attribution, licence } = rightsOf(source)
      return licence === undefined || attribution === undefined ? [] : [[source, { licence, attribution }]]
    })
  ) satisfies FileRights
})

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
      const context = yield* Effect.context<
        ArchiveFiles | Feeds | FileMaker | Log | LogKey | SqlClient.SqlClient
      >()
      const sql = yield* SqlClient.SqlClient
      const log = yield* Log
      const { simulated } = yield* LogKey
      const files = yield* ArchiveFiles
      const maker = yield* FileMaker
      const turn = yield* Semaphore.make(1)

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

      const publish = Effect.fn("Archive.publish")(function* (
        { batches, statement }: Plan,
        draft: Draft,
        rights: FileRights,
        bounds: Bounds | null
      ) {
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
            last_batch: Math.max(...batches.map(({ id }) => id)),
            rows: draft.rows,
            bytes: draft.bytes,
            sha256: draft.sha256,
            rights: JSON.stringify(rights),
            bounds: bounds === null ? null : JSON.stringify(bounds),
            recorded_at: new Date(now)
          })} on conflict do nothing returning name`.pipe(nameRows)
          // Another process has published it meanwhile.
          if (inserted === undefined) return undefined
          const place = (yield* logged(name, draft.sha256))?.place ?? (yield* log.append([entry], now))
          yield* sql`update archive_file set log_index = ${place} where name = ${name}`
          return name
        }).pipe(sql.withTransaction)
      })

      const finish = Effect.fn("Archive.finish")(function* (plan: Plan, rights: FileRights) {
        const draft = yield* maker.make(plan, rights)
        const name = fileName(plan.statement.period, plan.statement.first_day)
        yield* requireSealed(name, plan, draft)
        yield* files.put(keyOf(name, draft.sha256), draft)
        // Files of months and years are in no table: their days are.
        const bounds = plan.statement.period === "day" ? yield* boundsOf(draft) : null
        const done = yield* publish(plan, draft, rights, bounds)
        yield* log.refresh
        noteFault(files, name, undefined)
        if (done !== undefined)
          yield* Effect.logInfo("archived", { name, rows: draft.rows, bytes: draft.bytes })
        return done ?? name
      }, Effect.scoped)

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

      const published = Effect.fnUntraced(function* (names: Array<string>) {
        const days = yield* sql`
          select id, day::text as day from batch b where closed_at is not null
            and not exists (select 1 from archive_file f where f.period = 'day' and f.first_day = b.day)
          order by day limit ${mostAtOnce}`.pipe(batchRows)
        const rights = yield* currentRights
        for (const batch of days) names.push(yield* finish(yield* dayPlan(batch), rights))
        for (const period of ["month", "year"] as const) {
          for (const { day } of yield* due(period)) {
            names.push(yield* finish(yield* compactPlan(period, day), rights))
          }
        }
      })

      /** Whoever reads the archive takes it to be without gaps, so that no later file is published meanwhile. */
      const waitFor = ({ message, name }: LeavesDiffer) => {
        const isNew = !faultsOf(files).has(name)
        noteFault(files, name, message)
        return isNew ? Effect.logError(message) : Effect.void
      }

      const upkeep = freshUpkeep()
      const run = Effect.gen(function* () {
        const names: Array<string> = []
        yield* Effect.catchTag(published(names), "LeavesDiffer", waitFor)
        yield* readBounds
        yield* watch(upkeep)
        return names
      }).pipe(turn.withPermits(1), Effect.provide(context), Effect.withSpan("Archive.run"))

      return Archive.of({ run })
    })
  )
}
