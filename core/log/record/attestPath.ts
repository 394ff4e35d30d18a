/** Paths of proofs. */

/** The path of the proof of a value; `day` is `YYYY-MM-DD`. */
export const attestPath = (
  value: {
    readonly symbol: string
    readonly metric: string
    readonly source: string
    readonly day: string
  },
  format?: "bundle4" | "absence4" | "bundle" | "absence" | "evidence" | "chain-proof"
): string =>
  `/v1/attest?symbol=${encodeURIComponent(value.symbol)}&metric=${encodeURIComponent(value.metric)}` +
  `&date=${value.day.replaceAll("-", "")}&source=${encodeURIComponent(value.source)}` +
  (format === undefined ? "" : `&format=${format}`)
