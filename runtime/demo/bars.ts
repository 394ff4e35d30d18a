/** Price bars that go on: what a market would have listed at a later time. */
import { Schema } from "effect"

const Price = Schema.Union([Schema.String, Schema.Finite])

/** Binance's klines, oldest first: start, open, high, low, close, volume, end, and more. */
const Klines = Schema.fromJsonString(
  Schema.NonEmptyArray(
    Schema.TupleWithRest(Schema.Tuple([Schema.Int, Price, Price, Price, Price, Price, Schema.Int]), [
      Schema.Unknown
    ])
  )
)

/**
 * The same number of bars `ms` later. The recorded path is walked to its end, then back, then forth again, so that each
 * bar opens where the one before it closed, no price leaves the recorded ones, and no bar that was told ever changes.
 */
export const barsAt = (text: string, ms: number): string => {
  const rows = Schema.decodeUnknownSync(Klines)(text)
  const length = rows[0][6] + 1 - rows[0][0]
  const steps = Math.floor(ms / length)
  const later = rows.map((_, place) => {
    const n = place + steps
    const back = Math.floor(n / rows.length) % 2 === 1
    const at = back ? rows.length - 1 - (n % rows.length) : n % rows.length
    const [start, open, high, low, close, volume, end, ...more] = rows[at] ?? rows[0]
    const moved = (n - at) * length
    return [
      start + moved,
      ...(back ? [close, high, low, open] : [open, high, low, close]),
      volume,
      end + moved,
      ...more
    ]
  })
  return JSON.stringify(later)
}
