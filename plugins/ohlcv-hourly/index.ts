import { candles } from "#plugin/candles"

export default candles({
  id: "ohlcv-hourly",
  title: "Hourly price bars of 14 assets",
  interval: "1h",
  count: 100,
  every: "1 hour"
})
