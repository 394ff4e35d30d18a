/** Networks whose earnings or payouts nobody outside can measure: since when, why, and what would have to be published. */
import { Schema } from "effect"
import { families } from "../plugin/flows.ts"
import notObservedJson from "./not-observed.json" with { type: "json" }

const Entry = Schema.Struct({
  symbol: Schema.NonEmptyString,
  families: Schema.NonEmptyArray(Schema.Literals(families)),
  /** The day on which somebody looked, `YYYY-MM-DD`. */
  since: Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/)),
  why: Schema.NonEmptyString,
  needs: Schema.NonEmptyString
})

export const notObserved = Schema.decodeUnknownSync(Schema.Array(Entry))(notObservedJson)
