/** Refusals of the read side; HTTP and MCP put them into their own form. */
import { Schema } from "effect"

/** No network of the catalog and no sector has this symbol; symbols are exact in case. */
export class UnknownSymbol extends Schema.TaggedError<UnknownSymbol>()("UnknownSymbol", {
  /** The parameter that named it. */
  field: Schema.String,
  symbol: Schema.String
}) {
  override get message() {
    return (
      `${this.field}: no network has the symbol ${JSON.stringify(this.symbol.slice(0, 40))}. ` +
      "Symbols are exact in case; subnets are SN0 to SN128; /v1/networks lists them."
    )
  }
}

/** A parameter that can not be understood, or that is outside of what is valid. */
export class BadParameter extends Schema.TaggedError<BadParameter>()("BadParameter", {
  field: Schema.String,
  /** What is wrong and what is valid, as a sentence; begins with the field's name. */
  message: Schema.String,
  /** Where the valid values are a list, at most `validValuesCap` of them. */
  valid_values: Schema.optionalKey(Schema.Array(Schema.String))
}) {}

/** An error answer stays small: no longer list of valid values stands in one. */
export const validValuesCap = 200
