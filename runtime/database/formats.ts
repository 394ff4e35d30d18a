/**
 * The formats of what is stored, beside its tables (`migrate.ts`): a database says which it was written in, and one that this
 * code cannot read is refused before anything is changed.
 */
import { Effect, Schema } from "effect"
import { logFormat, storedFormat } from "../../core/log/format.ts"
import { program } from "../../core/process/program.ts"
import { hasTable } from "../../core/sql/hasTable.ts"
import { raiseFacts, storedFact, storedFactsOf } from "../../core/sql/keyValue.ts"

/** What this code writes, and the newest that it reads. A number goes up when code of before could not read the result. */
export const formats = {
  archive: 1,
  bodies: 1,
  bundles: 2,
  checkpoints: logFormat,
  keys: 1,
  leaves: logFormat
} as const

/** Levels of formats by name. */
export type Formats = Readonly<Record<string, number>>

/** A database in a format that this code cannot read. The message names the versions that can, and the way forward. */
export class FormatUnreadable extends Schema.TaggedError<FormatUnreadable>()("FormatUnreadable", {
  message: Schema.String
}) {}

/** Where logs of earlier formats were written: the first and the last commit. */
const writers: Readonly<Record<number, string>> = {
  1: "commits 054a6865 to dad7c5d2, of 21 and 22 November 2026"
}

/** Why this code cannot use a database, and what to do. */
export interface Unreadable {
  readonly message: string
  readonly action: string
}

/** What to do with a log of an earlier format. */
export const restartAction = `go on with this version by a new log, whose first entry commits to the head of the old one, while values, accounts and balances stay: stop every process, run: ${program} backup <folder> --keys, then: ${program} log restart --yes`

const tooOld = (format: number): Unreadable => ({
  message: `the log in this database is of format ${format}, which only Plumbline of ${writers[format] ?? "an earlier version"} can read, and this version reads format ${logFormat}`,
  action: restartAction
})

const supported: Formats = formats

/** The formats that this code cannot read, in words; undefined if it reads all. */
export const tooNew = (stored: Formats): string | undefined => {
  const newer = Object.entries(stored).filter(([name, level]) => level > (supported[name] ?? 0))
  return newer.length === 0
    ? undefined
    : newer
        .map(
          ([name, level]) =>
            `${name} of format ${level}, and this version reads up to ${supported[name] ?? 0}`
        )
        .join("; ")
}

const prefix = "format:"

/** The formats that the database says it was written in; none if no version has said so. */
export const storedFormats = Effect.gen(function* () {
  if (!(yield* hasTable("fact"))) return {}
  const facts = yield* storedFactsOf(prefix)
  return Object.fromEntries([...facts].map(([name, value]) => [name, Number(value)]))
})

/** Which backup is being restored into the database; there only until all of it is. */
export const factOfRestoring = "restoring_backup"

/** Whether a restore into the database has begun and not ended. */
export const isHalfRestored = Effect.gen(function* () {
  return (yield* hasTable("fact")) && (yield* storedFact(factOfRestoring)) !== undefined
})

/** Why this code cannot read the database, whose formats are newer or older than its own, or that is half restored; undefined if it can. */
export const unreadable = Effect.gen(function* () {
  if (yield* isHalfRestored) {
    return {
      message: "a backup is being restored into this database, or that was interrupted",
      action: `wait for it, or run: ${program} restore <folder> again, which begins anew`
    } satisfies Unreadable
  }
  const stored: Formats = yield* storedFormats
  const format = yield* storedFormat
  const newer = tooNew(format === undefined || format <= logFormat ? stored : { ...stored, leaves: format })
  if (newer !== undefined) {
    return {
      message: `a newer version of Plumbline wrote this database in a format that this version cannot read (${newer})`,
      action: "start the newer version, or restore a backup that this version made"
    } satisfies Unreadable
  }
  return format === undefined || format >= logFormat ? undefined : tooOld(format)
}).pipe(Effect.withSpan("formats.unreadable"))

/** Refuses a database that this code cannot read. Changes nothing. */
export const requireReadable = Effect.flatMap(unreadable, (why) =>
  why === undefined
    ? Effect.void
    : new FormatUnreadable({ message: `${why.message}. Nothing was changed. To do: ${why.action}` })
)

/** Notes that this code writes the database from now on. */
export const noteFormats = Effect.gen(function* () {
  yield* raiseFacts(
    Object.fromEntries(Object.entries(formats).map(([name, level]) => [prefix + name, level]))
  )
})
