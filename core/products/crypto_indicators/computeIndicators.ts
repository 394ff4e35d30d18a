/** Technical indicators over bars. Loaded on first use, because the library has a file per indicator. */
import { EMA, MACD, RSI, SMA, VWAP } from "trading-signals"
import type { Bar } from "../../wire/products/bars.ts"
import type { IndicatorBar } from "./definition.ts"

const period = { sma: 20, ema: 20, rsi: 14, short: 12, long: 26, signal: 9 } as const

const finite = (value: number | null | undefined): number | null =>
  value === null || value === undefined || !Number.isFinite(value) ? null : value

/** Indicators over consecutive bars without a gap. */
export const computeIndicators = (stretch: ReadonlyArray<Bar>): ReadonlyArray<IndicatorBar> => {
  const [sma, ema, rsi] = [new SMA(period.sma), new EMA(period.ema), new RSI(period.rsi)]
  const signal = new EMA(period.signal)
  const macd = new MACD(new EMA(period.short), new EMA(period.long), signal)
  const vwap = new VWAP()
  let moved = false
  let traded = false
  return stretch.map((bar, n) => {
    moved ||= n > 0 && bar.close !== stretch[n - 1]?.close
    traded ||= bar.volume > 0
    sma.add(bar.close)
    ema.add(bar.close)
    rsi.add(bar.close)
    const macdValue = macd.add(bar.close)
    vwap.add({ high: bar.high, low: bar.low, close: bar.close, volume: bar.volume })
    const line = finite(macdValue?.macd)
    const slow = signal.isStable ? finite(macdValue?.signal) : null
    return {
      ...bar,
      sma_20: sma.isStable ? finite(sma.getResult()) : null,
      ema_20: ema.isStable ? finite(ema.getResult()) : null,
      // Prices that never moved have neither gains nor losses: their ratio is not defined.
      rsi_14: moved && rsi.isStable ? finite(rsi.getResult()) : null,
      macd: line,
      macd_signal: slow,
      macd_histogram: line === null || slow === null ? null : finite(line - slow),
      vwap: traded ? finite(vwap.getResult()) : null
    }
  })
}
