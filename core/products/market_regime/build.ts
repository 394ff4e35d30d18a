/** `market_regime`: probabilities of four regimes and a stability index. */
import { Effect } from "effect"
import { derived } from "../../readings/read/rights.ts"
import { soldAndViewed } from "../build.ts"
import { type Bars, bars, intervals, isBar } from "../shared/bars.ts"
import { about, ofDerived } from "../shared/coverage.ts"
import { heuristicRule, leftOut, mean, readings } from "../shared/inputs.ts"
import { changes } from "../shared/statistics.ts"
import definition, { type Features, type MarketRegime, type Probabilities } from "./definition.ts"

const regimes = ["bull", "bear", "range", "turbulent"] as const

const deviation = (values: ReadonlyArray<number>): number | null => {
  const middle = mean(values)
  if (middle === null || values.length < 2) return null
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1))
}

/** Regime probabilities: a softmax of four linear scores of the features. */
export const probabilitiesOf = (features: typeof Features.Type): Probabilities | null => {
  const { breadth, trend, volatility_ratio } = features
  if (trend === null || breadth === null || volatility_ratio === null) return null
  const t = Math.max(-3, Math.min(3, trend))
  const v = Math.max(0, Math.min(3, volatility_ratio))
  const scores = [
    t + 2 * (breadth - 0.5),
    -t - 2 * (breadth - 0.5),
    1 - Math.abs(t) - Math.max(0, v - 1),
    3 * (v - 1)
  ]
  const most = Math.max(...scores)
  const weights = scores.map((score) => Math.exp(score - most))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const [bull = 0, bear = 0, range = 0] = weights.map((weight) => weight / total)
  // The last is what is left, so that the sum is 1 to the last digit that a double holds.
  return { bull, bear, range, turbulent: Math.max(0, 1 - bull - bear - range) }
}

/** The features of the day that ends at `end`. */
const featuresAt = (assets: ReadonlyArray<Bars>, end: number): typeof Features.Type => {
  const day = intervals["1d"]
  const per = assets.flatMap(({ bars, ends }) => {
    const closes = bars.map(({ close }) => close)
    const moves = changes(closes, ends, day)
    const last = (days: number) =>
      Array.from({ length: days }, (_, n) => moves.get(end - n * day)).filter((move) => move !== undefined)
    const [week, fortnight, twenty] = [last(7), last(14), last(20)]
    const at = ends.indexOf(end)
    const window = closes.slice(at - 19, at + 1)
    const [short, long] = [deviation(week), deviation(twenty)]
    if (at < 20 || twenty.length < 20) return []
    // A price that never moved says nothing of a regime.
    if (short === null || long === null || long === 0) return []
    const sum = fortnight.reduce((total, move) => total + move, 0)
    return [
      {
        trend: sum / (long * Math.sqrt(14)),
        above: (closes[at] ?? 0) > (mean(window) ?? Number.POSITIVE_INFINITY),
        ratio: short / long
      }
    ]
  })
  return {
    trend: mean(per.map(({ trend }) => trend)),
    breadth: mean(per.map(({ above }) => Number(above))),
    volatility_ratio: mean(per.map(({ ratio }) => ratio))
  }
}

export const marketRegime = Effect.gen(function* () {
  const current = yield* readings
  const { generated_utc } = current
  const assets = yield* derived(bars("1d", 60))
  const newest = Math.max(...assets.map(({ ends }) => ends.at(-1) ?? 0))
  const day = intervals["1d"]
  const days = assets.length === 0 ? [] : Array.from({ length: 8 }, (_, n) => newest - (7 - n) * day)
  const knownDays = days.flatMap((end) => {
    const probabilities = probabilitiesOf(featuresAt(assets, end))
    return probabilities === null ? [] : [{ date: new Date(end).toISOString().slice(0, 10), probabilities }]
  })
  const features = featuresAt(assets, newest)
  const probabilities = probabilitiesOf(features)
  const steps = knownDays.slice(1).map(({ probabilities }, n) => {
    const before = knownDays[n]?.probabilities ?? probabilities
    return regimes.reduce((sum, name) => sum + Math.abs(probabilities[name] - before[name]), 0) / 2
  })
  const moved = steps.length < 7 ? null : mean(steps)
  return {
    generated_utc,
    ...leftOut(current, isBar("1d"), about.all),
    date: assets.length === 0 ? null : new Date(newest).toISOString().slice(0, 10),
    probabilities,
    regime:
      probabilities === null
        ? null
        : regimes.reduce((best, name) => (probabilities[name] > probabilities[best] ? name : best)),
    stability_index: moved === null ? null : 100 * (1 - moved),
    features,
    days: knownDays,
    assets: assets.map(({ bars, ends: _, ...asset }) => ({ ...asset, n_bars: bars.length })),
    missing_fields: probabilities === null ? ["ohlcv_1d_close: 21 days in a row of any asset"] : [],
    methodology: {
      formula:
        "probabilities = softmax(bull: t + 2(b - 0.5), bear: -t - 2(b - 0.5), range: 1 - |t| - max(0, v - 1), turbulent: 3(v - 1)); " +
        "t = mean over assets of sum of the last 14 daily log changes / (s20 √14), cut to -3..3; b = share of closes above their " +
        "20-day mean; v = mean of s7 / s20, cut to 0..3; s7, s20 = sample deviation of the last 7 and 20 log changes; " +
        "stability_index = 100 × (1 - mean total variation distance between neighbouring days of the last 8)",
      fields: ["ohlcv_1d_close"],
      rules: [
        "An asset counts on a day if it has 21 consecutive closes up to then. Gaps are never filled in.",
        "The closes are the /v1/history points of ohlcv_1d_close from the source given in assets.",
        heuristicRule
      ]
    }
  } satisfies MarketRegime
})

export default soldAndViewed(definition, marketRegime, {
  covers: ofDerived(isBar("1d"), about.all),
  holds: ({ probabilities }) => probabilities !== null
})
