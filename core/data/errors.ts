/** Refusals of the read side, and when there can be none; HTTP and MCP put them into their own form. */
import { Schema } from "effect"
import { isSqlError } from "effect/sql/SqlError"

/** Nothing of the catalog and no sector has this symbol, in whatever case, or this name. */
export class UnknownSymbol extends Schema.TaggedError<UnknownSymbol>()("UnknownSymbol", {
  /** The parameter that named it. */
  field: Schema.String,
  symbol: Schema.String,
  /** Symbols that come near, the nearest first; absent where none does. */
  did_you_mean: Schema.optionalKey(Schema.Array(Schema.String))
}) {
  override get message() {
    const near = this.did_you_mean === undefined ? "" : `Did you mean ${this.did_you_mean.join(", ")}? `
    return (
      `${this.field}: unknown symbol ${JSON.stringify(this.symbol.slice(0, 40))}. ${near}` +
      "Subnets are SN0 to SN128; /v1/networks lists all symbols."
    )
  }
}

/** A parameter that cannot be understood, or that is outside of what is valid. */
export class BadParameter extends Schema.TaggedError<BadParameter>()("BadParameter", {
  field: Schema.String,
  /** What is wrong and what is valid, as a sentence; begins with the field's name. */
  message: Schema.String,
  /** Where the valid values are a list, at most `validValuesCap` of them. */
  valid_values: Schema.optionalKey(Schema.Array(Schema.String)),
  /** What is valid in words, where it is no list. */
  valid: Schema.optionalKey(Schema.String)
}) {}

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
