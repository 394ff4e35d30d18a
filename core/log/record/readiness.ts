/**
 * `/readyz`: whether this process can answer, and what its operator should look at. A reason is particular to this process: a
 * load balancer that sees one sends its requests to another. What all processes share, and reading does not need, is a warning.
 */
import { Clock, Duration, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clockReasons } from "../../clock/DatabaseClock.ts"
import * as DataClock from "../../clock/DataClock.ts"
import { hour, minute } from "../../plugin/time.ts"
import { isoTime } from "../../plugin/Value.ts"
import { Availability } from "../../process/Availability.ts"
import { ProcessState } from "../../process/ProcessState.ts"
import { program } from "../../process/program.ts"
import { Feeds, givesNothing, isRunning } from "../../readings/Feeds.ts"
import { Current, newestRead } from "../../readings/read/Current.ts"
import { differingOf } from "../../readings/read/differing.ts"
import { TrustedClock } from "../../readings/TrustedClock.ts"
import type { Readiness, Reason, Warning } from "../../wire/log/readiness.ts"
import { ArchiveFiles } from "../archive/ArchiveFiles.ts"
import { faultsOf } from "../archive/requireIntact.ts"
import { WitnessStates } from "../Cosignatures.ts"
import { Log, LogKey } from "../Log.ts"
import { Overdue } from "../Overdue.ts"

const leastOld = hour
/** A witness may restart without a warning. */
const witnessPatience = 5 * minute

const stopping: Reason = {
  code: "stopping",
  message: "This process is stopping; send requests to another one."
}

/** What requests are to be sent for. Writing needs the database. */
export type Purpose = "reads" | "writes"

/** From memory, so load balancers can probe it often, even while the database is down. */
export const readinessFor = Effect.fnUntraced(function* (purpose: Purpose) {
  const now = yield* DataClock.now
  const lacking = yield* (yield* LogKey).lacking
  const keyMissing = lacking && { code: "key_missing" as const, message: lacking.message }
  const signs = lacking?.signs === true
  const halt = yield* halted
  const warnings = [
    yield* failing,
    yield* old(now),
    yield* missed,
    purpose === "writes" ? undefined : halt,
    yield* doubtful,
    signs ? undefined : keyMissing,
    yield* uncosigned(now),
    yield* unserved,
    yield* damaged,
    yield* differing
  ]
  const { isStopping, warnings: ofProcess } = yield* ProcessState
  const availability = yield* Availability
  const unable = yield* availability.reasons
  const away = yield* availability.away
  const isShared = away !== undefined && !unable.some(({ code }) => code === away.code)
  const isReason = isShared && purpose === "writes"
  const written = yield* availability.written
  // A database that does not respond stores nothing either, and is told by its own code.
  const unwritten = away === undefined ? written.warning : undefined
  const cannotWrite = purpose === "writes" && written.isReason
  return {
    generated_utc: isoTime(now),
    reasons: [
      ...(isStopping() ? [stopping] : []),
      ...(yield* clockReasons),
      ...unable,
      ...(isReason ? [away] : []),
      ...(unwritten !== undefined && cannotWrite ? [unwritten] : []),
      ...(purpose === "writes" && halt !== undefined ? [halt] : []),
      ...(signs && keyMissing ? [keyMissing] : [])
    ],
    warnings: [
      ...(isShared && !isReason ? [away] : []),
      ...(unwritten !== undefined && !cannotWrite ? [unwritten] : []),
      ...warnings.filter((warning) => warning !== undefined),
      ...(yield* ofProcess)
    ]
  } satisfies Readiness
})

export const readiness = readinessFor("reads")

const halted = Effect.gen(function* () {
  const why = yield* (yield* Log).halted
  return why === undefined
    ? undefined
    : { code: "log_halted" as const, message: `The log signs nothing. ${why}` }
})

const doubtful = Effect.gen(function* () {
  const doubt = yield* (yield* TrustedClock).doubt
  return doubt === undefined
    ? undefined
    : warning(
        "clock_doubtful",
        `Nothing is deleted, closed, logged, rotated or given up, because ${doubt}. Collecting and answering go on.`
      )
})

const damaged = Effect.gen(function* () {
  const names = [...faultsOf(yield* ArchiveFiles).keys()]
  return names.length === 0
    ? undefined
    : warning(
        "archive_damaged",
        `${names.length === 1 ? "A file of the archive is" : `${names.length} files of the archive are`} missing or damaged, and not sent: ${some(names)}.`
      )
})

const differing = Effect.gen(function* () {
  const { length } = differingOf(yield* SqlClient.SqlClient)
  return length === 0
    ? undefined
    : warning(
        "rows_differ",
        `${length === 1 ? "One stored row differs" : `${length} stored rows differ`} from what the log sealed or the feeds read, and ${length === 1 ? "is" : "are"} not served; incidents name the series and days. Keep a copy of the database as it is, see with ${program} log check what was changed, and bring the rows back from a backup of before.`
      )
})

const failing = Effect.gen(function* () {
  const all = [...(yield* (yield* Feeds).states).values()].filter(({ state }) => isRunning(state))
  const bad = all.filter(({ state }) => givesNothing(state)).map(({ plugin }) => plugin)
  if (bad.length === 0) return undefined
  const message = `${bad.length} of ${all.length} running feeds deliver nothing: ${some(bad)}. See /v1/data-dictionary for their last errors.`
  return warning("feeds_failing", message)
})

const old = Effect.fnUntraced(function* (now: number) {
  const { manifests } = yield* Feeds
  const { rows } = yield* (yield* Current).snapshot
  const shortest = manifests
    .filter(({ disabled }) => disabled === undefined)
    .reduce((least, { every }) => Math.min(least, Duration.toMillis(every)), Number.POSITIVE_INFINITY)
  if (shortest === Number.POSITIVE_INFINITY) return undefined
  const newest = newestRead(rows)
  if (newest === undefined) return warning("readings_old", "No value has been read yet.")
  return now - newest <= Math.max(leastOld, 3 * shortest)
    ? undefined
    : warning("readings_old", `No upstream has been read successfully since ${isoTime(newest)}.`)
})

const missed = Effect.gen(function* () {
  const days = yield* (yield* Overdue).days
  return days.length === 0
    ? undefined
    : warning(
        "close_missed",
        `${days.length === 1 ? "One day waits" : `${days.length} days wait`} for the daily close: ${some(days)}.`
      )
})

const uncosigned = Effect.fnUntraced(function* (now: number) {
  const { hasQuorum, witnesses } = yield* yield* WitnessStates
  const behind = witnesses.flatMap(({ name, size, trouble }) =>
    trouble === undefined || trouble.since > now - witnessPatience
      ? []
      : [`${name} (at size ${size}; ${trouble.message})`]
  )
  if (behind.length === 0) return undefined
  const quorum = hasQuorum ? "" : " The newest checkpoint lacks the quorum."
  return warning(
    "witnesses_behind",
    `${behind.length} of ${witnesses.length} witnesses ${behind.length === 1 ? "does" : "do"} not cosign the log: ${some(behind)}.${quorum}`
  )
})

/** Its age goes by the clock on the wall, as signatures do. */
const unserved = Effect.gen(function* () {
  const log = yield* Log
  const since = yield* log.waiting
  if (since === undefined || since > (yield* Clock.currentTimeMillis) - witnessPatience) return undefined
  const [signed, served] = [yield* log.signed, yield* log.served]
  return warning(
    "head_not_cosigned",
    `${served.size === 0 ? "No head of the log is served" : `The served head of the log has ${served.size} of ${signed.size} entries`}: a newer one lacks the cosignatures that WITNESSES requires since ${isoTime(since)}.`
  )
})

const warning = (code: Warning["code"], message: string): Warning => ({ code, message })

const some = (names: ReadonlyArray<string>): string =>
  names.length <= 10 ? names.join(", ") : `${names.slice(0, 10).join(", ")} and ${names.length - 10} more`
