/** Recognizes errors that mean that the database is unavailable. */
import { isSqlError } from "effect/sql/SqlError"

/**
 * SQLSTATE classes of a server that is starting, stopping, out of resources, failing internally, or without the database:
 * https://www.postgresql.org/docs/18/errcodes-appendix.html
 */
const awayClasses = /^(3D|53|57|58)/

/** True if the database is unavailable, so a retry may succeed. Any other SQL error is a bug of ours. */
export const isAway = (error: unknown): boolean => {
  if (!isSqlError(error)) return false
  const { _tag, cause, isRetryable } = error.reason
  if (isRetryable || _tag === "AuthenticationError") return true
  return (
    typeof cause === "object" && cause !== null && "code" in cause && awayClasses.test(String(cause.code))
  )
}

/** Seconds until a caller should retry when the database is unavailable. */
export const awaySeconds = 5

/** The most valid values that an error lists, to keep it small. */
export const validValuesCap = 200
