/**
 * Files of the archive that were damaged or lost: found at the start, each day and whenever they are read, and made again from
 * the leaves of their days.
 */
import { Clock, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { day as dayMs, minute } from "../../plugin/time.ts"
import { rowsOf } from "../../sql/rows.ts"
import { ArchiveFiles, ArchiveUnavailable, keyOf } from "./ArchiveFiles.ts"
import { FileMaker } from "./FileMaker.ts"
import { batchRows, compactPlan, dayPlan } from "./plans.ts"
import { faultsOf, noteFault, noteSealed, requireIntact } from "./requireIntact.ts"
import { faultOfBatch } from "./requireSealed.ts"

/** Files that one look hashes, so that a service with a long past does not hold its disk up. */
const mostAtOnce = 40

/** Between two comparisons of the leaves of a day, which may be a million, in milliseconds. */
const betweenDays = 10 * minute

const Published = Schema.Struct({
  name: Schema.String,
  period: Schema.Literals(["day", "month", "year"]),
  first_day: Schema.String,
  bytes: Schema.Int,
  sha256: Schema.String,
  batch: Schema.Int,
  rights: Schema.NullOr(
    Schema.Record(Schema.String, Schema.Struct({ licence: Schema.String, attribution: Schema.String }))
  )
})
const publishedRows = rowsOf(Published.fields)

/** Makes a file again from its leaves, where it is away or damaged. */
const rebuild = Effect.fn("Archive.rebuild")(function* (file: typeof Published.Type) {
  const { batch, first_day, name, period, rights, sha256 } = file
  const files = yield* ArchiveFiles
  const plan = yield* period === "day"
    ? dayPlan({ id: batch, day: first_day })
    : compactPlan(period, first_day)
  const draft = yield* (yield* FileMaker).make(plan, rights)
  if (draft.sha256 !== sha256) {
    const cause =
      draft.altered === undefined
        ? "this version makes other bytes of its leaves, or leaves are gone"
        : `a stored leaf does not have its hash: ${draft.altered.slice(0, 200)}`
    return yield* new ArchiveUnavailable({
      message: `${name} cannot be made again: ${cause}. Copy ${keyOf(name, sha256)} from the archive of a backup, or the file from whoever downloaded it`
    })
  }
  yield* files.setAside(keyOf(name, sha256))
  yield* files.put(keyOf(name, sha256), draft)
  yield* requireIntact(files, file)
  yield* Effect.logWarning("a damaged file of the archive was made again from its leaves", { name })
}, Effect.scoped)

/** Notes the files that such a store does not have in their length. */
const compareSizes = Effect.fnUntraced(function* (all: ReadonlyArray<typeof Published.Type>) {
  const files = yield* ArchiveFiles
  const sizes = yield* files.list
  for (const { bytes, name, sha256 } of all) {
    const size = sizes.get(keyOf(name, sha256))
    const fault = `the archive's file ${keyOf(name, sha256)} ${size === undefined ? "is missing" : `has ${size} bytes instead of ${bytes}`}`
    if (size !== bytes) noteFault(files, name, fault)
  }
})

/** Compares the stored leaves of one day with the log, the days in turn: of these, too, a file is served. */
const compareNextDay = Effect.fnUntraced(function* (after: string) {
  const sql = yield* SqlClient.SqlClient
  const [batch] = yield* sql`
    select id, day::text as day from batch where closed_at is not null and day > ${after}::date order by day limit 1`.pipe(
    batchRows
  )
  if (batch === undefined) return before
  const tally = yield* (yield* FileMaker).tally(yield* dayPlan(batch))
  yield* noteSealed(`batches/${batch.day}/leaves`, yield* faultOfBatch(batch.day, tally))
  return batch.day
}, Effect.scoped)

/** Before every day. */
const before = "0001-01-01"

/** How far a process has looked. */
interface Upkeep {
  /** Files that were looked at in this round. */
  looked: number
  /** When the sizes in the store were last compared, epoch milliseconds. */
  compared: number
  /** The day whose leaves were compared last, and when that was. */
  day: string
  dayAt: number
  /** Files that cannot be made again, by name: said once. */
  readonly lost: Set<string>
}

export const freshUpkeep = (): Upkeep => ({
  looked: 0,
  compared: Number.NEGATIVE_INFINITY,
  day: before,
  dayAt: Number.NEGATIVE_INFINITY,
  lost: new Set()
})

/** Looks at some of the files each time, at every one once a day, and makes those again that are not whole. */
export const watch = Effect.fn("Archive.watch")(function* (upkeep: Upkeep) {
  const sql = yield* SqlClient.SqlClient
  const files = yield* ArchiveFiles
  const all = yield* sql`
    select f.name, f.period, f.first_day::text, f.bytes::float8, f.sha256, f.last_batch as batch, f.rights
    from archive_file f where f.log_index is not null order by f.name`.pipe(publishedRows)
  const now = yield* Clock.currentTimeMillis
  const dayAgo = now - dayMs
  if (now - upkeep.dayAt >= betweenDays) {
    upkeep.day = yield* compareNextDay(upkeep.day)
    upkeep.dayAt = now
  }
  if (files.holdsToHashes) {
    if (upkeep.compared <= dayAgo) {
      yield* compareSizes(all)
      upkeep.compared = now
    }
  } else {
    const some = all.slice(upkeep.looked, upkeep.looked + mostAtOnce)
    upkeep.looked = upkeep.looked + some.length >= all.length ? 0 : upkeep.looked + some.length
    for (const file of some) yield* Effect.ignore(requireIntact(files, file, dayAgo))
  }
  for (const file of all) {
    const fault = faultsOf(files).get(file.name)
    if (fault === undefined) upkeep.lost.delete(file.name)
    if (fault === undefined || upkeep.lost.has(file.name)) continue
    yield* Effect.logError(fault)
    yield* Effect.catchTag(rebuild(file), "ArchiveUnavailable", (error) => {
      upkeep.lost.add(file.name)
      return Effect.logError(error.message)
    })
  }
})
