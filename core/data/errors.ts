/** When no answer can be given because the database is away. */
import { isSqlError } from "effect/sql/SqlError"

/**
 * SQLSTATE classes of a server that has no room, is stopped or starts, fails at its own work, or has lost the database:
 * https://www.postgresql.org/docs/18/errcodes-appendix.html
 */
const awayClasses = /^(3D|53|57|58)/

/** True where the database cannot be asked now: the same call may be answered later. Other SQL that fails is our fault. */
export const isAway = (error: unknown): boolean => {
  if (!isSqlError(error)) return false
  const { _tag, cause, isRetryable } = error.reason
  if (isRetryable || _tag === "AuthenticationError") return true
  return (
    typeof cause === "object" && cause !== null && "code" in cause && awayClasses.test(String(cause.code))
  )
}

/** Seconds after which a call may be tried again that found no database. */
export const awaySeconds = 5

/** An error answer stays small: no longer list of valid values stands in one. */
export const validValuesCap = 200
