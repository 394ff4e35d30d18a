/** Series found mislabelled at their source: they are named with the reason, and their values are served nowhere. */
import { Schema } from "effect"
import suppressedJson from "./suppressed.json" with { type: "json" }

export const Suppressed = Schema.Struct({
  symbol: Schema.NonEmptyString,
  metric: Schema.NonEmptyString,
  source: Schema.NonEmptyString,
  reason: Schema.NonEmptyString
})
export interface Suppressed extends Schema.Schema.Type<typeof Suppressed> {}

/** Sorted by symbol and metric. */
export const suppressed: ReadonlyArray<Suppressed> = Schema.decodeUnknownSync(Schema.Array(Suppressed))(
  suppressedJson
)

const names = new Set(suppressed.map(({ metric, source, symbol }) => `${symbol}|${metric}|${source}`))

export const isSuppressed = (row: {
  readonly symbol: string
  readonly metric: string
  readonly source: string
}): boolean => names.has(`${row.symbol}|${row.metric}|${row.source}`)
