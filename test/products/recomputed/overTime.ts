/** Products over time: bars with indicators, lead and lag, the regime, daily history, and covariances on the manifold. */
import { assert } from "vitest"
import { pearson, pValue, spectral, times } from "./statistics.ts"
import { average, same, sum, type World } from "./world.ts"

const hour = 3_600_000
const day = 24 * hour

interface Bar extends Readonly<Record<"open" | "high" | "low" | "close" | "volume", number>> {
  readonly as_of: string
}
type Indicator = "sma_20" | "ema_20" | "rsi_14" | "macd" | "macd_signal" | "macd_histogram" | "vwap"
interface Asset {
  readonly symbol: string
  readonly source: string
  readonly n_bars: number
}

const assetsOf = (world: World) =>
  world.bought<{
    assets: ReadonlyArray<Asset & { bars: ReadonlyArray<Bar & Record<Indicator, number | null>> }>
  }>("crypto_indicators").assets

/** Bars that follow each other without a gap. */
const stretchesOf = <A extends Bar>(bars: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> => {
  const begins = bars.flatMap(({ as_of }, n) =>
    n === 0 || Date.parse(as_of) - Date.parse(bars[n - 1]?.as_of ?? "") !== hour ? [n] : []
  )
  return begins.map((start, n) => bars.slice(start, begins[n + 1]))
}

const ema = (values: ReadonlyArray<number>, n: number): ReadonlyArray<number> => {
  let last = values[0] ?? 0
  return values.map((value, at) => {
    last = at === 0 ? value : last + (2 / (n + 1)) * (value - last)
    return last
  })
}

/** Wilder's index: the first means are plain, each later one takes a fourteenth of the newest change. */
const rsi = (closes: ReadonlyArray<number>, at: number): number | null => {
  const changes = closes.slice(1, at + 1).map((close, n) => close - (closes[n] ?? 0))
  if (changes.length < 14 || changes.every((change) => change === 0)) return null
  const smooth = (moves: ReadonlyArray<number>) =>
    moves.slice(14).reduce((mean, move) => (13 * mean + move) / 14, sum(moves.slice(0, 14)) / 14)
  const [gain, loss] = [
    smooth(changes.map((change) => Math.max(0, change))),
    smooth(changes.map((change) => Math.max(0, -change)))
  ]
  return (100 * gain) / (gain + loss)
}

export const indicators = (world: World): void => {
  const assets = assetsOf(world)
  assert.lengthOf(assets, 14)
  for (const { bars, symbol } of assets) {
    assert.isAtMost(bars.length, 100)
    for (const stretch of stretchesOf(bars)) {
      const closes = stretch.map(({ close }) => close)
      const [twenty, twelve, slow] = [ema(closes, 20), ema(closes, 12), ema(closes, 26)]
      const line = closes.map((_, n) => (twelve[n] ?? 0) - (slow[n] ?? 0))
      const signal = ema(line.slice(25), 9)
      for (const [n, bar] of stretch.entries()) {
        const where = `${symbol} ${bar.as_of}`
        same(bar.sma_20, n < 19 ? null : average(closes.slice(n - 19, n + 1)), `${where} sma`)
        same(bar.ema_20, n < 19 ? null : (twenty[n] ?? null), `${where} ema`)
        const index = rsi(closes, n)
        if (index === null) assert.isNull(bar.rsi_14, where)
        else assert.closeTo(bar.rsi_14 ?? -1, index, 1e-6, `${where} rsi`)
        const near = 1e-9 * bar.close
        const [macd, after] = [line[n] ?? 0, signal[n - 25] ?? 0]
        if (n < 25) assert.isNull(bar.macd, where)
        else assert.closeTo(bar.macd ?? Number.NaN, macd, near, `${where} macd`)
        if (n < 33) assert.isNull(bar.macd_signal, where)
        else {
          assert.closeTo(bar.macd_signal ?? Number.NaN, after, near, `${where} signal`)
          assert.closeTo(bar.macd_histogram ?? Number.NaN, macd - after, near, `${where} histogram`)
        }
        const traded = stretch.slice(0, n + 1)
        const volume = sum(traded.map((of) => of.volume))
        const paid = sum(traded.map((of) => ((of.high + of.low + of.close) / 3) * of.volume))
        same(bar.vwap, volume > 0 ? paid / volume : null, `${where} vwap`)
      }
    }
  }
}

interface Lag extends Readonly<Record<"lag_hours" | "n" | "r" | "p" | "q", number>> {
  readonly leader: string
  readonly follower: string
}

export const leadLag = (world: World): void => {
  const { correlations, run } = world.bought<{
    correlations: ReadonlyArray<Lag>
    run: { n_tests: number; n_left_out: number }
  }>("lead_lag_correlations")
  // The bars are those of crypto_indicators.
  const moves = new Map(
    assetsOf(world).map(({ bars, symbol }) => [
      symbol,
      new Map(
        stretchesOf(bars).flatMap((stretch) =>
          stretch.slice(1).flatMap(({ as_of, close }, n): ReadonlyArray<readonly [number, number]> => {
            const before = stretch[n]?.close ?? 0
            return before > 0 && close > 0 ? [[Date.parse(as_of), Math.log(close / before)]] : []
          })
        )
      )
    ])
  )
  const symbols = [...moves.keys()].sort()
  const expected = new Map<string, { n: number; r: number; p: number }>()
  for (const leader of symbols) {
    for (const follower of symbols) {
      for (let lag = 0; lag <= 6; lag++) {
        if (leader === follower || (lag === 0 && leader > follower)) continue
        const common = [...(moves.get(leader) ?? [])].flatMap(([end, x]) => {
          const y = moves.get(follower)?.get(end + lag * hour)
          return y === undefined ? [] : [[x, y] as const]
        })
        if (common.length < 30) continue
        const r = pearson(
          common.map(([x]) => x),
          common.map(([, y]) => y)
        )
        if (Number.isFinite(r)) {
          expected.set(`${leader} ${follower} ${lag}`, { n: common.length, r, p: pValue(r, common.length) })
        }
      }
    }
  }
  assert.strictEqual(run.n_tests, expected.size)
  assert.strictEqual(correlations.length, expected.size)
  assert.isAbove(expected.size, 100)
  const sorted = [...expected.values()].map(({ p }) => p).sort((a, b) => a - b)
  for (const { follower, lag_hours, leader, n, p, q, r } of correlations) {
    const where = `${leader} ${follower} ${lag_hours}`
    const of = expected.get(where)
    assert.strictEqual(n, of?.n, where)
    assert.closeTo(r, of?.r ?? 9, 1e-9, where)
    assert.closeTo(p, of?.p ?? 9, 3e-7 * p, where)
    // The least p·m/k over all ranks k from this one on.
    const rank = sorted.findIndex((value) => value >= p * (1 - 3e-7))
    const adjusted = Math.min(
      1,
      ...sorted.slice(rank).map((value, k) => (value * sorted.length) / (rank + k + 1))
    )
    assert.closeTo(q, adjusted, 1e-6 * q, where)
  }
}

interface Points {
  readonly source: string
  readonly points: ReadonlyArray<{ readonly date: string; readonly value: number }>
}
type Histories = { readonly data: Record<string, Record<string, Points>> }

const historyOf = async (world: World, symbol: string, metric: string, source?: string): Promise<Points> => {
  const named = source === undefined ? "" : `&source=${source}`
  const { data } = await world.client.get<Histories>(
    `/v1/history?network=${symbol}&metric=${metric}&days=30${named}`
  )
  return data[symbol]?.[metric] ?? { source: source ?? "", points: [] }
}

export const history = async (world: World): Promise<void> => {
  const { from, n_points, series, to } = world.bought<{
    n_points: number
    from: string
    to: string
    series: ReadonlyArray<{
      symbol: string
      metric: string
      source: string
      dates: ReadonlyArray<string>
      values: ReadonlyArray<number>
    }>
  }>("depin_history")
  assert.isAbove(series.length, 100)
  let points = 0
  const bySymbol = Map.groupBy(series, ({ symbol }) => symbol)
  for (const [symbol, columns] of bySymbol) {
    const { data } = await world.client.get<Histories>(`/v1/history?network=${symbol}&days=30`)
    for (const { dates, metric, source, values } of columns) {
      const answering = data[symbol]?.[metric]
      const listed = answering?.source === source ? answering : await historyOf(world, symbol, metric, source)
      // The product has the last 30 closed days, the history 30 days with today: 29 of them are the same.
      const closed = listed.points.filter(({ date }) => date <= to)
      assert.deepStrictEqual(
        dates.flatMap((date, n) => (date > from ? [[date, values[n]]] : [])),
        closed.map(({ date, value }) => [date, value]),
        `${symbol} ${metric} ${source}`
      )
      points += dates.length
    }
  }
  assert.strictEqual(n_points, points)
  assert.isTrue(series.some(({ dates }) => dates.length > 10))
}

const regimes = ["bull", "bear", "range", "turbulent"] as const
type Chances = Record<(typeof regimes)[number], number>

export const regime = async (world: World): Promise<void> => {
  const payload = world.bought<{
    date: string
    probabilities: Chances
    regime: string
    stability_index: number | null
    features: Record<"trend" | "breadth" | "volatility_ratio", number>
    days: ReadonlyArray<{ date: string; probabilities: Chances }>
    assets: ReadonlyArray<Asset>
  }>("market_regime")
  const closes = new Map<string, ReadonlyMap<number, number>>()
  for (const { source, symbol } of payload.assets) {
    const { points } = await historyOf(world, symbol, "ohlcv_1d_close", source)
    closes.set(symbol, new Map(points.map(({ date, value }) => [Date.parse(date), value])))
  }
  const spread = (values: ReadonlyArray<number>) => {
    const middle = sum(values) / values.length
    return Math.sqrt(sum(values.map((value) => (value - middle) ** 2)) / (values.length - 1))
  }
  const featuresOn = (date: number) => {
    const perAsset = [...closes.values()].flatMap((of) => {
      const window = Array.from({ length: 21 }, (_, n) => of.get(date - (20 - n) * day))
      if (!window.every((close) => close !== undefined && close > 0)) return []
      const prices = window.flatMap((close) => close ?? [])
      const moves = prices.slice(1).map((close, n) => Math.log(close / (prices[n] ?? 0)))
      const long = spread(moves)
      if (long === 0) return []
      const above = (prices.at(-1) ?? 0) > sum(prices.slice(1)) / 20
      return [
        {
          t: sum(moves.slice(6)) / (long * Math.sqrt(14)),
          b: Number(above),
          v: spread(moves.slice(13)) / long
        }
      ]
    })
    const mean = (name: "t" | "b" | "v") => sum(perAsset.map((of) => of[name])) / perAsset.length
    return { n: perAsset.length, trend: mean("t"), breadth: mean("b"), volatility_ratio: mean("v") }
  }
  const chancesOn = (date: number): Chances => {
    const { breadth: b, trend, volatility_ratio } = featuresOn(date)
    const [t, v] = [Math.min(3, Math.max(-3, trend)), Math.min(3, Math.max(0, volatility_ratio))]
    const weights = [
      t + 2 * (b - 0.5),
      -t - 2 * (b - 0.5),
      1 - Math.abs(t) - Math.max(0, v - 1),
      3 * (v - 1)
    ].map(Math.exp)
    const [bull = 0, bear = 0, range = 0, turbulent = 0] = weights.map((weight) => weight / sum(weights))
    return { bull, bear, range, turbulent }
  }
  const newest = Date.parse(payload.date)
  for (const [name, value] of Object.entries(payload.features)) {
    assert.closeTo(value, featuresOn(newest)[name as "trend"], 1e-9, name)
  }
  const days = Array.from({ length: 8 }, (_, n) => newest - (7 - n) * day).filter(
    (date) => featuresOn(date).n > 0
  )
  assert.deepStrictEqual(
    payload.days.map(({ date }) => Date.parse(date)),
    days
  )
  const chances = days.map(chancesOn)
  for (const [n, expected] of chances.entries()) {
    for (const name of regimes)
      assert.closeTo(payload.days[n]?.probabilities[name] ?? 9, expected[name], 1e-9, name)
  }
  const last = chances.at(-1) ?? assert.fail("no day")
  for (const name of regimes) assert.closeTo(payload.probabilities[name], last[name], 1e-9, name)
  assert.strictEqual(payload.regime, [...regimes].sort((a, b) => last[b] - last[a])[0])
  const steps = chances
    .slice(1)
    .map((now, n) => sum(regimes.map((name) => Math.abs(now[name] - (chances[n]?.[name] ?? 0)))) / 2)
  if (steps.length < 7) assert.isNull(payload.stability_index)
  else assert.closeTo(payload.stability_index ?? -1, 100 * (1 - sum(steps) / steps.length), 1e-7)
}

interface Answer {
  readonly points: ReadonlyArray<{
    readonly embedding: ReadonlyArray<number> | null
    readonly withheld: string | null
    readonly network?: {
      readonly dates: ReadonlyArray<string>
      readonly covariance: ReadonlyArray<ReadonlyArray<number>>
    }
  }>
  readonly distances: ReadonlyArray<
    Readonly<Record<"a" | "b" | "log_euclidean" | "affine_invariant", number>>
  >
}

/** What the key of dag_manifold_30d opens. */
export const manifold = async (world: World): Promise<void> => {
  const { api_key, endpoint } = world.bought<{ api_key: string; endpoint: string }>("dag_manifold_30d")
  const [, path = ""] = endpoint.split(" ")
  const measured = [
    { network: "STORJ", metrics: ["nodes_online", "VETTED_NODES"] },
    { network: "FIL", metrics: ["active_storage_providers", "RAW_BYTE_POWER"] }
  ]
  const matrixPoint = {
    matrix: [
      [0.5, 0.1],
      [0.1, 0.25]
    ]
  }
  const { body, status } = await world.client.post<Answer>(
    path,
    { points: [matrixPoint, ...measured] },
    api_key
  )
  assert.strictEqual(status, 200)
  const matrices = [matrixPoint.matrix as ReadonlyArray<ReadonlyArray<number>>]
  for (const [n, { metrics, network }] of measured.entries()) {
    const point = body.points[n + 1]
    assert.isNull(point?.withheld, network)
    const today = new Date(world.at).toISOString().slice(0, 10)
    const histories = await Promise.all(metrics.map((metric) => historyOf(world, network, metric)))
    const logs = histories.map(
      ({ points }) => new Map(points.map(({ date, value }) => [date, Math.log(value)] as const))
    )
    const dates = [...(logs[0]?.keys() ?? [])].filter(
      (date) => date < today && logs.every((of) => of.has(date))
    )
    assert.deepStrictEqual(point?.network?.dates, dates)
    const columns = logs.map((of) => dates.map((date) => of.get(date) ?? Number.NaN))
    const centred = columns.map((column) => column.map((value) => value - sum(column) / column.length))
    const covariance = centred.map((x) =>
      centred.map((y) => sum(x.map((value, k) => value * (y[k] ?? 0))) / (dates.length - 1))
    )
    for (const [i, row] of covariance.entries()) {
      for (const [j, value] of row.entries()) same(point?.network?.covariance[i]?.[j], value, network)
    }
    matrices.push(covariance)
  }
  const logarithms = matrices.map((matrix) => spectral(matrix, Math.log).matrix)
  for (const { a, affine_invariant, b, log_euclidean } of body.distances) {
    const apart = (logarithms[a] ?? []).flatMap((row, i) =>
      row.map((value, j) => value - (logarithms[b]?.[i]?.[j] ?? 0))
    )
    assert.closeTo(log_euclidean, Math.hypot(...apart), 1e-7)
    const root = spectral(matrices[a] ?? [], (value) => 1 / Math.sqrt(value)).matrix
    const between = times(times(root, matrices[b] ?? []), root)
    const { eigenvalues } = spectral(between, (value) => value)
    assert.closeTo(affine_invariant, Math.hypot(...eigenvalues.map(Math.log)), 1e-7)
  }
  assert.lengthOf(body.distances, 3)
}
