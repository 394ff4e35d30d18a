/** Recognizes errors that mean that the database is unavailable. */
import { Schema } from "effect"
import { isSqlError } from "effect/sql/SqlError"

/**
 * SQLSTATE classes of a server that is starting, stopping, out of resources, failing internally, or without the database:
 * https://www.postgresql.org/docs/18/errcodes-appendix.html
 */
const awayClasses = /^(3D|53|57|58)/

/** What a server that responds says of a write that it cannot store, whatever the write is; by SQLSTATE. */
const refusals = {
  "25006": { name: "read_only", message: "the database is read-only" },
  "42501": { name: "missing_rights", message: "the service's role may not write" },
  "53100": { name: "disk_full", message: "the disk of the database is full" },
  "53200": { name: "out_of_memory", message: "the database is out of memory" },
  "58030": { name: "disk_error", message: "the disk of the database fails" }
} as const

type WriteFaultName = (typeof refusals)[keyof typeof refusals]["name"] | "no_answer" | "other"

export const writeFaultNames: ReadonlyArray<WriteFaultName> = [
  ...Object.values(refusals).map(({ name }) => name),
  "no_answer",
  "other"
]

/** Why a database stores nothing. `no_answer`: it did not say. */
export interface WriteFault {
  readonly name: WriteFaultName
  /** In a few words, with the SQLSTATE where the server gave one. */
  readonly message: string
}

/** The SQLSTATE that the server gave; undefined where no answer of it came. */
const sqlStateOf = (error: unknown): string | undefined => {
  if (!isSqlError(error)) return undefined
  const { cause } = error.reason
  return typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined
}

const isRefusal = (state: string): state is keyof typeof refusals => Object.hasOwn(refusals, state)

/** What keeps a server that responds from storing anything; undefined if the error says something else. */
export const writeRefusal = (error: unknown): WriteFault | undefined => {
  const state = sqlStateOf(error)
  if (state === undefined || !isRefusal(state)) return undefined
  const { message, name } = refusals[state]
  return { name, message: `${message} (SQLSTATE ${state}: ${lineOf(error)})` }
}

/** The database would refuse to store something, for want of rights on a table. */
export class MissingRights extends Schema.TaggedError<MissingRights>()("MissingRights", {
  table: Schema.String
}) {}

/** Why a write failed, whatever it was. */
export const writeFaultOf = (error: unknown): WriteFault => {
  if (error instanceof MissingRights) {
    const { message, name } = refusals["42501"]
    return { name, message: `${message} (SQLSTATE 42501: it may not insert into the table ${error.table})` }
  }
  const refusal = writeRefusal(error)
  if (refusal !== undefined) return refusal
  const state = sqlStateOf(error)
  return state === undefined
    ? { name: "no_answer", message: `no answer came (${lineOf(error)})` }
    : { name: "other", message: `the database refuses it (SQLSTATE ${state}: ${lineOf(error)})` }
}

/** True if the database is unavailable, or stores nothing, so a retry may succeed. Any other SQL error is a bug of ours. */
export const isAway = (error: unknown): boolean => {
  if (!isSqlError(error)) return false
  const { _tag, isRetryable } = error.reason
  if (isRetryable || _tag === "AuthenticationError" || writeRefusal(error) !== undefined) return true
  return awayClasses.test(sqlStateOf(error) ?? "")
}

/** What a caller is told of it. */
export const awayWords = (error: unknown): string =>
  writeRefusal(error) === undefined
    ? "The database does not respond."
    : "The database cannot store anything at present."

/** One line with the driver's causes behind "Failed to connect". */
export const lineOf = (error: unknown): string => {
  const messages: Array<string> = []
  for (let at = error; at instanceof Error && messages.length < 4; at = at.cause) {
    if (at.message !== "" && !messages.includes(at.message)) messages.push(at.message)
  }
  return messages.join(": ").replace(/\s+/g, " ").slice(0, 500) || "unknown"
}

/** Seconds until a caller should retry when the database is unavailable. */
export const awaySeconds = 5

/** The most valid values that an error lists, to keep it small. */
export const validValuesCap = 200
