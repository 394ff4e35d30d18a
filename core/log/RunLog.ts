/**
 * Publishes what the collectors did, hour by hour: a document for each hour that is over, with a leaf for each of its runs. A
 * run that is recorded after its hour's document comes, marked as late, in the next one, never in an old one.
 */
import { hash } from "node:crypto"
import { promisify } from "node:util"
import { zstdCompress } from "node:zlib"
import { Context, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../clock/DataClock.ts"
import { hour as hourMs, minute } from "../plugin/time.ts"
import { toHex, utf8 } from "../proof/bytes.ts"
import { tagged } from "../proof/leaf.ts"
import { buildTree, hashLeaves, root } from "../proof/merkle.ts"
import { compareRunLeaves, hourBegins, type RunLeaf, runLeafText } from "../proof/runLeaf.ts"
import {
  countsOf,
  hourOf,
  isLateRuns,
  parseRuns,
  type Runs,
  runsKind,
  runsSubject,
  runsTag,
  runsText
} from "../proof/runs.ts"
import { scheduleKind } from "../proof/schedule.ts"
import { Feeds } from "../readings/Feeds.ts"
import { texts } from "../readings/ingest/arrays.ts"
import { Blobs, type BlobsUnavailable } from "../readings/ingest/Blobs.ts"
import { storedNotes } from "../readings/ingest/runs/notes.ts"
import { placeRuns } from "../readings/ingest/sealed.ts"
import { withWriterLock } from "../readings/ingest/writerLock.ts"
import { rowsOf } from "../sql/rows.ts"
import { keepDocument } from "./document.ts"
import { drawingHeads } from "./drawingHeads.ts"
import { Log, type LogHalted, LogKey } from "./Log.ts"
import { sha256 } from "./leaves.ts"
import { logOrigins } from "./origins.ts"
import { leavesOfRuns } from "./runLeaves.ts"
import { isScheduleDue, scheduleEntries, skippedBefore } from "./schedules.ts"

const compress = promisify(zstdCompress)

/** How long after an hour its runs are waited for: one that ended in its last second is stored by then. */
const patience = 4 * minute

/** Runs that one look takes up; what is left comes with the next. */
const mostRuns = 20_000

/** Documents of one head. A service that was away for long writes several. */
const mostHours = 48

const pendingRows = rowsOf({ id: Schema.String, finished_at: Schema.Date })
const bodyRows = rowsOf({ body: Schema.String })
const lastRows = rowsOf({
  hour: Schema.NullOr(Schema.String),
  n: Schema.Int,
  schedule: Schema.NullOr(Schema.String)
})

/** The runs of an hour that have no leaf yet. */
interface Hour {
  readonly hour: string
  readonly ids: ReadonlyArray<string>
}

/**
 * By hour, oldest first: of each run the hour in which it ended, or the first one after `last`, whose document is written.
 * Only hours that are over at `now` (epoch milliseconds).
 */
const hoursOf = (
  runs: ReadonlyArray<{ readonly id: string; readonly finished_at: Date }>,
  last: number | undefined,
  now: number
): ReadonlyArray<Hour> => {
  const first = last === undefined ? Number.NEGATIVE_INFINITY : last + hourMs
  const byHour = Map.groupBy(runs, ({ finished_at }) => hourOf(Math.max(finished_at.getTime(), first)))
  return [...byHour]
    .map(([hour, some]) => ({ hour, ids: some.map(({ id }) => id) }))
    .filter(({ hour }) => hourBegins(hour) + hourMs <= now)
    .sort((a, b) => hourBegins(a.hour) - hourBegins(b.hour))
}

/** The notaries whose notes these leaves name, in order. */
const notariesOf = Effect.fnUntraced(function* (leaves: ReadonlyArray<RunLeaf>) {
  const notes = leaves.flatMap((leaf) =>
    leaf.outcome === "skipped" ? [] : leaf.exchanges.flatMap(({ notes }) => notes)
  )
  const stored = yield* storedNotes([...new Set(notes)])
  return [...new Set(stored.map(({ notary }) => notary))].sort()
})

const listRows = rowsOf({ notaries: Schema.Array(Schema.String) })

/** The heads that the runs of these leaves drew their notaries by. */
const drawnBy = (leaves: ReadonlyArray<RunLeaf>) =>
  drawingHeads([
    ...new Set(leaves.flatMap((leaf) => (leaf.outcome === "skipped" ? [] : (leaf.lot?.head ?? []))))
  ])

/** Lists of one document: an operator changes his notaries rarely. */
const mostLists = 1000

/** What the runs of these leaves drew their notaries from. */
const drawnFrom = Effect.fnUntraced(function* (leaves: ReadonlyArray<RunLeaf>) {
  const sql = yield* SqlClient.SqlClient
  const hashes = new Set(leaves.flatMap((leaf) => (leaf.outcome === "skipped" ? [] : (leaf.lot?.from ?? []))))
  if (hashes.size === 0) return []
  const lists = yield* sql`
    select notaries from notary_list where sha256 = any(${texts([...hashes])}) order by sha256 limit ${mostLists}`.pipe(
    listRows
  )
  return lists.map(({ notaries }) => notaries)
})

/** The number of the newest document of runs with draws; 0 before the first. Asked where there are draws: then the newest is near. */
const drawsSoFar = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [newest] = yield* sql`
    select body from document where kind = ${runsKind} and body like '%"n_draws":%' order by subject desc limit 1`.pipe(
    bodyRows
  )
  return newest === undefined ? 0 : (parseRuns(newest.body).n_draws ?? 0)
})

export class RunLog extends Context.Service<
  RunLog,
  {
    /**
     * Logs the hours that are over and have runs without a leaf, the schedule of a day ahead, and the origins of closed days. Returns the
     * number of documents.
     */
    readonly run: Effect.Effect<number, BlobsUnavailable | LogHalted | SqlError>
  }
>()("core/log/RunLog") {
  static readonly layer = Layer.effect(
    RunLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const log = yield* Log
      const blobs = yield* Blobs
      const feeds = yield* Feeds
      const logKey = yield* LogKey
      const { simulated } = logKey

      /** Hours that can be written. Nothing of a replay comes later than its time. */
      const due = Effect.gen(function* () {
        const now = (yield* DataClock.now) - (simulated ? 0 : patience)
        // The runs of the hour that is not over wait for its document.
        const over = Math.floor(now / hourMs) * hourMs
        const runs = yield* sql`
          select id, finished_at from run
          where complete and hour is null and outcome is not null and finished_at < ${new Date(over)}
          order by finished_at, id limit ${mostRuns}`.pipe(pendingRows)
        if (runs.length === 0) return { hours: [], last: undefined, n: 0, schedule: null }
        const [last] = yield* sql`
          select (select max(subject) from document where kind = ${runsKind}) as hour,
            (select count(*)::int from document where kind = ${runsKind}) as n,
            (select sha256 from document where kind = ${scheduleKind} order by subject desc limit 1) as schedule`.pipe(
          lastRows
        )
        // The log's own documents, also where it was repaired from a mirror.
        const begun = last === undefined || last.hour === null ? undefined : hourBegins(last.hour)
        const hours = hoursOf(runs, begun, now).slice(0, mostHours)
        return { hours, last: begun, n: last?.n ?? 0, schedule: last?.schedule ?? null }
      })

      /** Writes the document of an hour; its runs have their places then. */
      const write = Effect.fn("RunLog.write")(function* (
        { hour, ids }: Hour,
        before: { readonly last: number | undefined; readonly n: number; readonly schedule: string | null }
      ) {
        const { last = Number.NEGATIVE_INFINITY, n, schedule } = before
        // A replay plays a day in a moment: it is entered when its hour is over.
        const at = simulated ? hourBegins(hour) + hourMs : yield* DataClock.now
        const ran = yield* leavesOfRuns(ids, hour, simulated)
        const leaves = [...ran, ...(yield* skippedBefore(hour, last, simulated))].sort(compareRunLeaves)
        const lines = leaves.map(runLeafText)
        const hashes = hashLeaves(lines.map(utf8), sha256)
        const drawn_from = yield* drawnFrom(leaves)
        const drawn_by = yield* drawnBy(leaves)
        const document: Runs = {
          v: tagged(runsTag, simulated),
          n: n + 1,
          hour,
          late: !simulated && isLateRuns(hour, at),
          root: toHex(root(buildTree(hashes, sha256), sha256)),
          tree_size: lines.length,
          ...countsOf(leaves),
          notaries: yield* notariesOf(leaves),
          ...(drawn_from.length === 0 ? {} : { drawn_from, n_draws: (yield* drawsSoFar) + 1 }),
          ...(drawn_by.length === 0 ? {} : { drawn_by }),
          ...(schedule === null ? {} : { schedule }),
          ...(simulated ? { simulated: true } : {})
        }
        const file = lines.map((line) => `${line}\n`).join("")
        const stored = hash("sha256", file)
        yield* blobs.put(stored, yield* Effect.orDie(Effect.tryPromise(() => compress(file))))
        const entry = yield* keepDocument(
          { kind: runsKind, subject: runsSubject(document), body: runsText(document) },
          at,
          simulated
        )
        const runs = ran.map(({ run }) => run)
        yield* placeRuns(new Date(hourBegins(hour)), runs)
        return {
          entry,
          at,
          row: { hour: new Date(hourBegins(hour)), document: entry.sha256, leaves: stored, hashes }
        }
      })

      const append = Effect.gen(function* () {
        const now = yield* DataClock.now
        const { hours, last, n, schedule } = yield* due
        const written = yield* Effect.forEach(hours, (hour, place) => {
          const before = hours[place - 1]
          return write(hour, {
            last: before === undefined ? last : hourBegins(before.hour),
            n: n + place,
            schedule
          })
        })
        const schedules = yield* scheduleEntries(now, simulated)
        const entries = [...written.map(({ entry }) => entry), ...schedules]
        if (entries.length === 0) return 0
        const first = yield* log.append(entries, written.at(-1)?.at ?? now)
        for (const [n, { row }] of written.entries())
          yield* sql`insert into runs_hour ${sql.insert({ ...row, log_index: first + n })}`
        return entries.length
      })

      const hours = Effect.gen(function* () {
        if ((yield* due).hours.length === 0 && !(yield* isScheduleDue(yield* DataClock.now, simulated)))
          return 0
        const logged = yield* withWriterLock(append)
        if (logged > 0) yield* log.refresh
        return logged
      })

      const run = Effect.gen(function* () {
        const logged = yield* hours
        return logged + (yield* logOrigins)
      }).pipe(
        Effect.provideService(Log, log),
        Effect.provideService(LogKey, logKey),
        Effect.provideService(Blobs, blobs),
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.provideService(Feeds, feeds),
        Effect.withSpan("RunLog.run")
      )

      return RunLog.of({ run })
    })
  )
}
