/**
 * `LongHistory` from the archive's files, through DuckDB in a child process. The child is started when it is needed, has one
 * query at a time, and is started again after it died; whatever goes wrong, the caller reads SQL instead.
 */

import { type ChildProcess, fork } from "node:child_process"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Effect, Layer, Schema, Semaphore, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { ArchiveFiles, keyOf } from "../../core/log/archive/ArchiveFiles.ts"
import { requireIntact } from "../../core/log/archive/requireIntact.ts"
import { day } from "../../core/plugin/time.ts"
import { guarded } from "../../core/process/guarded.ts"
import { typescriptFlags } from "../../core/process/typescriptFlags.ts"
import { earlierLogOf } from "../../core/readings/earlierLog.ts"
import { dateOf, type Window } from "../../core/readings/read/days.ts"
import { type Archived, LongHistory, type SealedColumn } from "../../core/readings/read/LongHistory.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import * as folderFiles from "./folder.ts"
import type { FromChild, Query, ToChild } from "./queries.ts"

/** The longest that a query may take. */
const queryTimeout = "30 seconds"
/** How long a query that was cancelled may take to end. */
const grace = "1 second"
/** How long SQL is read instead, after the child failed. */
const rest = 30_000

const fileRows = rowsOf({
  name: Schema.String,
  period: Schema.Literals(["day", "month", "year"]),
  first_day: Schema.String,
  last_day: Schema.String,
  last_batch: Schema.Int,
  bytes: Schema.Int,
  sha256: Schema.String
})
type File = Effect.Success<ReturnType<typeof fileRows<never, never>>>[number]

/** The files of years, then months, then days that have every archived leaf once. */
const covering = (files: ReadonlyArray<File>): ReadonlyArray<File> => {
  const chosen: Array<File> = []
  let until = ""
  for (const period of ["year", "month", "day"] as const) {
    for (const file of files) {
      if (file.period !== period || file.first_day <= until) continue
      chosen.push(file)
      until = file.last_day
    }
  }
  return chosen
}

/** A running child, ready for a query. */
interface Running {
  readonly child: ChildProcess
  alive: boolean
}

/** `folder` is for copies of files that are not on this disk; `ceiling` is the memory of the child in MiB. */
export const layer = ({ ceiling, folder }: { readonly folder: string; readonly ceiling: number }) =>
  Layer.effect(
    LongHistory,
    Effect.gen(function* () {
      if (ceiling === 0) return undefined
      const sql = yield* SqlClient.SqlClient
      const files = yield* ArchiveFiles
      const place = files.folder ?? folder
      const copies = folderFiles.make(place)
      const turn = yield* Semaphore.make(1)
      let running: Running | undefined
      /** Until when nothing is tried; forever where there is no DuckDB. */
      let circuitOpenUntil = 0

      const end = Effect.sync(() => {
        running?.child.kill("SIGKILL")
        running = undefined
      })
      yield* Effect.addFinalizer(() => end)

      const reply = (of: Running) =>
        Effect.callback<FromChild>((resume) => {
          const end = () => of.child.off("message", answered).off("exit", exited)
          const answered = guarded("the reader of the archive", (message: FromChild) => {
            end()
            resume(Effect.succeed(message))
          })
          const exited = guarded("the reader of the archive", () => {
            of.alive = false
            answered({ failed: "it ended" })
          })
          if (!of.alive) return resume(Effect.succeed({ failed: "it ended" }))
          // biome-ignore lint/plugin/callback: both are guarded
          of.child.on("message", answered).on("exit", exited)
          return Effect.sync(end)
        })

      const started = Effect.gen(function* () {
        if (running?.alive === true) return running
        const child = fork(new URL("query.child.ts", import.meta.url), [place, String(ceiling)], {
          serialization: "advanced",
          // Nothing of the service's environment is its business.
          env: {},
          execArgv: [...typescriptFlags, `--max-old-space-size=${Math.floor(ceiling / 4)}`, "--no-warnings"],
          stdio: ["ignore", "ignore", "ignore", "ipc"]
        })
        const fresh: Running = { child, alive: true }
        const ended = guarded("the reader of the archive", () => {
          fresh.alive = false
        })
        // biome-ignore lint/plugin/callback: it is guarded
        child.on("error", ended).on("exit", ended)
        child.unref()
        running = fresh
        const response = yield* reply(fresh)
        if ("ready" in response) return fresh
        if ("missing" in response) {
          circuitOpenUntil = Number.POSITIVE_INFINITY
          yield* Effect.logInfo("DuckDB is not installed: long histories are read from the database")
        }
        return undefined
      })

      /** Asks the child; undefined if it could not answer. */
      const ask = Effect.fn("LongHistory.ask")(
        function* (query: Query) {
          const now = yield* Clock.currentTimeMillis
          if (now < circuitOpenUntil) return undefined
          const child = yield* started
          if (child === undefined) {
            circuitOpenUntil = Math.max(circuitOpenUntil, now + rest)
            return undefined
          }
          const send = (message: ToChild) => {
            if (child.alive && child.child.connected) child.child.send(message)
          }
          const answer = Effect.suspend(() => {
            const nextReply = reply(child)
            send({ query })
            return nextReply
          })
          // A query that nobody waits for is interrupted; a child that does not end it is replaced.
          const cancelled = Effect.suspend(() => {
            const nextReply = reply(child)
            send({ cancel: true })
            return Effect.timeoutOrElse(nextReply, { duration: grace, orElse: () => end })
          })
          const response = yield* answer.pipe(
            Effect.onInterrupt(() => cancelled),
            Effect.timeoutOrElse({
              duration: queryTimeout,
              orElse: () => Effect.succeed<FromChild>({ failed: `it took more than ${queryTimeout}` })
            })
          )
          if (!("failed" in response)) return response
          circuitOpenUntil = now + rest
          yield* Effect.logWarning("the archive could not be queried; reading the database instead", {
            cause: response.failed
          })
          return undefined
        },
        (work) => turn.withPermits(1)(work)
      )

      /** The path of a file on this disk: of a copy, if that is not where it is kept. It has the hash that the log commits to. */
      const local = Effect.fnUntraced(function* (file: File) {
        const key = keyOf(file.name, file.sha256)
        const path = join(place, key)
        if (files.folder !== undefined) {
          yield* requireIntact(files, file)
          return path
        }
        const copied = requireIntact(copies, file)
        yield* Effect.catchTag(copied, "ArchiveUnavailable", () =>
          Effect.gen(function* () {
            yield* Effect.ignore(Effect.tryPromise(() => rm(path, { force: true })))
            yield* copies.put(key, {
              bytes: file.bytes,
              sha256: file.sha256,
              read: (from, to) =>
                Effect.map(Stream.runCollect(files.read(key, from, to)), (parts) => Buffer.concat(parts))
            })
            yield* copied
          })
        )
        return path
      })

      /** Asks for these series. What happened on a day may be in the file of that day or of any later one. */
      const query = Effect.fnUntraced(function* (
        kind: Query["kind"],
        series: Parameters<NonNullable<typeof LongHistory.Service>["rows"]>[0],
        { from, to }: Window
      ) {
        if ((yield* Clock.currentTimeMillis) < circuitOpenUntil || series.length === 0) return undefined
        // Days of an earlier log are in the database alone.
        const earlier = yield* Effect.provideService(earlierLogOf(dateOf(from)), SqlClient.SqlClient, sql)
        if (earlier !== undefined) return undefined
        const all = yield* sql`
          select name, period, first_day::text, last_day::text, last_batch, bytes::float8, sha256
          from archive_file where log_index is not null order by first_day`.pipe(fileRows)
        const needed = covering(all)
        const through = needed.at(-1)?.last_batch
        if (through === undefined) return undefined
        const paths = yield* Effect.forEach(
          needed.filter(({ last_day }) => last_day >= dateOf(from)),
          local
        ).pipe(
          Effect.catchTag("ArchiveUnavailable", (error) =>
            Effect.as(
              Effect.logWarning(
                "a file of the archive is away or damaged; reading the database instead",
                error
              ),
              []
            )
          )
        )
        if (paths.length === 0) return undefined
        const response = yield* ask({
          kind,
          files: paths,
          ids: series.map(({ id }) => id),
          symbols: series.map(({ symbol }) => symbol),
          metrics: series.map(({ metric }) => metric),
          sources: series.map(({ source }) => source),
          from: Math.floor(from / day),
          to: Math.floor(to / day)
        })
        return response === undefined ? undefined : { through, response }
      })

      return {
        columns: Effect.fn("LongHistory.columns")(function* (series, window) {
          const archived = yield* query("columns", series, window)
          if (archived === undefined || !("columns" in archived.response)) return undefined
          const { as_ofs, days, ends, ids, simulated, values, verify_urls } = archived.response.columns
          const columns = new Map<number, SealedColumn>()
          for (const [n, id] of ids.entries()) {
            const [start, end] = [ends[n - 1] ?? 0, ends[n] ?? 0]
            columns.set(id, {
              days: Array.from(days.subarray(start, end)),
              values: Array.from(values.subarray(start, end)),
              verify_url: verify_urls[n] ?? "",
              as_of: new Date(as_ofs[n] ?? 0),
              simulated: simulated[n] === true
            })
          }
          return { through: archived.through, content: columns } satisfies Archived<typeof columns>
        }),
        rows: Effect.fn("LongHistory.rows")(function* (series, window) {
          const archived = yield* query("rows", series, window)
          if (archived === undefined || !("rows" in archived.response)) return undefined
          const { rows } = archived.response
          return {
            through: archived.through,
            content: rows.id.map((id, n) => ({
              series: id,
              date: dateOf((rows.day[n] ?? 0) * day),
              incident: rows.incident[n] ?? 0,
              version: rows.version[n] ?? 0,
              value: rows.value[n] ?? 0,
              value_text: rows.value_text[n] ?? null,
              n_observations: rows.n_observations[n] ?? 0,
              as_of: new Date(rows.as_of[n] ?? 0),
              verify_url: rows.verify_url[n] ?? "",
              simulated: rows.simulated[n] === true
            }))
          }
        })
      }
    })
  )
