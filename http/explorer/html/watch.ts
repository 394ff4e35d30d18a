/** What a reader watches, and how it is written. A browser loads this file too, on every page. */

/** A network, or one metric of it. */
export interface Watched {
  readonly symbol: string
  readonly metric?: string
}

/** The most entries of a watchlist: each of them is asked for when the list is shown. */
export const mostWatched = 200

/** `FIL`, or `HNT/price_usd`. */
export const watchedText = ({ metric, symbol }: Watched): string =>
  metric === undefined ? symbol : `${symbol}/${metric}`

/** The entry that a text names; undefined for what is none. */
export const watchedOf = (text: unknown): Watched | undefined => {
  const [, symbol, metric] =
    (typeof text === "string" && /^([\w.$-]{1,64})(?:\/([\w.-]{1,100}))?$/.exec(text)) || []
  return symbol === undefined ? undefined : { symbol, ...(metric === undefined ? {} : { metric }) }
}
