import { candles } from "#plugin/candles"

export default candles({
  id: "ohlcv-daily",
  title: "Daily price bars of 14 assets",
  interval: "1d",
  count: 60,
  every: "6 hours"
})
