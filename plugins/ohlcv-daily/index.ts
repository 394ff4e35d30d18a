import { candles } from "../../core/plugin/shapes/candles.ts"

export default candles({
  id: "ohlcv-daily",
  title: "Daily price bars of 14 assets",
  interval: "1d",
  count: 60,
  every: "6 hours"
})
