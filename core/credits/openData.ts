/**
 * What is open to everybody and what tiers sell, in the words of the price list, the tiers' table and the terms of use.
 * The log has to be checked by strangers, so what it holds is not sold.
 */

/** Answers about a closed day that no tier and no age refuses. */
export const openPaths: ReadonlyArray<string> = [
  "/v1/log/batches/{day}/leaves",
  "/v1/archive/daily/{year}/{month}/{day}.parquet",
  "/v1/attest?symbol={symbol}&metric={metric}&date={date}",
  "/v1/attest?symbol={symbol}&metric={metric}&date={date}&format=bundle4"
]

export const openWords =
  "The log is open and never changes: the values of every closed day, the proof of each of them and the file of each " +
  "single day need no key, whatever their age."

export const soldWords =
  "A tier sells the present moment of every network in one call, depth of history in the views, joins across networks, " +
  "the archive's files of whole months and years, exports, alerts and delivery by webhook, and higher limits; service levels are by agreement."
