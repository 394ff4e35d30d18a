/** `lead_lag_correlations`: which asset's hourly changes go before another's (spec 2.10). */
import { Effect, Schema } from "effect"
import { Asset, bars, intervals } from "./bars.ts"
import { head, natural, readings, words } from "./inputs.ts"
import { changes, correlation, qValues } from "./statistics.ts"

const count = 100
/** Hours by which one may go before another. */
const lags = [0, 1, 2, 3, 4, 5, 6] as const
/** Pairs of hours that a correlation needs. */
const least = 30

export const LeadLagRow = Schema.Struct({
  leader: words("The asset that goes before"),
  follower: words("The asset that comes after"),
  lag_hours: natural("Hours between the two; at 0 each pair stands once"),
  n: natural("Pairs of hours"),
  r: Schema.Finite.annotate({ description: "Pearson's correlation, -1 to 1" }),
  p: Schema.Finite.annotate({
    description: "Two-sided p-value of Student's t with n - 2 degrees of freedom"
  }),
  q: Schema.Finite.annotate({ description: "Benjamini-Hochberg q-value within this run" })
}).annotate({ identifier: "LeadLagRow", description: "One pair at one lag" })
export interface LeadLagRow extends Schema.Schema.Type<typeof LeadLagRow> {}

export const LeadLag = Schema.Struct({
  ...head,
  run: Schema.Struct({
    from: Schema.NullOr(Schema.String).annotate({
      format: "date-time",
      description: "End of the oldest bar"
    }),
    to: Schema.NullOr(Schema.String).annotate({ format: "date-time", description: "End of the newest bar" }),
    n_tests: natural("Correlations in the run: what q is computed over"),
    n_left_out: natural("Pairs at a lag with too few common hours or a constant side")
  }).annotate({ description: "The run" }),
  assets: Schema.Array(Schema.Struct({ ...Asset, n_bars: natural("Bars") })).annotate({
    description: "Where the bars come from"
  }),
  correlations: Schema.Array(LeadLagRow).annotate({ description: "By p, then leader, follower and lag" })
}).annotate({ identifier: "LeadLag", description: "Hourly lead-lag correlations" })
export interface LeadLag extends Schema.Schema.Type<typeof LeadLag> {}

export const leadLag = Effect.gen(function* () {
  const { generated_utc } = yield* readings
  const assets = yield* bars("1h", count)
  const length = intervals["1h"]
  const moves = assets.map(({ bars, ends, symbol }) => ({
    symbol,
    changes: changes(
      bars.map(({ close }) => close),
      ends,
      length
    )
  }))
  const tests: Array<Omit<LeadLagRow, "q">> = []
  let left = 0
  for (const [a, leader] of moves.entries()) {
    for (const [b, follower] of moves.entries()) {
      if (a === b) continue
      for (const lag of lags) {
        if (lag === 0 && a > b) continue
        const x: Array<number> = []
        const y: Array<number> = []
        for (const [end, change] of leader.changes) {
          const after = follower.changes.get(end + lag * length)
          if (after === undefined) continue
          x.push(change)
          y.push(after)
        }
        const found = x.length < least ? undefined : correlation(x, y)
        if (found === undefined) left++
        else
          tests.push({
            leader: leader.symbol,
            follower: follower.symbol,
            lag_hours: lag,
            n: x.length,
            ...found
          })
      }
    }
  }
  const q = qValues(tests.map(({ p }) => p))
  const ends = assets.flatMap(({ bars }) => bars.map(({ as_of }) => as_of)).sort()
  return {
    generated_utc,
    run: { from: ends[0] ?? null, to: ends.at(-1) ?? null, n_tests: tests.length, n_left_out: left },
    assets: assets.map(({ bars, ends: _, ...asset }) => ({ ...asset, n_bars: bars.length })),
    // The sort is stable: of equal p-values the order is that of the loops, which is by name.
    correlations: tests.map((row, n) => ({ ...row, q: q[n] ?? 1 })).toSorted((a, b) => a.p - b.p),
    methodology: {
      formula:
        "r = Pearson(ln(c[t] / c[t-1]) of the leader, ln(c[t+lag] / c[t+lag-1]) of the follower); p of t = r √((n - 2) / (1 - r²)); " +
        "q = Benjamini-Hochberg over all tests of the run",
      fields: ["ohlcv_1h_close"],
      rules: [
        `The latest ${count} closed hourly bars; lags of 0 to ${lags.at(-1)} hours, at least ${least} common hours. The bars are those of crypto_indicators.`,
        "p is computed to a relative 3e-7.",
        "A change across a missing bar is none: gaps are never filled in. A constant side has no correlation.",
        "A correlation is no cause, and many are tried: judge by q."
      ]
    }
  } satisfies LeadLag
})
